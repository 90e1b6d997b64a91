import { AppError } from '../../domain/errors'
import { checkedSession, surelyCalling } from '../calling-session'
import { defineCommand } from '../command'
import type { Context } from '../context'
import { plural } from '../measures'
import { quote } from '../parse-args'
import { oneLine } from '../text'
import { openTodos, TODO_SCOPE } from '../todo-call'
import { keepTodosInFile } from '../todos-in-file'

/** Bytes of a payload; the CLI's own are far smaller. */
const PAYLOAD_BYTES = 32_000_000

/** Tools that change or show a list of to-dos; all others are none of this command's business. */
const TODO_TOOL = /^(?:TodoWrite|TaskCreate|TaskUpdate|TaskList|TaskGet|mcp__.+__update-todos)$/s

export const command = defineCommand({
  summary: "Take in an agent's to-dos from a hook payload on stdin",
  details: [
    'What a PostToolUse hook gets, as JSON: {session_id, tool_name, tool_input}. It is recorded when the command ends, with a',
    'server and without one. Payloads of other tools are left alone without a word.',
  ].join('\n'),
  options: {
    session: { kind: 'text', short: 's', value: 'ID', help: 'whose list it is (default: as the payload says)' },
    issue: { kind: 'text', short: 'i', value: 'ID', help: 'link the session to this issue, too' },
    dir: TODO_SCOPE.dir,
    actor: TODO_SCOPE.actor,
  },
  examples: [
    { line: 'lode todo sync', does: 'as a hook: prints how many were synced, for which session' },
    { line: 'lode todo sync --session 3f2a9c1e --json', does: 'as {sessionId, syncedCount, leftOutCount, changed}' },
  ],
  async run(context, { options }) {
    const payload = payloadOf(await context.io.readInput(PAYLOAD_BYTES))
    const { tool_name: tool } = payload
    if (typeof tool === 'string' && !TODO_TOOL.test(tool)) return
    if (tool === undefined || typeof tool !== 'string')
      throw new AppError('invalid', 'The payload names no tool.', { hint: SHAPE })
    const session = await sessionOf(context, options.session, payload.session_id)
    if (!context.config().todos.enabled) {
      context.note('to-dos are switched off (todos.enabled is false): nothing was taken in.')
      return
    }
    const { client, scope } = await openTodos(context, options)
    const bytes = new TextEncoder().encode(JSON.stringify({ ...payload, session_id: session }))
    const synced = await client.todos.sync(session, bytes)
    if (options.issue !== undefined) await client.links.link(session, options.issue, scope)
    await keepTodosInFile(context, options, session)
    context.answer(synced, () =>
      oneLine(`Synced ${plural(synced.syncedCount, 'task')} for session ${synced.sessionId}`).concat('\n'),
    )
  },
})

const SHAPE =
  'Give what a hook gets: {"session_id": "...", "tool_name": "TodoWrite", "tool_input": {"todos": [{"content": "...", "status": "pending"}]}}'

/** @throws `invalid` */
function payloadOf(text: string): Record<string, unknown> {
  if (text.trim() === '') throw new AppError('invalid', 'Nothing stands on stdin.', { hint: SHAPE })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new AppError('invalid', `What stands on stdin is no JSON: ${(error as Error).message}`, { hint: SHAPE })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new AppError('invalid', 'What stands on stdin is no JSON object.', { hint: SHAPE })
}

/** Never the session that merely lives in this folder: a payload without an id says nothing of it. */
async function sessionOf(context: Context, named: string | undefined, given: unknown): Promise<string> {
  if (named !== undefined && named !== '') return checkedSession(named)
  if (typeof given === 'string' && given !== '') return checkedSession(given)
  if (given !== undefined && given !== '' && given !== null)
    throw new AppError('invalid', `session_id is no text: ${quote(JSON.stringify(given))}.`, { hint: SHAPE })
  const calling = await surelyCalling(context, undefined)
  if (calling !== null) return calling.id
  throw new AppError('invalid', 'The payload has no session_id.', {
    hint: "Name the session with --session ID; 'lode session list' shows them.",
  })
}
