import { AppError } from '../../../domain/errors'
import type { IdKind } from '../../../domain/id-kind'
import { issueId, type SessionId, sessionId, UUID } from '../../../domain/ids'
import type { Caller } from '../../../domain/task/worker-protocol'
import type { IdFieldKind, Operation } from '../../contract/operation'
import { MIN_ID_PREFIX } from '../../contract/protocol'
import type { Context } from '../context'
import type { Call } from '../handler'
import { filterAddress } from './find-address'
import { catchUp, noSession } from './find-session'
import { noTask } from './find-task'
import { ownSession } from './find-todos'

type Part = Record<string, unknown>

/** What `:id` is of, by the noun that stands before it in a path. Issues are looked up by the engine, within their tracker. */
const BY_NOUN: Readonly<Record<string, IdFieldKind>> = {
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
  tokens: 'token',
  shares: 'token',
  epics: 'issue',
}

/** The same of fields, which have one meaning in every request. */
const BY_FIELD: Readonly<Record<string, IdFieldKind>> = {
  sessionId: 'session',
  activeSession: 'session',
  activeTaskSession: 'session',
  forkedFrom: 'session',
  other: 'session',
  besideId: 'session',
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

const OF_UUID = /^[0-9a-f-]{1,35}$/i
const PUBLIC = (letter: string) => new RegExp(`^${letter}-[0-9a-z]{8,}$`)
/** Forms of full ids, which the handler looks up itself. Other kinds have none. */
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
  token: PUBLIC('k'),
}
/** What stands before ids of a kind, and may be left out. */
const LETTER: Partial<Record<IdKind, string>> = { task: 't-', question: 'q-', plan: 'p-', inbox: 'i-', token: 'k-' }

/** What errors call a thing, and where a person sees which there are. */
const NOUN: Readonly<Record<IdFieldKind, { one: string; list: string }>> = {
  session: { one: 'session', list: 'Run `lode session list` to see all sessions.' },
  subagent: {
    one: 'sub-agent',
    list: 'Run `lode subagent list --session ID` to see all of a session, or `lode recover` to see running and unread work.',
  },
  event: { one: 'event', list: 'Run `lode event list --session ID` to see all events.' },
  toolUse: { one: 'tool use', list: 'Run `lode event list --session ID --type tool_call` to see all tool uses.' },
  todo: { one: 'to-do', list: 'Run `lode todo list --json` to see all to-dos.' },
  task: { one: 'task', list: 'Run `lode task list` to see all tasks.' },
  question: { one: 'question', list: 'Run `lode question list` to see the open questions.' },
  plan: { one: 'plan', list: 'Run `lode task show ID` for one of its tasks to see the ID of the plan.' },
  agent: { one: 'agent', list: 'Run `lode agent list` to see all agents.' },
  message: { one: 'message', list: 'Run `lode message list` to see all messages.' },
  inbox: { one: 'inbox message', list: 'Run `lode inbox list` to see all inbox messages.' },
  token: { one: 'token', list: 'Run `lode token list` to see all tokens.' },
  issue: { one: 'issue', list: 'Run `lode issue list --all` to see all issues.' },
  address: {
    one: 'address',
    list: 'Run `lode task list`, `lode session list` or `lode agent list` to see all addresses.',
  },
}

/** What a field of a request is the id of; `undefined` = of nothing that is looked up here. */
export function kindOfField(operation: Operation, field: string, isPath: boolean): IdFieldKind | undefined {
  if (operation.ids === 'as given') return undefined
  const own = operation.ids?.[field]
  return own ?? (isPath && field === 'id' ? nounOf(operation) : BY_FIELD[field])
}

const nounOf = ({ path }: Operation): IdFieldKind | undefined => BY_NOUN[/^\/api\/([^/]+)\/:id/.exec(path)?.[1] ?? '']

