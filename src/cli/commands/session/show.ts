import { DEFAULT_TURNS, MAX_DEPTH, MAX_TURNS } from '../../../api/contract/protocol'
import { AppError } from '../../../domain/errors'
import { namesClis } from '../../kit/arguments/agent-cli'
import { defineCommand } from '../../kit/command'
import type { Context } from '../../kit/context'
import { oneLine } from '../../print/text'
import { attachmentTable, placeFields } from '../../views/registry-views'
import { flatConversation } from '../../views/session/conversation-flat'
import { conversationView } from '../../views/session/conversation-view'
import { sessionFields, subagentTable } from '../../views/session/session-views'
import { todoTable } from '../../views/todo-views'

export const command = defineCommand({
  summary: 'Show a session with its sub-agents, background work and to-dos, or its conversation',
  details: [
    'With --conversation, or any option listed below it, shows the conversation turn by turn: the newest turns, or those',
    'at --from. Sub-agents appear at the call that launched them, with their own tokens and cost. --depth expands them;',
    "--only shows a single one. '== ... ==' marks compactions, forks and resumes.",
  ].join('\n'),
  args: [{ name: 'ID', help: "the session's ID, or a unique prefix of it", complete: 'session' }],
  options: {
    conversation: { kind: 'flag', short: 'c', help: 'show the conversation instead of the overview' },
    turns: {
      kind: 'number',
      short: 'n',
      value: 'N',
      min: 1,
      max: MAX_TURNS,
      help: `show at most N turns (default ${DEFAULT_TURNS})`,
    },
    from: {
      kind: 'text',
      value: 'PLACE',
      help: 'where to start: a turn number, a time, an event ID, start, or end (default)',
    },
    cursor: { kind: 'text', value: 'CURSOR', help: 'continue after a previous page: its nextCursor' },
    depth: { kind: 'number', value: 'N', min: 0, max: MAX_DEPTH, help: 'expand sub-agents N levels deep (default 0)' },
    only: { kind: 'text', value: 'SUBAGENT', help: "show only this sub-agent's conversation" },
    flat: { kind: 'flag', help: 'one line per entry, in order of time, with its agent' },
    full: { kind: 'flag', help: 'show complete texts' },
  },
  examples: [
    { line: 'lode session show 3f2a9c1e', does: 'all details of the session' },
    { line: 'lode session show 3f2a9c1e --json', does: 'print JSON: {session, subagents, backgroundTasks, todos}' },
    { line: 'lode session show 3f2a9c1e -c', does: 'the last 20 turns of its conversation' },
    {
      line: 'lode session show 3f2a9c1e -c --from 1 -n 5 --depth 1',
      does: 'the first 5 turns, with sub-agents expanded',
    },
    { line: 'lode session show 3f2a9c1e --only a1b2c3d --full', does: 'the complete conversation of one sub-agent' },
  ],
  async run(context, { args: [id = ''], options }) {
    const { conversation, flat, full, turns, from, cursor, depth, only } = options
    const isConversation =
      conversation || flat || full || [turns, from, cursor, depth, only].some((given) => given !== undefined)
    await (isConversation ? showConversation(context, id, options) : showOverview(context, id))
    return undefined
  },
})

interface ConversationOptions {
  turns: number | undefined
  from: string | undefined
  cursor: string | undefined
  depth: number | undefined
  only: string | undefined
  flat: boolean
  full: boolean
}

async function showConversation(context: Context, id: string, options: ConversationOptions): Promise<void> {
  const { turns, from, cursor, depth, only, flat, full } = options
  if (flat && only !== undefined) {
    throw new AppError('invalid', 'Use either --flat or --only, not both.')
  }
  if (flat && depth !== undefined) throw new AppError('invalid', '--flat expands every sub-agent. Leave out --depth.')
  const client = await context.client()
  const answer = await client.sessions.conversation(id, {
    limit: turns,
    cursor,
    from: from ?? (cursor === undefined ? 'end' : undefined),
    subagentId: only,
    depth,
    flat: flat || undefined,
    full: full || undefined,
  })
  const { columns } = context.io
  const view = { columns, isFull: full, namesClis: !flat && (await namesClis(context)) }
  context.answer(answer, () => (flat ? flatConversation(answer, columns) : conversationView(answer, view)))
  if (context.globals.isJson) return
  const first = answer.turns[0]?.number ?? 0
  if (answer.turns.length === 0) context.note('no recorded conversation.')
  if (first > 1) context.note(`earlier turns: --from ${Math.max(1, first - (turns ?? DEFAULT_TURNS))}`)
  if (answer.nextCursor !== null) context.note(`there is more: --cursor ${oneLine(answer.nextCursor)}`)
}

async function showOverview(context: Context, id: string): Promise<void> {
  const client = await context.client()
  const detail = await client.sessions.place(id)
  context.answer(detail, () => {
    const view = { now: context.io.now(), columns: context.io.columns }
    const parts = [
      ['attached', attachmentTable(detail.attachments, view)],
      ['sub-agents', subagentTable(detail.subagents, view)],
      ['background work', subagentTable(detail.backgroundTasks, view)],
      ['to-dos', todoTable(detail.todos, true, view)],
    ] as const
    const sections = parts.filter(([, body]) => body !== '').map(([title, body]) => `\n${title}\n${body}`)
    const about = detail.session === null ? '' : sessionFields(detail.session, view.now)
    return about + placeFields(detail, view.now) + sections.join('')
  })
}
