import { AppError } from '../../domain/errors'
import type { IdKind } from '../../domain/id-kind'
import { issueId, type SessionId, sessionId } from '../../domain/ids'
import type { Caller } from '../../domain/worker-protocol'
import { MIN_ID_PREFIX, ROUTES, type Route, type RouteName } from '../contract/routes'
import type { Context } from './context'
import { filterAddress } from './find-address'
import { catchUp, noSession } from './find-session'
import { noTask } from './find-task'
import { ownSession } from './find-todos'
import type { Call } from './handler'

type Part = Record<string, unknown>
type FieldKind = IdKind | 'issue' | 'address'

/** What `:id` is of, by the noun that stands before it in a path. Issues are looked up by the engine, within their tracker. */
const BY_NOUN: Readonly<Record<string, FieldKind>> = {
  sessions: 'session',
  subagents: 'subagent',
  'tool-uses': 'toolUse',
  todos: 'todo',
  tasks: 'task',
  questions: 'question',
  plans: 'plan',
  agents: 'agent',
  messages: 'message',
  inbox: 'inbox',
  epics: 'issue',
}

/** The same of fields, which have one meaning in every request. */
const BY_FIELD: Readonly<Record<string, FieldKind>> = {
  sessionId: 'session',
  activeSession: 'session',
  activeTaskSession: 'session',
  forkedFrom: 'session',
  other: 'session',
  subagentId: 'subagent',
  eventId: 'event',
  around: 'event',
  toolUseId: 'toolUse',
  parentToolUseId: 'toolUse',
  todoIds: 'todo',
  taskId: 'task',
  parentTaskId: 'task',
  dependsOn: 'task',
  agentId: 'agent',
  offeredTo: 'agent',
  replyTo: 'message',
}

/** Fields that mean an id in some requests alone. */
const BY_ROUTE: Partial<Record<RouteName, Readonly<Record<string, FieldKind>>>> = {
  'tasks.create': { issueId: 'issue', epicId: 'issue' },
  'tasks.patch': { issueId: 'issue', epicId: 'issue' },
  'tasks.list': { issueId: 'issue', epicId: 'issue' },
  'epics.createTask': { issueId: 'issue', epicId: 'issue' },
  'tasks.await': { ids: 'task' },
  'messages.send': { to: 'address' },
  'inbox.putSource': { lead: 'address' },
}

/** Nothing is looked up: they are of programs that have whole ids, some of which nobody knows yet, or say why. */
const AS_THEY_ARE: ReadonlySet<RouteName> = new Set<RouteName>([
  'sessions.put',
  // Nothing comes back from it: its handler wants the whole id.
  'sessions.forget',
  'sessions.syncTodos',
  'sessions.launchCheck',
  'agents.poll',
  // Makes the agent of that name.
  'agents.describe',
  'tasks.costs',
  'hooks.claudeCode',
])

/** What may name a client's conversation that nobody has heard of yet: only what can be the beginning of a uuid is looked for. */
const OPEN_TO_NEW: ReadonlySet<RouteName> = new Set<RouteName>([
  'tasks.create',
  'epics.createTask',
  'plans.create',
  'recall',
  'tasks.list',
  'messages.send',
  'tasks.await',
  'inbox.delegate',
  'todos.promote',
])
const isOpenToNew = (name: RouteName) => OPEN_TO_NEW.has(name) || name.startsWith('issues.')

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const OF_UUID = /^[0-9a-f-]{1,35}$/i
const PUBLIC = (letter: string) => new RegExp(`^${letter}-[0-9a-z]{8,}$`)
/** Forms of whole ids: there the look-up is left to whoever uses it. Other kinds have none. */
const WHOLE: Partial<Record<IdKind, RegExp>> = {
  session: UUID,
  event: UUID,
  toolUse: /^toolu_[0-9a-z]{16,}$/i,
  message: UUID,
  task: PUBLIC('t'),
  question: PUBLIC('q'),
  plan: PUBLIC('p'),
  agent: PUBLIC('a'),
  inbox: PUBLIC('i'),
}
/** What stands before ids of a kind, and may be left out. */
const LETTER: Partial<Record<IdKind, string>> = { task: 't-', question: 'q-', plan: 'p-', inbox: 'i-' }

