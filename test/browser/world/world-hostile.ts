/** The same hostile texts wherever an agent's or stranger's text is shown. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type IssueId, type SessionId, sessionId, type TaskId } from '../../../src/domain/ids'
import { until } from '../../lab/until'
import type { Ground } from './world-ground'
import { BROKEN_BYTES, HOSTILE_NAMES, HOSTILE_TEXTS, type HostileName } from './world-hostile-texts'
import { TranscriptLines } from './world-lines'

export interface WorldHostile {
  /** One for each text: it is the title, the prompt, what the agent thinks and says, and what goes into and comes out of its tools. */
  sessions: Record<HostileName, SessionId>
  /** Lines with bytes that are no text. */
  broken: SessionId
  /** One for each text that a task may hold. */
  tasks: Partial<Record<HostileName, TaskId>>
  /** One for each text that an issue may hold: its title, description, label and comment. */
  issues: Partial<Record<HostileName, IssueId>>
}

/** Adds them; nothing of it runs an agent. */
export async function addHostile(ground: Ground): Promise<WorldHostile> {
  const { client, claude } = ground
  const folder = join(claude.claudeRoot, 'projects/-tmp-hostile')
  mkdirSync(folder, { recursive: true })
  const sessions = HOSTILE_NAMES.map((name): [HostileName, SessionId] => {
    const id = sessionId(crypto.randomUUID())
    writeFileSync(join(folder, `${id}.jsonl`), hostileSession(id, HOSTILE_TEXTS[name]))
    return [name, id]
  })
  const broken = sessionId(crypto.randomUUID())
  writeFileSync(join(folder, `${broken}.jsonl`), brokenSession(broken))
  const tasks: WorldHostile['tasks'] = {}
  const issues: WorldHostile['issues'] = {}
  for (const name of HOSTILE_NAMES) {
    const text = HOSTILE_TEXTS[name]
    const task = await firstAccepted(
      () =>
        client.tasks.create({ task: text, title: text.slice(0, 400), tags: [text.slice(0, 100)], status: 'backlog' }),
      () => client.tasks.create({ task: text, status: 'backlog' }),
    )
    if (task) tasks[name] = task.task.id
    const words = { dir: claude.project, actor: 'mallory', title: text.slice(0, 400), description: text, notes: text }
    const issue = await firstAccepted(
      () => client.issues.create({ ...words, labels: [text.slice(0, 60)], issueType: 'bug' }),
      () => client.issues.create({ ...words, issueType: 'bug' }),
    )
    if (issue) issues[name] = issue.issue.id
  }
  for (const [name, id] of [...sessions, ['broken', broken] as const])
    await until(
      `the hostile session ${name}`,
      async () => ((await client.sessions.get(id).catch(() => null))?.session.counts.events ?? 0) > 3,
    )
  return { sessions: Object.fromEntries(sessions) as WorldHostile['sessions'], broken, tasks, issues }
}

/** What the API refuses can't be shown either: then with less of the text. */
async function firstAccepted<T>(...tries: (() => Promise<T>)[]): Promise<T | null> {
  for (const make of tries) {
    const made = await make().catch(() => null)
    if (made !== null) return made
  }
  return null
}

function hostileSession(id: SessionId, text: string): string {
  const lines = new TranscriptLines(id, '/tmp/hostile', Date.now() - 60_000)
  const patch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: ['-before', `+${text}`] }]
  const edit = { file_path: `/tmp/hostile/${text.slice(0, 60)}`, old_string: 'before', new_string: text }
  const todos = [{ content: text, activeForm: text, status: 'in_progress' }]
  return [
    lines.prompt(text),
    lines.title(text),
    lines.think(text),
    ...lines.call('Bash', { command: text, description: text }, text, { isError: true }),
    ...lines.call('Edit', edit, 'changed', { toolUseResult: { ...edit, structuredPatch: patch } }),
    ...lines.call('TodoWrite', { todos }, 'ok'),
    ...lines.call(`tool<b>${text.slice(0, 40)}`, { [text.slice(0, 80)]: text }, [{ type: 'text', text }]),
    ...lines.call('Read', { file_path: '/tmp/x.svg' }, [
      {
        type: 'image',
        source: { type: 'base64', media_type: 'image/svg+xml', data: Buffer.from(text).toString('base64') },
      },
    ]),
    lines.say(text),
    '',
  ].join('\n')
}

function brokenSession(id: SessionId): Uint8Array {
  const lines = new TranscriptLines(id, '/tmp/hostile', Date.now() - 60_000)
  const parts: Uint8Array[] = [Buffer.from(`${lines.prompt('broken bytes')}\n`)]
  for (const [name, bytes] of Object.entries(BROKEN_BYTES)) {
    const [before, after] = lines.say(`${name} MIDDLE after`).split('MIDDLE')
    parts.push(Buffer.from(before ?? ''), bytes, Buffer.from(`${after}\n`))
  }
  parts.push(Buffer.from(`{"type":"assistant","broken":\n${lines.say('the end')}\n`))
  return Buffer.concat(parts)
}
