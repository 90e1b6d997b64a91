import type { AgentKey } from '../ids'
import type { FailureClass, Pauser, Task, TaskStatus, Wait } from './task'
import { isFinal } from './task'
import type { TaskPatch, TaskRow } from './task-store'

/**
 * Every way in which a task's status changes. `movedTask` is the one place that decides; `engine/tasks/move-task.ts` is the one
 * that writes.
 *
 *   backlog ──queue──▶ (waiting) ──claim──▶ in_progress ──complete──▶ completed
 *      ▲                 │   ▲                  │ ├──fail────▶ failed ───┐
 *      └─────shelve──────┘   ├─ park fall lose ─┘ └──cancel──▶ cancelled ┤
 *                            │  release await                            │
 *                            ├──resume── paused ◀──pause── (any started or waiting)
 *                            └──────────── retry, revive ────────────────┘
 *
 * (waiting) is where a task rests until somebody may take it, and follows from its fields alone (`restOf`): `unassigned` in the
 * pool, `pending` for one agent, or `pending` with what it waits for. `place` looks again after one of those fields changed.
 * Every task that is not final can be cancelled, failed or completed by a person; nothing leaves `completed`.
 */
export type Move =
  /** Out of the backlog. */
  | { kind: 'queue'; why: string; isParentBusy?: boolean }
  /** Into the backlog: nobody is to start it yet. */
  | { kind: 'shelve'; why: string }
  /** Something that decides where it rests changed: `changes` are those fields. */
  | {
      kind: 'place'
      why: string
      changes?: RestChanges
      isParentBusy?: boolean
      isAwaiting?: boolean
      timeWait?: Wait
    }
  /** An attempt begins. */
  | { kind: 'claim'; agentKey: AgentKey; assignedBy: 'claim' | 'offer'; why: string }
  /** Tries again at `until`, milliseconds. */
  | { kind: 'park'; until: number; isTry: boolean; why: string }
  /** Tries again at once, with a conversation begun no higher than `startRung`. */
  | { kind: 'fall'; startRung: 'preamble' | 'fresh'; isTry: boolean; why: string }
  /** Its worker vanished. `keepAgent`: the same one is there again and gets it first. */
  | { kind: 'lose'; keepAgent: boolean; why: string }
  /** Given up without an outcome. */
  | { kind: 'release'; why: string }
  /** Its run ended well, and what others do for it is not over. `output`: its result if nothing follows. */
  | { kind: 'await'; output: string | null; why: string }
  | { kind: 'pause'; by: Pauser; until: number | null; why: string }
  | { kind: 'resume'; why: string; isParentBusy?: boolean }
  | { kind: 'complete'; finishedBy: FinishedBy; output: string | null; why: string }
  | {
      kind: 'fail'
      finishedBy: FinishedBy
      failureClass: FailureClass | null
      failureReason: string
      output: string | null
      why: string
    }
  | { kind: 'cancel'; why: string }
  /** Failed and cancelled tasks. `until`: the former attempt may still be ending until then. */
  | { kind: 'retry'; until: number | null; why: string; isParentBusy?: boolean }
  /** A task that failed only because one of its dependencies failed. */
  | { kind: 'revive'; why: string }
export type MoveKind = Move['kind']
type FinishedBy = NonNullable<Task['finishedBy']>

/** The fields that decide where a waiting task rests. */
export type RestChanges = Pick<
  TaskPatch,
  'agentKey' | 'assignedBy' | 'unmetCount' | 'notBefore' | 'continueNow' | 'requiredCapabilities'
>

/** From where each move may start. */
export const MOVES_FROM: Readonly<Record<MoveKind, readonly TaskStatus[]>> = {
  queue: ['backlog'],
  shelve: ['unassigned', 'pending', 'paused'],
  place: ['unassigned', 'pending'],
  claim: ['unassigned', 'pending'],
  park: ['in_progress'],
  fall: ['in_progress'],
  lose: ['in_progress'],
  release: ['in_progress'],
  await: ['in_progress'],
  pause: ['unassigned', 'pending', 'in_progress', 'paused'],
  resume: ['paused'],
  complete: ['backlog', 'unassigned', 'pending', 'in_progress', 'paused'],
  fail: ['backlog', 'unassigned', 'pending', 'in_progress', 'paused'],
  cancel: ['backlog', 'unassigned', 'pending', 'in_progress', 'paused'],
  retry: ['failed', 'cancelled'],
  revive: ['failed'],
}

