import { type Client, mergeChanges } from '../../../api/client'
import type { Answers } from '../../../api/contract/operations'
import { AppError } from '../../../domain/errors'
import { AGENT_CLI, checkAgentCli } from '../../kit/arguments/agent-cli'
import { listRows, PAGING } from '../../kit/arguments/paging'
import { usageError } from '../../kit/arguments/parse-args'
import type { OptionValues } from '../../kit/arguments/specs'
import { defineCommand } from '../../kit/command'
import type { Context } from '../../kit/context'
import { json } from '../../print/print'
import { oneLine } from '../../print/text'
import { callingSession } from '../../sessions/calling-session'
import { openTodos, TODO_SCOPE } from '../../todos/todo-call'
import { LEGEND, type SessionTodos, sessionTodosView } from '../../views/todo-list-view'

const OPTIONS = {
  session: TODO_SCOPE.session,
  issue: {
    kind: 'text',
    short: 'i',
    value: 'ID',
    complete: 'issue',
    help: 'to-dos of all sessions linked to this issue',
  },
  agent: AGENT_CLI,
  active: { kind: 'flag', help: 'to-dos of all sessions that have not ended' },
  subagent: {
    kind: 'text',
    value: 'ID',
    complete: 'subagent',
    help: "only to-dos of this sub-agent; 'null' = the main thread",
  },
  removed: { kind: 'flag', help: 'include to-dos that were removed from their list' },
  follow: { kind: 'flag', short: 'f', help: 'redraw on every change until Ctrl-C; needs a server' },
  dir: TODO_SCOPE.dir,
  ...PAGING,
} as const
type Options = OptionValues<typeof OPTIONS>
type Where = { dir?: string }

export const command = defineCommand({
  summary: "List agents' to-dos with the issues they belong to",
  details: [
    'Without --session, --issue and --active: the to-dos of the calling session, else of all sessions that have not ended. --all',
    'alone: the to-dos of every session. --agent without --all: those of all sessions of an agent CLI that have not ended.',
  ].join('\n'),
  options: OPTIONS,
  examples: [
    { line: 'lode todo list', does: "this session's to-dos and issue" },
    { line: 'lode todo list --issue ld-3k9q', does: 'the to-dos of every session linked to an issue' },
    { line: 'lode todo list --active --follow', does: 'all to-dos of live sessions, updated live' },
    { line: 'lode todo list --session 3f2a9c1e --json', does: 'print JSON: {lists, todos, nextCursor}' },
  ],
  async run(context, { options }) {
    const { session, issue, active } = options
    if ([session !== undefined, issue !== undefined, active].filter(Boolean).length > 1)
      throw usageError(context.path)('Use only one of --session, --issue and --active.')
    if (session !== undefined && options.agent !== undefined)
      throw usageError(context.path)('Use only one of --session and --agent.')
    const { client, where } = await openTodos(context, options)
    const wish = await wishOf(context, options)
    const read = () => listsOf(client, wish, where, options)
    if (options.follow) return follow(context, client, wish, read)
    const found = await read()
    const answer = { lists: found.rows, todos: itemsOf(found.rows), nextCursor: found.nextCursor }
    context.answer(answer, () => listsText(context, found.rows))
    if (context.globals.isJson) return undefined
    if (!found.rows.some(saysSomething)) context.note('no to-dos.')
    if (found.nextCursor !== null)
      context.note(`there are more sessions; use --all, or --cursor ${oneLine(found.nextCursor)}`)
    return undefined
  },
})

/** Which lists are meant. `active` undefined: whether a session is over does not matter. */
interface Wish {
  session?: string
  issue?: string
  active?: boolean
  agent?: string
}

async function wishOf(context: Context, { session, issue, active, all, agent: given }: Options): Promise<Wish> {
  const agent = await checkAgentCli(await context.client(), given)
  const ofCli = agent === undefined ? {} : { agent }
  if (issue !== undefined) return { issue, ...ofCli }
  if (active) return { active, ...ofCli }
  if (all && session === undefined) return ofCli
  if (agent !== undefined) return { active: true, agent }
  const calling = await callingSession(context, session)
  return calling === null ? { active: true } : { session: calling.id }
}

