import { AppError } from '../../../domain/errors'
import { quote } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import type { Context } from '../../kit/context'
import { plural } from '../../print/measures'
import { oneLine } from '../../print/text'
import { checkedSession, surelyCalling } from '../../sessions/calling-session'
import { openTodos, TODO_SCOPE } from '../../todos/todo-call'
import { keepTodosInFile } from '../../todos/todos-in-file'

/** Bytes of a payload; the CLI's own are far smaller. */
const PAYLOAD_BYTES = 32_000_000

/** Tools that change or show a list of to-dos; all others are none of this command's business. */
const TODO_TOOL = /^(?:TodoWrite|TaskCreate|TaskUpdate|TaskList|TaskGet|mcp__.+__update-todos)$/s

export const command = defineCommand({
  summary: "Record an agent's to-dos from a hook payload on stdin",
  details: [
    'Reads the JSON payload of a PostToolUse hook: {session_id, tool_name, tool_input}. The to-dos are recorded when the command',
    'returns, with or without a server. Payloads of other tools are silently ignored.',
  ].join('\n'),
  options: {
    session: {
      kind: 'text',
      short: 's',
      value: 'ID',
      complete: 'session',
      help: "the list's session (default: the payload's session_id)",
    },
    issue: { kind: 'text', short: 'i', value: 'ID', complete: 'issue', help: 'also link the session to this issue' },
    dir: TODO_SCOPE.dir,
    actor: TODO_SCOPE.actor,
  },
  examples: [
    { line: 'lode todo sync', does: 'use as a hook; prints the session and the number of synced to-dos' },
    {
      line: 'lode todo sync --session 3f2a9c1e --json',
      does: 'print JSON: {sessionId, syncedCount, leftOutCount, changed}',
    },
  ],
  async run(context, { options }) {
    const payload = payloadOf(await context.io.readInput(PAYLOAD_BYTES))
    const { tool_name: tool } = payload
    if (typeof tool === 'string' && !TODO_TOOL.test(tool)) return
    if (tool === undefined || typeof tool !== 'string')
      throw new AppError('invalid', 'The payload has no tool_name.', { hint: SHAPE })
    const session = await sessionOf(context, options.session, payload.session_id)
    if (!context.config().todos.enabled) {
      context.note('to-dos are switched off (todos.enabled is false); nothing was recorded.')
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
  'Pass a hook payload: {"session_id": "...", "tool_name": "TodoWrite", "tool_input": {"todos": [{"content": "...", "status": "pending"}]}}'

/** @throws `invalid` */
function payloadOf(text: string): Record<string, unknown> {
  if (text.trim() === '') throw new AppError('invalid', 'Stdin is empty.', { hint: SHAPE })
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new AppError('invalid', `Stdin is not valid JSON: ${(error as Error).message}`, { hint: SHAPE })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new AppError('invalid', 'Stdin is not a JSON object.', { hint: SHAPE })
}

/** Never the session that merely lives in this folder: a payload without an id says nothing of it. */
async function sessionOf(context: Context, named: string | undefined, given: unknown): Promise<string> {
  if (named !== undefined && named !== '') return checkedSession(named)
  if (typeof given === 'string' && given !== '') return checkedSession(given)
  if (given !== undefined && given !== '' && given !== null)
    throw new AppError('invalid', `session_id is not a string: ${quote(JSON.stringify(given))}.`, { hint: SHAPE })
  const calling = await surelyCalling(context, undefined)
  if (calling !== null) return calling.id
  throw new AppError('invalid', 'The payload has no session_id.', {
    hint: "Name the session with --session ID; 'lode session list' shows the IDs.",
  })
}
