import type { BudgetTx } from '../../../domain/budget/budget-store'
import type { FeedKind } from '../../../domain/feed'
import { type Address, type AttemptId, address, attemptKey, type TaskKey, taskKey } from '../../../domain/ids'
import { meets } from '../../../domain/machine/needs'
import type { MessageTx } from '../../../domain/message/message-store'
import type { WriteTx } from '../../../domain/store'
import { chooseCli } from '../../../domain/task/agent-choice'
import { hasLimits } from '../../../domain/task/placement/placement'
import type { Task } from '../../../domain/task/task'
import type {
  AttemptPatch,
  AttemptRow,
  NewAttempt,
  NewTask,
  TaskPatch,
  TaskRow,
  TaskTx,
} from '../../../domain/task/task-store'
import type { UnitSubject } from '../../../domain/unit-subject'
import { PATCHED_ATTEMPT_COLUMNS, PATCHED_TASK_COLUMNS, TASK_COLUMNS } from '../../migrations/tasks/task-units'
import type { Value } from '../../sql/program'
import { cutText } from '../../sql/values'
import { digestOfSet, isEmptySet } from '../../tasks/capability-sets'
import { ATTEMPT, TASK } from '../../tasks/rows'
import { shownTask, type TaskLinks } from '../../tasks/shown'
import { LOG_LINE_LIMIT } from '../../tasks/writes/log'
import { type AgentFacts, type TaskFacts, textOfBytes } from './facts'

/** The unit asks for what a short one does not know, or does what a short one can't. */
class NotShort extends Error {}

/** What is known of a unit's subject. */
export interface Known {
  facts: TaskFacts | undefined
  agents: readonly AgentFacts[]
  /** Machines on which the session is at home. */
  hosts: readonly string[]
  /** What the same request was answered before. */
  answer: string | null
}

/** What a unit found not to be there, beside what it read. */
export type Absent = 'noAlias' | 'noDependents' | 'noneWaits' | 'noQuestions' | 'noOffer' | 'noBudgets' | 'noHold'

/** What a unit decided, as the function `task_unit` takes it. */
export interface Writes {
  insert?: Record<string, Value>
  patch?: Record<string, Value>
  set?: { digest: string; capabilities: string; clis: string }
  attempt?: Record<string, Value>
  open?: Record<string, Value>
  log?: [at: number, attempt: number | null, kind: string, text: string][]
  heard?: string
  answer?: [requestHash: string, answer: string]
  feed?: [kind: FeedKind, data: string][]
}

/** What the database says of a unit that it wrote. */
export interface Written {
  links: TaskLinks
  xid: string
  taskKey: number
  attemptKey: number | null
}

/** Stand for rows that the unit makes, until the database has given them keys. */
const NEW_TASK = taskKey(-1)
const NEW_ATTEMPT = attemptKey(-1)

const PATCHED_TASK = new Set(PATCHED_TASK_COLUMNS)
const PATCHED_ATTEMPT = new Set(PATCHED_ATTEMPT_COLUMNS)
const INSERTED = new Set(TASK_COLUMNS)

/**
 * A unit's view of what is known of its subject, and what it writes to that: nothing is asked of the database. Whatever it does not know
 * ends it with `NotShort`; since a unit may catch that, `isSpoilt` says so for ever.
 */
export class ShortTx {
  readonly writes: Writes = {}
  readonly absent = new Set<Absent>()
  isSpoilt = false
  /** It is about an attempt that began, or ended, since what is known was read. */
  isOutdated = false
  readonly now: number
  private readonly about: UnitSubject
  private readonly known: Known
  private task: TaskRow | undefined
  private live: AttemptRow | undefined
  private links: TaskLinks | undefined

  constructor(about: UnitSubject, known: Known, now: number) {
    this.about = about
    this.known = known
    this.now = now
    this.task = known.facts?.task
    this.live = known.facts?.live
  }

  get tx(): WriteTx {
    const parts: Partial<WriteTx> = {
      now: this.now,
      tasks: this.only(this.taskPort()),
      messages: this.only<MessageTx>({ addressOf: (id) => this.addressOf(id) }),
      budgets: this.only<BudgetTx>({
        all: () => this.none('noBudgets', []),
        holdOf: (key) => this.of(key, this.none('noHold', undefined)),
        release: (key) => this.of(key, this.none('noHold', undefined)),
      }),
      appendFeed: (kind, session, data) => {
        if (session !== null) this.spoil()
        this.writes.feed = [...(this.writes.feed ?? []), [kind, JSON.stringify(data ?? {})]]
      },
    }
    // Ports beside these are handed to each unit: using one ends it.
    return this.only<WriteTx>(parts, () => this.only({}))
  }

