import { DEFAULT_TURNS, MAX_DEPTH, MAX_TURNS } from '../../api/contract/reading-routes'
import { AppError } from '../../domain/errors'
import { defineCommand } from '../command'
import type { Context } from '../context'
import { oneLine } from '../text'
import { flatConversation } from '../views/conversation-flat'
import { conversationView } from '../views/conversation-view'
import { attachmentTable, placeFields } from '../views/registry-views'
import { sessionFields, subagentTable } from '../views/session-views'
import { todoTable } from '../views/todo-views'

export const command = defineCommand({
  summary: 'Show a session with its sub-agents, background tasks and to-dos, or its conversation',
  details: [
    'With --conversation, or any of the options below it: what was said and done, turn by turn, the newest turns unless',
    '--from says otherwise. Sub-agents stand at the call that launched them, with their own tokens and cost; --depth opens',
    "them, --only reads one by itself. '== ... ==' marks compactions, forks and resumes.",
  ].join('\n'),
  args: [{ name: 'ID', help: "the session's id, or a unique beginning of it" }],
  options: {
    conversation: { kind: 'flag', short: 'c', help: 'the conversation instead of the overview' },
    turns: {
      kind: 'number',
      short: 'n',
      value: 'N',
      min: 1,
      max: MAX_TURNS,
      help: `at most N turns (${DEFAULT_TURNS})`,
    },
    from: { kind: 'text', value: 'PLACE', help: "a turn's number, a time, an event's id, start, or end (default)" },
    cursor: { kind: 'text', value: 'CURSOR', help: 'go on after an earlier page: its nextCursor' },
    depth: { kind: 'number', value: 'N', min: 0, max: MAX_DEPTH, help: 'open sub-agents N levels deep (0)' },
    only: { kind: 'text', value: 'SUBAGENT', help: "this sub-agent's own conversation" },
    flat: { kind: 'flag', help: 'one line each, by time, with whose it is' },
    full: { kind: 'flag', help: 'whole texts' },
  },
  examples: [
    { line: 'lode session show 3f2a9c1e', does: 'everything that is known of the session' },
    { line: 'lode session show 3f2a9c1e --json', does: 'the same as {session, subagents, backgroundTasks, todos}' },
    { line: 'lode session show 3f2a9c1e -c', does: 'the last 20 turns of its conversation' },
    { line: 'lode session show 3f2a9c1e -c --from 1 -n 5 --depth 1', does: 'the first 5 turns, sub-agents opened' },
    { line: 'lode session show 3f2a9c1e --only a1b2c3d --full', does: 'all that one sub-agent said and did' },
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
    throw new AppError('invalid', '--flat shows all agents and --only one: give one of them.')
  }
  if (flat && depth !== undefined) throw new AppError('invalid', '--flat opens every sub-agent: leave out --depth.')
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
  context.answer(answer, () =>
    flat ? flatConversation(answer, columns) : conversationView(answer, { columns, isFull: full }),
  )
  if (context.globals.isJson) return
  const first = answer.turns[0]?.number ?? 0
  if (answer.turns.length === 0) context.note('no conversation is recorded.')
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
      ['background tasks', subagentTable(detail.backgroundTasks, view)],
      ['to-dos', todoTable(detail.todos, true, view)],
    ] as const
    const sections = parts.filter(([, body]) => body !== '').map(([title, body]) => `\n${title}\n${body}`)
    const about = detail.session === null ? '' : sessionFields(detail.session, view.now)
    return about + placeFields(detail, view.now) + sections.join('')
  })
}
