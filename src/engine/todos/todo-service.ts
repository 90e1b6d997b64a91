import { OWN_SESSION } from '../../domain/access/rules'
import { AppError } from '../../domain/errors'
import type { IssueId, SessionId, TodoId } from '../../domain/ids'
import { ISSUE_LINK_SOURCES, type IssueLinkSource } from '../../domain/session/session-issue'
import type { Store } from '../../domain/store'
import type { Caller } from '../../domain/task/worker-protocol'
import { DAY_MS } from '../../domain/time-units'
import type { Todo } from '../../domain/todo/todo-item'
import { requireAccess } from '../access/require-access'
import type { IssueScope } from '../issues/issue-inputs'
import { recordChange } from '../issues/issue-unit'
import type { TrackerUnits } from '../issues/trackers/tracker-units'
import { promoteTodo } from './promote-todo'
import { settlePromotions } from './settle-promotions'
import { tellSession } from './tell-session'
import type { Linked, Promoted } from './todo-inputs'

export interface TodoServiceOptions {
  store: Store
  /** Shared with the use cases of issues: writers of one file take turns. */
  units: TrackerUnits
  /** What links a session to an issue by itself; default all. */
  linkFrom?: readonly IssueLinkSource[]
  /** Whether a completed to-do closes the issue that was made of it; default true. */
  closesPromoted?: boolean
}

/** Sessions whose to-dos one unit removes. */
const DROPPED_AT_ONCE = 50

/** The use cases of to-dos and links over a store and the trackers of this machine. */
export function createTodoService(options: TodoServiceOptions): TodoService {
  return new TodoUseCases(options)
}

class TodoUseCases {
  private readonly store: Store
  private readonly units: TrackerUnits
  private readonly linkFrom: readonly IssueLinkSource[]
  private readonly closesPromoted: boolean

  constructor({ store, units, linkFrom = ISSUE_LINK_SOURCES, closesPromoted = true }: TodoServiceOptions) {
    this.store = store
    this.units = units
    this.linkFrom = linkFrom
    this.closesPromoted = closesPromoted
  }

  /** Links a session to an issue. Linking again changes nothing. @throws `not_found` no such issue; a session that was never recorded may be linked */
  async link(caller: Caller, scope: IssueScope, session: SessionId, ref: string): Promise<Linked> {
    await mayTouch(this.store, caller, session)
    let isNew = false
    const { tracker, ids, notices } = await this.units.changeOne(
      caller,
      { ...scope, sessionId: session },
      ref,
      async (unit, issue, before) => {
        const { todos } = unit.tx
        isNew = !before.some((link) => link.tracker === unit.key && link.issueId === issue.id)
        const choices = await todos.choices(session)
        const said = choices.find((choice) => choice.tracker === unit.key && choice.issueId === issue.id)
        if (said?.isLinked === true) return undefined
        await todos.putChoice(session, issue.key, { isLinked: true, by: unit.actor, at: unit.now })
        await recordChange(unit, issue, 'session_linked', { new: { sessionId: session } })
        await tellSession(unit.tx, session, { what: 'linked', issueId: issue.id })
        return undefined
      },
      () => this.store.links.ofSession(session, this.linkFrom),
    )
    return { tracker, issueId: onlyId(ids), isNew, notices }
  }

  /** Unlinks from one issue, or (`null`) from all that it is linked to; what names an issue later links it again. */
  async unlink(caller: Caller, scope: IssueScope, session: SessionId, ref: string | null) {
    await mayTouch(this.store, caller, session)
    const all = await this.store.links.ofSession(session, this.linkFrom)
    let gone = all
    if (ref !== null) {
      const target = await this.units.targetOf(caller, scope)
      const id = await this.units.resolve(target.tracker, ref)
      gone = all.filter((link) => link.issueId === id && (target.tracker === null || link.tracker === target.tracker))
    }
    const issueIds: IssueId[] = []
    for (const { tracker, issueId } of gone) {
      const target = { place: await this.units.placeOfKey(tracker), tracker }
      await this.units.change(caller, { ...scope, sessionId: session }, target, async (unit) => {
        const issue = await unit.issues.find(unit.key, issueId)
        if (issue === undefined) return []
        const { todos } = unit.tx
        const named = (await todos.traces(session)).filter(
          (trace) => trace.tracker === unit.key && trace.issueId === issueId,
        )
        // Clocks differ: what names it now is older than the decision.
        const at = Math.max(unit.now, ...named.map((trace) => trace.at))
        await todos.putChoice(session, issue.key, { isLinked: false, by: unit.actor, at })
        await recordChange(unit, issue, 'session_unlinked', { old: { sessionId: session } })
        await tellSession(unit.tx, session, { what: 'unlinked', issueId })
        return [issueId]
      })
      issueIds.push(issueId)
    }
    return { issueIds }
  }

  /** Notes that a session looked at an issue. */
  async saw(caller: Caller, scope: IssueScope, session: SessionId, ref: string) {
    await mayTouch(this.store, caller, session)
    const target = await this.units.targetOf(caller, scope)
    const id = await this.units.resolve(target.tracker, ref)
    const [issue] = (await this.store.issues.find(target.tracker, id)).filter(({ isDeleted }) => !isDeleted)
    if (issue === undefined) throw new AppError('not_found', `There is no issue ${id}.`)
    await this.store.write((tx) => tx.todos.putView(session, issue.key))
    return { issueId: id }
  }