/** What errors call a thing, and where a person sees which there are. */
const NOUN: Readonly<Record<FieldKind, { one: string; list: string }>> = {
  session: { one: 'session', list: '`lode session list` shows what there is' },
  subagent: {
    one: 'sub-agent',
    list: '`lode subagent list --session ID` lists all of a session, `lode recover` what runs or is unread',
  },
  event: { one: 'event', list: '`lode event list --session ID` lists them' },
  toolUse: { one: 'tool use', list: '`lode event list --session ID --type tool_call` lists them' },
  todo: { one: 'to-do', list: '`lode todo list --json` shows what there is' },
  task: { one: 'task', list: '`lode task list` shows what there is' },
  question: { one: 'question', list: '`lode question list` shows what is open' },
  plan: { one: 'plan', list: 'its tasks name it: see `lode task show ID`' },
  agent: { one: 'agent', list: '`lode agent list` shows who is there' },
  message: { one: 'message', list: '`lode message list` shows what there is' },
  inbox: { one: 'inbox message', list: '`lode inbox list` shows what there is' },
  issue: { one: 'issue', list: '`lode issue list --all` shows what there is' },
  address: { one: 'address', list: '`lode task list`, `lode session list` and `lode agent list` show who is there' },
}

/** Whether nothing in this request is looked up. */
export const isAsItIs = (name: RouteName): boolean => AS_THEY_ARE.has(name) || name.startsWith('attempts.')

/** What a field of a request is the id of; `undefined` = of nothing that is looked up here. */
export function kindOfField(name: RouteName, field: string, isPath: boolean): FieldKind | undefined {
  const own = BY_ROUTE[name]?.[field]
  return own ?? (isPath && field === 'id' ? nounOf(name) : BY_FIELD[field])
}

function nounOf(name: RouteName): FieldKind | undefined {
  const { path }: Route = ROUTES[name]
  return BY_NOUN[/^\/api\/([^/]+)\/:id/.exec(path)?.[1] ?? '']
}

/**
 * Turns what a caller typed of ids into whole ids, for every request in one place: a handler sees, and the record keeps, whole ids alone.
 * A whole id passes as it is, known or not. Of a beginning there must be exactly one thing.
 *
 * @throws `not_found` nothing begins so · `conflict` several things do (`details.candidates`)
 */
export async function resolveIds(name: RouteName, call: Call<RouteName>, context: Context): Promise<Call<RouteName>> {
  if (isAsItIs(name)) return call
  const noun = nounOf(name)
  // The session first: what belongs to one is looked for there.
  const changed = { params: copyOf(call.params), query: copyOf(call.query), body: copyOf(call.body) }
  const found = Object.entries(changed).flatMap(([part, bag]) =>
    Object.keys(bag).flatMap((field): [Part, string, FieldKind][] => {
      const kind = kindOfField(name, field, part === 'params')
      return kind === undefined || bag[field] == null ? [] : [[bag, field, kind]]
    }),
  )
  if (found.length === 0) return call
  found.sort(([, , a], [, , b]) => Number(b === 'session') - Number(a === 'session'))
  const look = createLook(name, call.caller, context)
  for (const [bag, field, kind] of found) {
    const within = noun === 'session' ? changed.params.id : (changed.query.sessionId ?? changed.body.sessionId)
    const value = bag[field]
    if (typeof value === 'string') bag[field] = await look(kind, value, within)
    else if (Array.isArray(value)) {
      const whole: unknown[] = []
      for (const one of value) whole.push(typeof one === 'string' ? await look(kind, one, within) : one)
      bag[field] = whole
    }
  }
  const body = call.body === undefined ? undefined : changed.body
  // The schemas' own types: nothing but texts became other texts.
  return { ...call, ...changed, body } as Call<RouteName>
}

const copyOf = (part: unknown): Part => (typeof part === 'object' && part !== null ? { ...part } : {})