/** A worker that vanishes this often in a row, with nothing in between, is likely killed by the task. */
export const MAX_LOST_IN_A_ROW = 20

export interface Moved {
  to: TaskStatus
  /** Everything that changes with it, `status` and `reason` included. */
  patch: TaskPatch
  /** One sentence for a person, at most 1,000 characters. */
  reason: string
}

export interface MoveRefused {
  /** One sentence for a person. */
  refused: string
  /** What can be done instead. */
  hint: string | null
}

/**
 * Moves a task. Pure; looks at nothing but its arguments.
 *
 * @param now  milliseconds
 * @returns what to write, or why it can't be.
 */
export function movedTask(task: TaskRow, move: Move, now: number): Moved | MoveRefused {
  if (!MOVES_FROM[move.kind].includes(task.status)) return refusal(task, move.kind)
  const change = changeOf(task, move, now)
  if ('refused' in change) return change
  const to = change.status ?? task.status
  const reason = sentence(move.why, isWaiting(to) ? restSentence({ ...task, ...change }) : null)
  return { to, reason, patch: { ...change, reason } }
}

export const isRefused = (moved: Moved | MoveRefused): moved is MoveRefused => 'refused' in moved

const isWaiting = (status: TaskStatus): boolean => status === 'unassigned' || status === 'pending'

function changeOf(task: TaskRow, move: Move, now: number): TaskPatch | MoveRefused {
  switch (move.kind) {
    case 'queue':
      return restOf(task, now, { isParentBusy: move.isParentBusy })
    case 'shelve':
      return { status: 'backlog', waitingFor: null, pausedBy: null }
    case 'place':
      return { ...move.changes, ...restOf({ ...task, ...move.changes }, now, move) }
    case 'claim':
      return claimed(task, move, now)
    case 'park':
      return { ...tried(task, move.isTry), ...restOf({ ...task, notBefore: move.until }, now, AGAIN), ...kept(task) }
    case 'fall': {
      const rest = restOf(task, now, AGAIN)
      return { ...tried(task, move.isTry), ...rest, ...kept(task), startRung: move.startRung }
    }
    case 'lose':
      return lost(task, move, now)
    case 'release':
      return { ...restOf({ ...task, ...freed(task) }, now, AGAIN), ...freed(task), lostCount: 0 }
    case 'await':
      return { ...restOf(task, now, WAITING), ...kept(task), output: move.output, triesUsed: 0, lostCount: 0 }
    case 'pause':
      return paused(task, move)
    case 'resume':
      return { ...kept(task), ...restOf({ ...task, notBefore: pastLimit(task) }, now, move) }
    case 'complete':
      return {
        ...ended('completed', now, move.finishedBy),
        output: move.output,
        failureClass: null,
        failureReason: null,
      }
    case 'fail': {
      const output = move.output ?? task.output
      const { failureClass, failureReason } = move
      return { ...ended('failed', now, move.finishedBy), output, failureClass, failureReason }
    }
    case 'cancel':
      return ended('cancelled', now, null)
    case 'retry':
      return retried(task, now, move)
    case 'revive':
      if (task.failureClass !== 'dependency_failed') return refusal(task, 'revive')
      return { ...retried(task, now, { until: null }), triesUsed: task.triesUsed }
  }
}