  /**
   * It is written in a statement of its own: it changes a row that many units change (an agent's, or at the commit that of the outermost
   * task above it), for which others in its statement would wait with what they hold.
   */
  get isAlone(): boolean {
    return this.writes.heard !== undefined || (this.task !== undefined && this.task.parentKey !== null)
  }

  /** It is written: what is read from now on is the answer. @returns what is known of the task since */
  done({ links, xid, taskKey: key, attemptKey: attempt }: Written): TaskFacts | undefined {
    const { facts } = this.known
    const { task, live, writes } = this
    this.links = links
    if (task === undefined) return undefined
    const taskXid = (writes.insert ?? writes.patch) === undefined ? (facts?.taskXid ?? xid) : xid
    const liveXid = (writes.open ?? writes.attempt) === undefined ? (facts?.liveXid ?? null) : xid
    return {
      task: { ...task, key: taskKey(key) },
      taskXid,
      live: live && (live.key === NEW_ATTEMPT && attempt !== null ? { ...live, key: attemptKey(attempt) } : live),
      liveXid: live === undefined ? null : liveXid,
      links,
    }
  }

  private only<Port extends object>(known: Partial<Port>, otherwise: () => unknown = () => () => this.spoil()): Port {
    return new Proxy(known, {
      get: (target, name) => (name in target ? Reflect.get(target, name) : otherwise()),
    }) as Port
  }

  private spoil(): never {
    this.isSpoilt = true
    throw new NotShort('A short unit of work asked for more than is known.')
  }

  private sure<Row>(row: Row | undefined): Row {
    return row === undefined ? this.spoil() : row
  }

  /** The task of this key, which alone is known. */
  private held(key: TaskKey): TaskRow {
    return this.task?.key === key ? this.task : this.spoil()
  }

  /** What is said of the task of this key. */
  private of<Said>(key: TaskKey, said: Said): Said {
    this.held(key)
    return said
  }

  /** The attempt of this id, if it is the live one: of others nothing is known. */
  private liveOf(id: AttemptId): AttemptRow {
    if (this.live?.id === id) return this.live
    this.isOutdated = true
    return this.spoil()
  }

  private named(id: string): TaskRow {
    return this.task?.id === id ? this.task : this.spoil()
  }

  /** Takes it that there is none: the database looks. */
  private none<Nothing>(what: Absent, nothing: Nothing): Nothing {
    this.absent.add(what)
    return nothing
  }

  private addressOf(id: string): Address {
    return this.none('noAlias', address(this.named(id).id))
  }

  private hostsOf(session: string): string[] {
    return session === this.about.session ? [...this.known.hosts] : this.spoil()
  }

  private agent(isIt: (agent: AgentFacts['agent']) => boolean) {
    return this.sure(this.known.agents.find(({ agent }) => isIt(agent))).agent
  }

  private taskPort(): Partial<TaskTx> {
    return {
      task: (id) => this.named(id),
      taskByKey: (key) => this.held(key),
      taskOfAttempt: (id) => this.held(this.liveOf(id).taskKey),
      attempt: (id) => this.liveOf(id),
      liveAttempt: (key) => this.of(key, this.live),
      agent: (id) => this.agent((one) => one.id === id),
      agentByKey: (key) => this.agent((one) => one.key === key),
      kinOf: (id) => this.kinOf(this.named(id)),
      ownerOfAttempt: (id) => {
        const { agentKey } = this.liveOf(id)
        const { id: agentId, hostKeyHash } = this.agent((one) => one.key === agentKey)
        return { agentId, hostKeyHash }
      },
      hostsOf: (session) => this.hostsOf(session),
      isOfHost: (host, session) => {
        const hosts = this.hostsOf(session)
        return hosts.length === 0 || hosts.includes(host) || this.spoil()
      },
      dependents: (key) => this.of(key, this.none('noDependents', [])),
      waitingChildren: (key) => this.of(key, this.none('noneWaits', [])),
      openQuestions: (of) =>
        'attempt' in of && of.attempt === this.known.facts?.live?.key ? this.none('noQuestions', []) : this.spoil(),
      offer: (key) => this.of(key, this.none('noOffer', undefined)),
      removeOffer: (key) => this.of(key, this.none('noOffer', undefined)),
      claimable: (agent, now, isAssignedOnly, limits) => {
        const task = this.sure(this.task)
        // The database looked by its own time. Which agent CLIs fit is asked here alone.
        const isPlain = isAssignedOnly !== true && (limits === undefined || !hasLimits(limits))
        const isAsked = this.about.claim === agent.id && now === this.now && isPlain
        const isFit =
          chooseCli(task.neededClis, agent, now) !== undefined &&
          task.requiredCapabilities.every((need) => meets(agent, need)) &&
          task.status !== 'in_progress'
        return isAsked && isFit ? task : this.spoil()
      },
      recallAnswer: (scope, key) => {
        const [ownScope, ownKey] = this.about.answer ?? []
        return scope === ownScope && key === ownKey && this.known.answer === null ? undefined : this.spoil()
      },
      rememberAnswer: (_scope, _key, requestHash, answer) => {
        this.writes.answer = [requestHash, answer]
      },
      insertTask: (row) => this.insertTask(row),
      updateTask: (key, patch) => this.updateTask(this.held(key), patch),
      insertAttempt: (row) => this.insertAttempt(row),
      updateAttempt: (key, patch) => this.updateAttempt(this.live?.key === key ? this.live : this.spoil(), patch),
      updateAgent: (key, { lastSeenAt, ...more }) => {
        if (lastSeenAt !== this.now || Object.keys(more).length > 0) this.spoil()
        this.writes.heard = this.agent((one) => one.key === key).id
      },
      appendLog: (key, lines) => {
        this.held(key)
        const log = this.writes.log ?? []
        for (const { at, attempt, kind, text } of lines) log.push([at, attempt, kind, cutText(text, LOG_LINE_LIMIT)])
        this.writes.log = log
      },
      shown: (key) => this.shown(key),
    }
  }