/**
 * Turns the ids that a caller typed into whole ids, for every request in one place: a handler sees, and the record keeps, whole ids alone.
 * A whole id passes as it is, known or not. A beginning must have exactly one match.
 *
 * @throws `not_found` nothing begins so · `conflict` several things do (`details.candidates`)
 */
export async function resolveIds(operation: Operation, call: Call, context: Context): Promise<Call> {
  if (operation.ids === 'as given') return call
  const noun = nounOf(operation)
  // The session first: what belongs to one is looked for there.
  const changed = { params: copyOf(call.params), query: copyOf(call.query), body: copyOf(call.body) }
  const found = Object.entries(changed).flatMap(([part, bag]) =>
    Object.keys(bag).flatMap((field): [Part, string, IdFieldKind][] => {
      const kind = kindOfField(operation, field, part === 'params')
      return kind === undefined || bag[field] == null ? [] : [[bag, field, kind]]
    }),
  )
  if (found.length === 0) return call
  found.sort(([, , a], [, , b]) => Number(b === 'session') - Number(a === 'session'))
  const lookup = createLookup(operation, call.caller, context)
  for (const [bag, field, kind] of found) {
    const within = noun === 'session' ? changed.params.id : (changed.query.sessionId ?? changed.body.sessionId)
    const value = bag[field]
    if (typeof value === 'string') bag[field] = await lookup(kind, value, within)
    else if (Array.isArray(value)) {
      const whole: unknown[] = []
      for (const one of value) whole.push(typeof one === 'string' ? await lookup(kind, one, within) : one)
      bag[field] = whole
    }
  }
  const body = call.body === undefined ? undefined : changed.body
  // The schemas' own types: nothing but texts became other texts.
  return { ...call, ...changed, body } as Call
}

const copyOf = (part: unknown): Part => (typeof part === 'object' && part !== null ? { ...part } : {})

function createLookup({ mayNameNewSession }: Operation, caller: Caller, context: Context) {
  const { store } = context

  return async (kind: IdFieldKind, typed: string, within: unknown): Promise<string> => {
    // What a table cut off is taken with its dots.
    const given = typed.replace(/(?:\.{3}|…)$/, '') || typed
    if (kind === 'address') return await wholeAddress(given)
    if (kind === 'issue') return await wholeIssue(given)
    if (kind === 'session') return await wholeSession(given)
    if (WHOLE[kind]?.test(given)) return given
    // No beginning of a task's ID looks like this: a task of another queue may be named as a parent.
    if (kind === 'task' && UUID.test(given)) return given
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
    throw new AppError('not_found', `No ${one} ${given} is recorded${within === null ? '' : ` in ${within}`}.`, {
      hint: isShort ? `Give at least ${MIN_ID_PREFIX} characters of the ID. ${list}` : list,
    })
  }

  function ambiguous(one: string, given: string, ids: readonly string[]): AppError {
    const message = `${ids.length >= MAX_CANDIDATES ? `${MAX_CANDIDATES} or more` : ids.length} ${one}s begin with ${given}.`
    // A run learns nothing about other things.
    if (caller.kind === 'attempt') return new AppError('conflict', message, { hint: 'Give the full ID.' })
    const shown = ids.slice(0, 5).join(', ')
    return new AppError('conflict', message, {
      hint: `Give more of the ID: ${shown}${ids.length > 5 ? ', …' : ''}.`,
      details: { candidates: ids },
    })
  }

  async function wholeSession(given: string): Promise<string> {
    if (UUID.test(given)) return given
    // Only what can be the beginning of a uuid is looked for.
    if (mayNameNewSession && !OF_UUID.test(given)) return given
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

  /** An agent goes by its name as well. An error about an unknown agent lists the known names. */
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
    // Whoever is given an address knows what it is an alias of.
    if (WHOLE.task?.test(given)) return given
    return await filterAddress(given, context)
  }
}

/** Ids that are looked for at most. */
const MAX_CANDIDATES = 20
