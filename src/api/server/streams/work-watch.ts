import type { FeedEntry } from '../../../domain/feed'
import type { AgentId, AttemptId } from '../../../domain/ids'
import { taskOf } from '../../../domain/ids'
import { FINAL_TASK_STATUSES } from '../../../domain/task/task'
import type { FeedRing } from './feed-ring'
import { LingeringFeed } from './lingering-feed'

/** What ended a wait. `own`: something about one of the waiter's attempts; `claimable`: there may be a task to take. */
export type WorkWoken = 'own' | 'claimable' | 'timeout' | 'ended'

/** What a waiting poll would answer to. */
export interface Interest {
  agentId: AgentId
  attempts: readonly AttemptId[]
  canClaim: boolean
}

export interface Waiter {
  /** Nothing that is committed from then on is missed. @throws `unavailable` the feed can't be read */
  ready(): Promise<void>
  /** The next thing that concerns the waiter, or what came since the last call. */
  next(timeoutMs: number, signal: AbortSignal): Promise<WorkWoken>
  leave(): void
}

/**
 * Wakes waiting polls when something was committed that concerns them: the feed is read once for all of them, and most of what the
 * recorder commits wakes nobody.
 */
export interface WorkWatch {
  join(interest: Interest): Waiter
  /** Waiting polls answer now, later ones don't wait, and followers of logs end. Resolves when all polls have left, or after `graceMs`. */
  endAll(graceMs: number): Promise<void>
  waiterCount(): number
  /**
   * Follows a task's log. Call the result to stop.
   *
   * @param grew  lines may have been added
   * @param end   the follower is to end, as a part of shutting down
   */
  followLog(task: string, grew: () => void, end: () => void): () => void
  /** Lines were added to the task's log by a request of this server: they are in no feed. */
  logGrew(task: string): void
}

/** Waiters of which a new task wakes only some at first, one for each task: the rest would look in vain. */
const SECOND_WAKE_MS = 4

interface Waiting {
  interest: Interest
  /** Tasks of its attempts. */
  tasks: ReadonlySet<string>
  /** What came and was not told yet. */
  pending: 'own' | 'claimable' | null
  wake: (() => void) | null
}

interface LogFollower {
  grew: () => void
  end: () => void
}

export function createWorkWatch(ring: FeedRing): WorkWatch {
  const waiters = new Set<Waiting>()
  const logs = new Map<string, Set<LogFollower>>()
  const feed = new LingeringFeed(ring, handleEntries)
  let isEnding = false
  let lastLeft: (() => void) | null = null

  function rest(): void {
    if (waiters.size === 0 && logs.size === 0) feed.rest(isEnding)
  }

  function handleEntries(entries: readonly FeedEntry[]): void {
    let claimable = 0
    for (const entry of entries) {
      if (entry.kind === 'message.updated') {
        for (const one of waiters) if (isFor(entry, one)) wake(one, 'own')
        continue
      }
      if (!isWork(entry)) continue
      const task = typeof entry.data.taskId === 'string' ? entry.data.taskId : null
      if (task !== null) logGrew(task)
      for (const one of waiters) if (concerns(entry, task, one)) wake(one, 'own')
      if (mayBeClaimed(entry)) claimable += 1
    }
    if (claimable > 0) wakeClaimable(claimable)
  }

  function wakeClaimable(count: number): void {
    const able = [...waiters].filter((one) => one.interest.canClaim)
    for (const one of able.slice(0, count)) wake(one, 'claimable')
    const others = able.slice(count)
    if (others.length === 0) return
    setTimeout(() => {
      for (const one of others) if (waiters.has(one)) wake(one, 'claimable')
    }, SECOND_WAKE_MS)
  }

  function wake(one: Waiting, why: 'own' | 'claimable'): void {
    if (one.pending !== 'own') one.pending = why
    one.wake?.()
  }

  function logGrew(task: string): void {
    for (const follower of logs.get(task) ?? []) follower.grew()
  }

  return {
    join(interest) {
      const one: Waiting = { interest, tasks: new Set(interest.attempts.map(taskOf)), pending: null, wake: null }
      waiters.add(one)
      const { ready } = feed.listen()
      return {
        ready,
        next: (timeoutMs, signal) => waitFor(one, isEnding ? 0 : timeoutMs, signal, () => isEnding),
        leave() {
          waiters.delete(one)
          if (waiters.size === 0) lastLeft?.()
          rest()
        },
      }
    },
    async endAll(graceMs) {
      isEnding = true
      for (const follower of [...logs.values()].flatMap((followers) => [...followers])) follower.end()
      if (waiters.size === 0) {
        rest()
        return
      }
      const all = Promise.withResolvers<void>()
      lastLeft = all.resolve
      const timer = setTimeout(all.resolve, graceMs)
      for (const one of waiters) one.wake?.()
      await all.promise
      clearTimeout(timer)
    },
    waiterCount: () => waiters.size,
    followLog(task, grew, end) {
      feed.listen()
      const follower = { grew, end }
      const followers = logs.get(task) ?? new Set()
      logs.set(task, followers.add(follower))
      return () => {
        followers.delete(follower)
        if (followers.size === 0) logs.delete(task)
        rest()
      }
    },
    logGrew,
  }
}

function waitFor(one: Waiting, timeoutMs: number, signal: AbortSignal, isOver: () => boolean): Promise<WorkWoken> {
  const take = (): WorkWoken | null => {
    const { pending } = one
    one.pending = null
    return signal.aborted || isOver() ? 'ended' : pending
  }
  const now = take()
  if (now !== null) return Promise.resolve(now)
  if (timeoutMs <= 0) return Promise.resolve('timeout')
  return new Promise((resolve) => {
    const end = (how: WorkWoken) => {
      clearTimeout(timer)
      one.wake = null
      signal.removeEventListener('abort', abort)
      resolve(how)
    }
    const abort = () => end('ended')
    const timer = setTimeout(() => end('timeout'), timeoutMs)
    one.wake = () => {
      const why = take()
      if (why !== null) end(why)
    }
    signal.addEventListener('abort', abort, { once: true })
  })
}

const WORK_NOUNS = new Set(['task', 'attempt', 'agent', 'question'])
const isWork = ({ kind }: FeedEntry) => WORK_NOUNS.has(kind.slice(0, kind.indexOf('.')))

function concerns({ kind, data }: FeedEntry, task: string | null, { interest, tasks }: Waiting): boolean {
  if (kind === 'task.created') return false
  return (task !== null && tasks.has(task)) || (data.agentId === interest.agentId && interest.canClaim)
}

/** Something came for one of its tasks, or the way there is free again. */
const isFor = ({ data }: FeedEntry, { tasks }: Waiting): boolean =>
  data.status !== 'queued' && typeof data.to === 'string' && tasks.has(data.to)

const NOTHING_TO_TAKE = new Set<unknown>([...FINAL_TASK_STATUSES, 'in_progress', 'backlog'])

/** A task that came, moved to where it may be taken, or was changed: offered, assigned, more urgent. */
const mayBeClaimed = ({ kind, data }: FeedEntry) =>
  kind === 'task.created' || kind === 'task.updated' || (kind === 'task.moved' && !NOTHING_TO_TAKE.has(data.to))