  /** Ends the session's lists: open items are left open. @returns how many */
  async finalize(caller: Caller, session: SessionId) {
    await mayTouch(this.store, caller, session)
    return await this.store.write(async (tx) => {
      await tx.todos.putEnd(session)
      const own = (await tx.todos.ofSession(session)).filter((todo) => todo.sessionId === session)
      const count = (fits: (todo: Todo) => boolean): number => own.filter(fits).length
      const counts = {
        leftOpen: count((todo) => todo.leftOpen),
        completed: count((todo) => todo.status === 'completed'),
      }
      await tellSession(tx, session, { what: 'finalized', ...counts })
      return counts
    })
  }

  /**
   * Makes a child issue of a to-do, below the issue that its session is linked to (or `parent`; without either, an issue of its own).
   * A to-do that was promoted before answers with that issue.
   *
   * @throws `conflict` it is completed: nothing is left to do
   */
  async promote(
    caller: Caller,
    scope: IssueScope,
    id: TodoId,
    input: { parent?: string | undefined },
  ): Promise<Promoted> {
    const todo = await getTodo(this.store, id)
    await mayTouch(this.store, caller, todo.sessionId)
    return await promoteTodo(this.store, this.units, this.linkFrom, caller, scope, todo, input)
  }

  /** Gives items that another session left to this one. @throws `conflict` they are somebody's work, or done; nothing is taken then */
  async take(caller: Caller, session: SessionId, ids: TodoId[]) {
    await mayTouch(this.store, caller, session)
    const wanted: TodoId[] = []
    for (const id of ids) wanted.push((await getTodo(this.store, id)).id)
    return await this.store.write(async (tx) => {
      const taken: TodoId[] = []
      for (const id of new Set(wanted)) {
        const todo = await tx.todos.find(id)
        if (todo === undefined) throw unknownTodo(id)
        if (todo.sessionId === session || (todo.takenBy === session && isOpen(todo))) continue
        if (!todo.leftOpen) throw notLeft(todo)
        await tx.todos.putTaker(id, session)
        await tellSession(tx, todo.sessionId, { what: 'taken', todoId: id, takenBy: session })
        taken.push(id)
      }
      if (taken.length > 0) await tellSession(tx, session, { what: 'took', todoIds: taken.slice(0, 100) })
      return { taken }
    })
  }

  /** Closes promoted issues whose to-do is completed. Called before issues are read and every now and then by a server. */
  async settle(): Promise<{ closed: IssueId[] }> {
    return this.closesPromoted ? await settlePromotions(this.units) : { closed: [] }
  }

  /** Removes to-dos of sessions that are older than `days`. */
  async dropOld(days: number) {
    let sessions = 0
    for (;;) {
      const count = await this.store.write((tx) => tx.todos.dropOld(tx.now - days * DAY_MS, DROPPED_AT_ONCE), {
        weight: 'bulk',
      })
      sessions += count
      if (count < DROPPED_AT_ONCE) return { sessions }
    }
  }
}

/** Agents decide about their own conversations alone. @throws `forbidden` */
async function mayTouch({ tasks, messages }: Store, caller: Caller, session: SessionId): Promise<void> {
  await requireAccess({ caller, tasks, messages }, OWN_SESSION, session)
}

/** The to-do that `id` names: its id, or a unique beginning. @throws `not_found` `conflict` */
async function getTodo(store: Store, id: TodoId): Promise<Todo> {
  const exact = await store.todos.find(id)
  if (exact !== undefined) return exact
  const candidates = await store.todos.match(id)
  const [only] = candidates
  if (candidates.length > 1)
    throw new AppError('conflict', `${candidates.length} to-dos begin with ${id}.`, {
      hint: 'Give more of the ID.',
      details: { candidates },
    })
  const found = only === undefined ? undefined : await store.todos.find(only)
  if (found === undefined) throw unknownTodo(id)
  return found
}

const unknownTodo = (id: TodoId): AppError =>
  new AppError('not_found', `There is no to-do ${id}.`, { hint: 'Run `lode todo list --json` to see all to-dos.' })

const isOpen = ({ status }: Todo): boolean => status === 'pending' || status === 'in_progress'

function notLeft(todo: Todo): AppError {
  if (!isOpen(todo)) return new AppError('conflict', `To-do ${todo.id} is ${todo.status}: nothing is left to do.`)
  const holder = todo.takenBy ?? todo.sessionId
  return new AppError('conflict', `To-do ${todo.id} belongs to session ${holder}, which is still active.`, {
    hint: `Finalize its lists first: lode todo finalize --session ${holder}.`,
    details: { sessionId: holder },
  })
}

function onlyId(ids: readonly IssueId[]): IssueId {
  const [id] = ids
  if (id === undefined) throw new Error('The change has no issue.')
  return id
}

/**
 * Every use case that decides something about to-dos and about which issue a session works on. What agents write in their own lists
 * comes by the record and is none of these. Each method is one unit of work; arguments and answers are JSON values.
 *
 * Allowed: operators and agents everything; a run its own session alone.
 *
 * Errors all methods may throw: `not_found` (with the nearest ids), `conflict`, `invalid`, `forbidden`, `unavailable`.
 */
export type TodoService = Pick<TodoUseCases, keyof TodoUseCases>
