import type { AuditTx } from '../../domain/audit'
import type { BudgetTx } from '../../domain/budget/budget-store'
import type { FeedKind } from '../../domain/feed'
import type { Address, AgentKey } from '../../domain/ids'
import type { Ended } from '../../domain/last-read'
import type { MessageTx } from '../../domain/message/message-store'
import type { RegistryTx } from '../../domain/registry'
import type { Store, WriteTx } from '../../domain/store'
import type { LeadPolicy } from '../../domain/task/lead-answers'
import type { SpawnLimits } from '../../domain/task/task'
import type { AgentRow, TaskRow, TaskTx } from '../../domain/task/task-store'
import { type Caller, DEFAULT_LEASE_MS } from '../../domain/task/worker-protocol'
import { requireProven } from '../../domain/token/remembered-token'
import type { UnitSubject } from '../../domain/unit-subject'

/** How long leases last, and whether they outlast the server's process. */
export interface LeaseSettings {
  /** Milliseconds, of what workers take from now on. */
  ms: number
  /** See `PollAnswer.serverInstance`. */
  serverInstance: string | null
  /** See `PollAnswer.epoch`. Left out: nobody asked the database. */
  epoch?: string
  /** No server is there, and leases stand still: a command that sweeps ends none. */
  isStill?: boolean
}

/** Another server may end them. */
export const DEFAULT_LEASE: LeaseSettings = { ms: DEFAULT_LEASE_MS, serverInstance: null }

/** The server's machine: what its collector follows, and by which key it is known. */
export interface OwnHost {
  hostName: string
  roots: string[]
  hostKey?: string | undefined
}

/** What the service of tasks is made of. */
export interface TaskParts {
  readonly store: Store
  /** Milliseconds. Left out: the unit's own time (the database's on PostgreSQL). */
  readonly now: (() => number) | undefined
  /** So many unpredictable bytes. */
  readonly random: (bytes: number) => Uint8Array
  readonly followedRoots: () => OwnHost
  /** Default: `DEFAULT_LEASE`. */
  readonly lease?: LeaseSettings | undefined
  /** Ends each unit: see `Unit.heard` and `lookAfterMail`. */
  readonly handleMail: (unit: Unit) => Promise<void>
  /** Default: `SPAWN_LIMITS`. */
  readonly spawnLimits?: SpawnLimits | undefined
  /** Workers have a folder for tasks that name none (the setting `worker.dir`). Default: no, and such tasks are refused. */
  readonly hasFolder?: boolean | undefined
  /** Default: leads answer nothing. */
  readonly leads?: LeadPolicy | undefined
}

/** A unit of work, with who asked for it. */
export interface Unit {
  readonly tasks: TaskTx
  readonly messages: MessageTx
  readonly registry: RegistryTx
  readonly audit: AuditTx
  readonly budgets: BudgetTx
  readonly now: number
  readonly caller: Caller | SystemCaller
  readonly random: TaskParts['random']
  /** Default: `SPAWN_LIMITS`. */
  readonly spawnLimits?: SpawnLimits | undefined
  /** As of `TaskParts`. */
  readonly hasFolder?: boolean | undefined
  /** Default: leads answer nothing. */
  readonly leads?: LeadPolicy | undefined
  /** Addresses at which a message arrived, returned or was read: their receivers are handled at the unit's end. */
  readonly addressesWithMail: Set<Address>
  /** The task that speaks for an address, where the unit asked before its end; its row is held since. */
  readonly speakers: Map<Address, TaskRow | undefined>
  feed(kind: FeedKind, data: Record<string, unknown>): void | Promise<void>
}

/** What happens because time passed. */
export interface SystemCaller {
  kind: 'system'
}
export const SYSTEM: SystemCaller = { kind: 'system' }

/** Runs `work` as one unit. */
export function inUnit<T>(
  parts: TaskParts,
  caller: Unit['caller'],
  work: (unit: Unit) => Promise<Ended<T>>,
  about?: UnitSubject,
): Promise<T> {
  return inWriteUnit(parts, caller, work, about)
}

/** The same for work that needs ports beside those of a unit. */
export function inWriteUnit<T>(
  parts: TaskParts,
  caller: Unit['caller'],
  work: (unit: Unit, tx: WriteTx) => Promise<Ended<T>>,
  about?: UnitSubject,
): Promise<T> {
  const whole = async (tx: WriteTx): Promise<Ended<T>> => {
    const unit = unitOf(parts, caller, tx)
    const answer = await work(unit, tx)
    await parts.handleMail(unit)
    return answer
  }
  const remembered = 'remembered' in caller ? caller.remembered : undefined
  if (about === undefined) requireProven(remembered)
  return parts.store.write(whole, { about: about && remembered ? { ...about, remembered } : about })
}

function unitOf(parts: TaskParts, caller: Unit['caller'], tx: WriteTx): Unit {
  return {
    tasks: tx.tasks,
    messages: tx.messages,
    registry: tx.registry,
    audit: tx.audit,
    budgets: tx.budgets,
    now: parts.now?.() ?? tx.now,
    caller,
    random: parts.random,
    spawnLimits: parts.spawnLimits,
    hasFolder: parts.hasFolder,
    leads: parts.leads,
    addressesWithMail: new Set(),
    speakers: new Map(),
    feed: (kind, data) => tx.appendFeed(kind, null, data),
  }
}

/** The author, for feed and log: `operator`, `system`, a person's name, or the id of an agent or attempt. */
export function nameOf(caller: Unit['caller']): string {
  if ('user' in caller && caller.user !== undefined) return caller.user.name
  if (caller.kind === 'agent') return caller.agentId
  return caller.kind === 'attempt' ? caller.attemptId : caller.kind
}

/** Feed entry `task.updated`: something but its status changed. */
export const publishUpdate = (
  unit: Unit,
  task: Pick<TaskRow, 'id'>,
  what: Record<string, unknown>,
): void | Promise<void> => unit.feed('task.updated', { taskId: task.id, ...what, by: nameOf(unit.caller) })

/** A line of kind `move` in the task's log, for events beside its status. */
export const logMove = (unit: Unit, task: Pick<TaskRow, 'key' | 'attemptCount'>, text: string) =>
  unit.tasks.appendLog(task.key, [{ at: unit.now, attempt: task.attemptCount || null, kind: 'move', text }])

/** The agent of a key that a row holds. */
export async function agentOf(unit: Unit, key: AgentKey | null): Promise<AgentRow | undefined> {
  return key === null ? undefined : await unit.tasks.agentByKey(key)
}