function createLook(name: RouteName, caller: Caller, context: Context) {
  const { store } = context

  return async (kind: FieldKind, typed: string, within: unknown): Promise<string> => {
    // What a table cut off is taken with its dots.
    const given = typed.replace(/(?:\.{3}|…)$/, '') || typed
    if (kind === 'address') return await wholeAddress(given)
    if (kind === 'issue') return await wholeIssue(given)
    if (kind === 'session') return await wholeSession(given)
    if (WHOLE[kind]?.test(given)) return given
    if (kind === 'agent') return await wholeAgent(given)
    return await wholeId(kind, given, typeof within === 'string' ? sessionId(within) : null)
  }

  async function wholeId(kind: IdKind, given: string, named: SessionId | null): Promise<string> {
    const within =
      named ?? (caller.kind === 'attempt' && kind === 'subagent' ? await ownSession(caller, context) : null)
    if (kind === 'subagent' || kind === 'event' || kind === 'toolUse') await catchUp(within, context)
    const letter = LETTER[kind]
    const text = given.toLowerCase()
    const searched = letter === undefined ? given : text.startsWith(letter) ? text : letter + text
    const ids = await store.ids.beginning(kind, kind === 'message' ? text : searched, within)
    const [id] = ids
    const isShort = given.length < MIN_ID_PREFIX
    if (id !== undefined && (id === searched || (ids.length === 1 && !isShort))) return id
    if (id !== undefined && !isShort) throw ambiguous(NOUN[kind].one, given, ids)
    if (kind === 'task') throw await noTask(given, context)
    const { one, list } = NOUN[kind]
    throw new AppError('not_found', `no ${one} ${given} is recorded${within === null ? '' : ` in ${within}`}`, {
      hint: isShort ? `give at least ${MIN_ID_PREFIX} characters of the id; ${list}` : list,
    })
  }

  function ambiguous(one: string, given: string, ids: readonly string[]): AppError {
    const message = `${ids.length >= MOST ? `${MOST} or more` : ids.length} ${one}s begin with ${given}`
    // A run is told nothing of what else there is.
    if (caller.kind === 'attempt') return new AppError('conflict', message, { hint: 'give the whole id' })
    const shown = ids.slice(0, 5).join(', ')
    return new AppError('conflict', message, {
      hint: `give more of the id: ${shown}${ids.length > 5 ? ', …' : ''}`,
      details: { candidates: ids },
    })
  }

  async function wholeSession(given: string): Promise<string> {
    if (UUID.test(given)) return given
    if (isOpenToNew(name) && !OF_UUID.test(given)) return given
    await catchUp(null, context)
    const ids = await store.ids.beginning('session', given, null)
    if (ids.includes(given)) return given
    const [id] = ids
    if (id === undefined || given.length < MIN_ID_PREFIX) {
      // Other receivers have addresses too, and their handlers know them; they know what to say of a name, too.
      if (!OF_UUID.test(given) || (await store.messages.isKnown(await store.messages.addressOf(given)))) return given
      throw await noSession(given, context)
    }
    if (ids.length === 1) return id
    throw ambiguous('session', given, ids)
  }

  /** An agent goes by its name as well. Who is not there is told with the names of those who are. */
  async function wholeAgent(given: string): Promise<string> {
    if (given.length < MIN_ID_PREFIX || !/^(?:a-)?[0-9a-z]+$/.test(given)) return given
    if ((await store.tasks.findAgent(given)) !== undefined) return given
    const ids = await store.ids.beginning('agent', given.startsWith('a-') ? given : `a-${given}`, null)
    if (ids.length > 1) throw ambiguous('agent', given, ids)
    return ids[0] ?? given
  }

  /** An id, the part after its prefix, or a beginning. Several trackers may have it: which is meant, is not decided here. */
  async function wholeIssue(given: string): Promise<string> {
    if ((await store.tasks.findIssue(issueId(given))) !== undefined) return given
    const ids = [...new Set<string>(await store.issues.match(null, given))]
    if (ids.length > 1) throw ambiguous('issue', given, ids)
    return ids[0] ?? given
  }

  async function wholeAddress(given: string): Promise<string> {
    if (given === 'parent' || /\s/.test(given)) return given
    return await filterAddress(given, context)
  }
}

/** Ids that are looked for at most. */
const MOST = 20