type Rest = Required<Pick<TaskPatch, 'status' | 'waitingFor' | 'notBefore' | 'pausedBy'>>
interface RestOptions {
  /** Left out: as it was. */
  isParentBusy?: boolean | undefined
  /** Waits for those who report to it. Left out: as it was. */
  isAwaiting?: boolean | undefined
  /** What a `notBefore` in the future is called. Left out: as it was, else `time`. */
  timeWait?: Wait | undefined
}
/** A task that was begun has a conversation of its own, and waits for no parent. */
const AGAIN: RestOptions = { isParentBusy: false, timeWait: 'retry' }
const WAITING: RestOptions = { ...AGAIN, isAwaiting: true }

/** Where a task rests until it may be taken: first by what blocks it, then by its assignee. */
export function restOf(
  task: Pick<TaskRow, 'agentKey' | 'unmetCount' | 'notBefore' | 'waitingFor'>,
  now: number,
  options: RestOptions = {},
): Rest {
  const isLater = task.notBefore !== null && task.notBefore > now
  const notBefore = isLater ? task.notBefore : null
  const waits = (waitingFor: Wait): Rest => ({
    status: 'pending',
    waitingFor,
    notBefore,
    pausedBy: null,
  })
  if (task.unmetCount > 0) return waits('dependency')
  if (options.isParentBusy ?? task.waitingFor === 'parent') return waits('parent')
  if (options.isAwaiting ?? task.waitingFor === 'children') return waits('children')
  if (isLater) return waits(options.timeWait ?? timeWaitOf(task.waitingFor))
  const status = task.agentKey === null ? 'unassigned' : 'pending'
  return { status, waitingFor: null, notBefore: null, pausedBy: null }
}

const timeWaitOf = (before: Wait | null): Wait => (before === 'retry' || before === 'limit' ? before : 'time')

function restSentence(rest: Pick<TaskRow, 'status' | 'waitingFor' | 'notBefore' | 'unmetCount'>): string {
  const until = rest.notBefore ? new Date(rest.notBefore).toISOString() : ''
  switch (rest.waitingFor) {
    case 'dependency':
      return rest.unmetCount === 1
        ? 'waits for a task that it depends on'
        : `waits for ${rest.unmetCount} tasks that it depends on`
    case 'parent':
      return 'waits for its parent, which is in progress'
    case 'children':
      return 'waits for its children'
    case 'retry':
      return `tries again at ${until}`
    case 'limit':
    case 'time':
      return `waits until ${until}`
    default:
      return rest.status === 'unassigned' ? 'queued' : 'waits for its agent'
  }
}

function claimed(task: TaskRow, move: Move & { kind: 'claim' }, now: number): TaskPatch | MoveRefused {
  const rest = restOf(task, now)
  if (rest.waitingFor !== null) return { refused: `Task ${task.id} ${restSentence({ ...task, ...rest })}.`, hint: null }
  if (task.agentKey !== null && task.agentKey !== move.agentKey)
    return { refused: `Task ${task.id} is assigned to another agent.`, hint: 'Assign it to this agent first.' }
  return {
    status: 'in_progress',
    agentKey: move.agentKey,
    assignedBy: task.agentKey === null ? move.assignedBy : task.assignedBy,
    waitingFor: null,
    notBefore: null,
    attemptCount: task.attemptCount + 1,
    dispatchReason: move.why,
    startedAt: task.startedAt ?? now,
  }
}

function lost(task: TaskRow, move: Move & { kind: 'lose' }, now: number): TaskPatch {
  const lostCount = task.lostCount + 1
  if (lostCount >= MAX_LOST_IN_A_ROW)
    return {
      ...ended('failed', now, 'system'),
      lostCount,
      failureClass: 'lease_lost',
      failureReason: `${lostCount} workers in a row were lost while running it`,
    }
  const owner = move.keepAgent ? kept(task) : freed(task)
  return { ...restOf({ ...task, ...owner }, now, AGAIN), ...owner, lostCount }
}

function paused(task: TaskRow, move: Move & { kind: 'pause' }): TaskPatch | MoveRefused {
  if (task.status === 'paused' && (task.pausedBy === 'person' || move.by !== 'person')) return refusal(task, 'pause')
  const isLimit = move.by === 'limit'
  return {
    ...kept(task),
    status: 'paused',
    pausedBy: move.by,
    waitingFor: isLimit ? 'limit' : null,
    // A person's pause keeps the time that its creator gave.
    notBefore: isLimit ? move.until : pastLimit(task),
    ...(task.status === 'in_progress' ? { lostCount: 0 } : {}),
  }
}