async function listsOf(client: Client, { session, ...wish }: Wish, where: Where, options: Options) {
  if (session !== undefined) {
    const list = await client.todos.ofSession(session, where)
    const todos = options.removed ? await withRemoved(client, list.sessionId) : list.todos
    return { rows: [only({ ...list, todos }, options)], nextCursor: null }
  }
  const page = await listRows(options, async (paging) => {
    const { lists, nextCursor } = await client.todos.lists({
      ...paging,
      ...wish,
      // A folder says which tracker an issue is of; alone it would leave out the sessions of other projects.
      ...(wish.issue !== undefined || options.dir !== undefined ? where : {}),
      ...(options.removed && { includeRemoved: true }),
    })
    return { rows: lists, nextCursor }
  })
  return { rows: page.rows.map((list) => only(list, options)), nextCursor: page.nextCursor }
}

async function withRemoved(client: Client, session: string): Promise<Answers['todos']['list']['todos']> {
  const { rows } = await listRows({ all: true, limit: 0, cursor: undefined }, async (paging) => {
    const { todos, nextCursor } = await client.todos.list({ ...paging, sessionId: session, includeRemoved: true })
    return { rows: todos, nextCursor }
  })
  return rows
}

function only(list: SessionTodos, { subagent }: Options): SessionTodos {
  if (subagent === undefined) return list
  const wanted = subagent === 'null' ? null : subagent
  return { ...list, todos: list.todos.filter(({ subagentId }) => subagentId === wanted) }
}

/** Each once, where sessions share a list. */
function itemsOf(lists: readonly SessionTodos[]): SessionTodos['todos'] {
  return [...new Map(lists.flatMap(({ todos }) => todos).map((todo) => [todo.id, todo])).values()]
}

function listsText({ io }: Context, lists: readonly SessionTodos[]): string {
  const view = { now: io.now(), columns: io.columns }
  const shown = lists.filter(saysSomething)
  if (shown.length === 0) return ''
  const legend = shown.some(({ todos }) => todos.length > 0) ? `\n${LEGEND}\n` : ''
  return `${shown.map((list) => sessionTodosView(list, view)).join('\n')}${legend}`
}

/** A session without to-dos and without a word about issues would be a heading over nothing. */
const saysSomething = ({ todos, issues, suggestion, leftOutCount }: SessionTodos): boolean =>
  todos.length + issues.length + leftOutCount > 0 || suggestion !== null

/** Shows the lists again when the feed reports a change in them. */
async function follow(
  context: Context,
  client: Client,
  wish: Wish,
  read: () => Promise<{ rows: SessionTodos[] }>,
): Promise<undefined> {
  const { io, globals, signal } = context
  const { url } = await context.connection()
  if (url === null)
    throw new AppError('unavailable', 'No server is running here, so there are no changes to follow.', {
      hint: "Start one with 'lode up'. Without --follow, this command prints the current to-dos.",
    })
  const { feedHead } = await client.status()
  let last = ''
  const show = async () => {
    const { rows } = await read()
    const state = JSON.stringify(rows)
    if (state === last) return
    last = state
    if (globals.isJson) io.out(json({ lists: rows, todos: itemsOf(rows), nextCursor: null }, false))
    // The screen is cleared where a person looks; what is kept in a file goes on below.
    else io.out(`${io.isTerminal ? '\u001b[H\u001b[2J' : ''}${listsText(context, rows) || 'no to-dos.\n'}\n`)
  }
  await show()
  const reading = new AbortController()
  const sessionId = wish.session === undefined ? undefined : (await client.todos.ofSession(wish.session)).sessionId
  const entries = client.feed.follow(
    { after: feedHead, ...(sessionId !== undefined && { sessionId }), kinds: ['todo.updated', 'session.updated'] },
    {
      signal: AbortSignal.any([signal, reading.signal]),
      onRetry: (error, waitMs) => context.note(`${error.message}; trying again in ${Math.ceil(waitMs / 1_000)} s`),
    },
  )
  try {
    for await (const _ of mergeChanges(entries, context.config().todos.debounceMs)) await show()
  } finally {
    reading.abort()
  }
  return undefined
}
