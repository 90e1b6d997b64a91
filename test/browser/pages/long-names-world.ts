/** A record in which everything that has a name has one that no line holds: made without any run, for pages that only show it. */
import type { InboxId, IssueId, SessionId, TaskId } from '../../../src/domain/ids'
import type { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { type Conversation, importConversations } from '../page/page-transcripts'
import type { TranscriptLines } from '../world/world-lines'
import { fromOutside } from '../world/world-mail'
import { Asker } from '../world/world-questions'

/** Letters without a place at which a line could break. */
export const long = (name: string, length = 300): string => name.padEnd(length, 'wxyz')

export interface LongNames {
  sessions: readonly SessionId[]
  /** At work, asks a question. */
  asking: TaskId
  failed: TaskId
  issue: IssueId
  request: InboxId
}

const FOLDER = `/srv/${long('folder', 200)}/${long('below', 200)}`
/** Rows of each list: more than a screen has. */
const ROWS = 40

/** Fills an empty server with them. @param lab  keeps the files that they come from */
export async function makeLongNames(server: Lode, lab: Lab): Promise<LongNames> {
  const { client } = server
  const sessions = await importConversations(server, lab.root, conversations())
  const asker = await Asker.join(server, long('worker', 60))
  const [question] = await asker.ask(long('asks'), [`rm -rf /${long('command', 2_000)}`])
  await asker.ask(long('asks-more'), ['ls', 'make'])
  const failed = await asker.fail(long('fails'), long('reason', 2_000))
  const asking = question?.taskId
  if (asking === undefined) throw new Error('nothing was asked')
  await client.messages.send({ to: asking, text: long('message', 2_000) })
  await client.tasks.create({ task: long('nobody takes'), requiredCapabilities: [long('capability', 60)] })
  for (let at = 0; at < ROWS; at++)
    await client.tasks.create({
      task: `${long(`task-${at}-`)}\n\n${long('text', 2_000)}`,
      title: long(`task-${at}-`),
      tags: [long('tag', 60)],
      dir: FOLDER,
      status: 'backlog',
    })
  const issue = await makeIssues(server, lab.folder(`tracker/${long('tracker', 120)}`))
  await client.views.save({ list: 'tasks', name: long('view', 60), search: '?q=x', isShared: true })
  const { secret } = await client.inbox.putSource('harbour-desk')
  const request = await fromOutside({ server }, secret ?? '', {
    sender: long('sender', 200),
    text: long('request', 2_000),
  })
  return { sessions, asking, failed, issue, request }
}

function conversations(): Conversation[] {
  return Array.from({ length: ROWS }, (_, at) => ({
    cwd: at < 20 ? FOLDER : `/srv/${long(`project-${at}-`, 120)}`,
    title: long(`session-${at}-`),
    startedAt: Date.now() - (at + 1) * 3_600_000,
    ...(at % 2 === 0 && { model: long('claude-opus-', 80) }),
    lines: (write) => talk(write, at).map(onLongBranch),
  }))
}

const onLongBranch = (line: string): string =>
  line.replace('"gitBranch":"main"', JSON.stringify({ gitBranch: long('branch', 200) }).slice(1, -1))

function talk(write: TranscriptLines, at: number): string[] {
  const path = `${FOLDER}/${long('file', 200)}.ts`
  const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-before', `+${long('after', 2_000)}`] }]
  const edit = { file_path: path, old_string: 'before', new_string: long('after', 2_000) }
  const todos = [
    { content: long('to-do'), activeForm: long('doing'), status: 'in_progress' },
    { content: long('later'), activeForm: long('later'), status: 'pending' },
  ]
  return [
    write.prompt(`${long(`prompt-${at}-`)} harbour`),
    write.think(long('thought')),
    ...write.call('Bash', { command: long('command', 2_000), description: long('what it does') }, long('result'), {
      isError: true,
    }),
    ...write.call('Read', { file_path: path }, long('line', 2_000)),
    ...write.call('Edit', edit, 'changed', { toolUseResult: { ...edit, structuredPatch: patch } }),
    ...write.call('TodoWrite', { todos }, 'ok'),
    ...write.call(long('mcp__server__tool', 120), { [long('key', 100)]: long('value') }, long('answer')),
    write.say(`${long('harbour')}\n\n| ${long('cell', 100)} | b |\n|---|---|\n| c | \`${long('code')}\` |`),
  ]
}

async function makeIssues({ client }: Lode, dir: string): Promise<IssueId> {
  const scope = { dir, actor: long('actor', 60) }
  const create = async (title: string, more: Omit<Parameters<typeof client.issues.create>[0], 'title' | 'dir'> = {}) =>
    (await client.issues.create({ ...scope, title, ...more })).issue.id
  const epic = await create(long('epic'), { issueType: 'epic', priority: 1 })
  const issue = await create(long('issue'), {
    parentId: epic,
    labels: [long('label', 60), long('other', 60)],
    assignee: long('assignee', 60),
    description: long('description', 2_000),
    notes: long('notes'),
  })
  await create(long('blocked'), { parentId: epic, dependencies: [{ dependsOnId: issue }] })
  await client.issues.comment(issue, { ...scope, text: long('comment', 2_000) })
  for (let at = 0; at < ROWS; at++)
    await create(long(`issue-${at}-`), { labels: [long('label', 60)], assignee: long('assignee', 60) })
  return issue
}