function retried(
  task: TaskRow,
  now: number,
  move: { until: number | null; isParentBusy?: boolean | undefined },
): TaskPatch {
  const notBefore = move.until ?? task.notBefore
  const isParentBusy = move.isParentBusy ?? false
  const rest = restOf({ ...task, notBefore, waitingFor: null }, now, {
    isParentBusy,
    timeWait: move.until === null ? 'time' : 'retry',
  })
  return {
    ...kept(task),
    ...rest,
    output: null,
    failureReason: null,
    failureClass: null,
    finishedBy: null,
    finishedAt: null,
    triesUsed: 0,
    lostCount: 0,
  }
}

const ended = (status: TaskStatus, now: number, finishedBy: FinishedBy | null): TaskPatch => ({
  status,
  finishedBy,
  finishedAt: now,
  waitingFor: null,
  notBefore: null,
  pausedBy: null,
})

const tried = (task: TaskRow, isTry: boolean): TaskPatch => ({
  lostCount: 0,
  triesUsed: task.triesUsed + (isTry ? 1 : 0),
})

/** A task that waits again stays with the agent that has its conversation, as long as that one is there. */
const kept = (task: TaskRow): Pick<TaskPatch, 'agentKey' | 'assignedBy'> => ({
  agentKey: task.agentKey,
  assignedBy: task.agentKey === null ? null : task.assignedBy === 'caller' ? 'caller' : 'affinity',
})

/** Back to the pool, unless somebody chose the agent. */
const freed = (task: TaskRow): Pick<TaskPatch, 'agentKey' | 'assignedBy'> =>
  task.assignedBy === 'caller' ? kept(task) : { agentKey: null, assignedBy: null }

/** The time that its creator gave; the end of a usage limit is forgotten with the pause. */
const pastLimit = (task: TaskRow): number | null => (task.pausedBy === 'limit' ? null : task.notBefore)

function refusal(task: TaskRow, kind: MoveKind): MoveRefused {
  const state = task.status === 'paused' ? `paused by ${task.pausedBy ?? 'nobody'}` : task.status.replace('_', ' ')
  return { refused: `Task ${task.id} is ${state}: ${REFUSED[kind]}.`, hint: hintFor(task.status, kind) }
}

const REFUSED: Readonly<Record<MoveKind, string>> = {
  queue: 'only a task in the backlog can be queued',
  shelve: 'only a task that has not started can move to the backlog',
  place: 'only a waiting task can be placed again',
  claim: "it can't be claimed now",
  park: 'only a task in progress can be retried',
  fall: 'only a task in progress can be retried',
  lose: 'only a task in progress can be lost',
  release: 'only a task in progress can be released',
  await: 'only a task in progress can wait for others',
  pause: "it can't be paused",
  resume: 'only a paused task can be resumed',
  complete: 'it has already ended',
  fail: 'it has already ended',
  cancel: 'it has already ended',
  retry: 'only a failed or cancelled task can be retried',
  revive: 'only a task that failed because of its dependencies can be revived with them',
}

function hintFor(status: TaskStatus, kind: MoveKind): string | null {
  if (status === 'completed') return 'A completed task stays completed. Create a follow-up with parentTaskId.'
  if (isFinal(status)) return kind === 'retry' ? null : 'Retry it first.'
  if (status === 'paused' && kind !== 'pause') return 'Resume it first.'
  if (status === 'backlog') return 'Take it out of the backlog first.'
  if (status === 'in_progress') return 'Pause, release or cancel it first.'
  return null
}

function sentence(why: string, rest: string | null): string {
  const whole = rest === null ? why : why === '' ? rest : `${why}; ${rest}`
  return whole.length <= 1_000 ? whole : `${whole.slice(0, 999)}…`
}