  private kinOf(task: TaskRow) {
    const { agentId, creatorAgentId: creatorId } = this.sure(this.known.facts).links
    const { id, parentTaskId, spawnedSessionId, lastSessionId, taskType, replyTo, dir } = task
    return { id, agentId, creatorId, parentTaskId, spawnedSessionId, lastSessionId, taskType, replyTo, dir }
  }

  private insertTask(row: NewTask): TaskRow {
    if (this.task !== undefined) this.spoil()
    const insert = { ...TASK.record(row), created_at: this.now, updated_at: this.now }
    // A column that the function does not know, since it is newer.
    if (Object.keys(insert).some((column) => !INSERTED.has(column))) this.spoil()
    this.writes.insert = insert
    const asked = { ...row, share: row.share ?? null }
    if (!isEmptySet(asked)) this.writes.set = digestOfSet(asked)
    const stored = { ...TASK.unsaid, ...row, ...TASK.stored(row) }
    this.task = { ...stored, key: NEW_TASK, createdAt: this.now, updatedAt: this.now }
    return this.task
  }

  private updateTask(task: TaskRow, patch: TaskPatch): void {
    const record = TASK.record(patch)
    const isKnown = Object.keys(record).every((column) => PATCHED_TASK.has(column))
    if (this.writes.insert !== undefined || !isKnown) this.spoil()
    this.task = { ...task, ...TASK.stored(patch), updatedAt: this.now }
    if (patch.neededClis !== undefined) this.writes.set = digestOfSet(this.task)
    this.writes.patch = { ...this.writes.patch, ...record, updated_at: this.now }
  }

  private insertAttempt(row: NewAttempt): AttemptRow['key'] {
    const task = this.held(row.taskKey)
    // A later one begins no earlier than the one before it ended.
    if (this.live !== undefined || row.number > 1) this.spoil()
    this.writes.open = { ...ATTEMPT.record(row), token_hash: textOfBytes(row.tokenHash), started_at: this.now }
    const stored = { ...ATTEMPT.unsaid, ...row, ...ATTEMPT.stored({ ...row, tokenHash: undefined }) }
    this.live = { ...stored, tokenHash: row.tokenHash, key: NEW_ATTEMPT, taskId: task.id, startedAt: this.now }
    return NEW_ATTEMPT
  }

  private updateAttempt(live: AttemptRow, patch: AttemptPatch): void {
    const record = ATTEMPT.record(patch)
    const isKnown = Object.keys(record).every((column) => PATCHED_ATTEMPT.has(column))
    if (this.writes.open !== undefined || !isKnown) this.spoil()
    this.writes.attempt = { ...this.writes.attempt, ...record }
    const now: AttemptRow = { ...live, ...ATTEMPT.stored(patch) }
    this.live = now.endedAt === null ? now : undefined
  }

  private shown(key: TaskKey): Task {
    const task = this.held(key)
    return this.links === undefined ? this.spoil() : shownTask(task, this.links)
  }
}
