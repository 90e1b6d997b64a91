import { AppError } from '../../../domain/errors'
import { type Address, address, type TaskId, taskId } from '../../../domain/ids'
import { isFinal, type TaskStanding } from '../../../domain/task/task'
import type { Caller } from '../../../domain/task/worker-protocol'
import { ownAddress } from '../../../engine/mail/address'
import type { Answers } from '../../contract/operations'
import { tasks } from '../../contract/operations/tasks'
import { MAX_TAKEN } from '../../contract/protocol'
import { requireFor } from '../callers/authorize'
import type { Context } from '../context'
import { readableAddress } from '../find/find-address'
import { filterTaskId } from '../find/find-task'
import { sleepUntil } from './sleep-until'

/** Tasks that one call waits for. */
export const MAX_AWAITED = 500
/** Looks by itself this often: nothing wakes it for tasks that report elsewhere, and a lost wake-up is found so. */
const UNPROMPTED_LOOK_MS = { own: 10_000, others: 500 } as const
const MAX_ABOVE = 200

export interface AwaitInput {
  ids?: string[] | undefined
  mode?: 'all' | 'any' | undefined
  waitMs?: number | undefined
  call: string
  /** For an operator within a session: that session. */
  sessionId?: string | undefined
}

/**
 * Waits until all of the tasks, or any, are over, or until somebody asks the caller something; then gives how they stand and what waits
 * at the caller's address. Without ids: the open tasks that report to the caller. The wait holds no connection and no lock of the
 * database: the feed wakes it. Sent again with the same `call`, gives the same messages.
 */
export async function awaitTasks(
  caller: Caller,
  input: AwaitInput,
  signal: AbortSignal,
  context: Context,
): Promise<Answers['plans']['await']> {
  const { store, services, mail, seats } = context
  const { mode = 'all', waitMs = 0, call } = input
  const at = await addressOf(caller, input.sessionId, context)
  const ids = input.ids === undefined ? undefined : await idsOf(input.ids, caller, context)
  const leaveSeat = waitMs > 0 ? seats.take(caller) : () => {}
  const until = performance.now() + waitMs
  const over = new AbortController()
  const abort = () => over.abort()
  let woken = Promise.withResolvers<void>()
  const waiter = at === null ? undefined : mail.join(at, { changed: () => woken.resolve(), end: abort })
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    if (waitMs > 0) await waiter?.ready()
    let { tasks, more } = await standingOf(ids, at, context)
    const watched = tasks.map((task) => task.taskId)
    for (;;) {
      woken = Promise.withResolvers()
      const isComplete = isDone(tasks, ids === undefined ? 0 : watched.length, mode)
      const left = until - performance.now()
      if (isComplete || left <= 0 || over.signal.aborted || (await isCalled(at, mode, context)))
        return {
          ...(await mailFor(caller, at, call, over.signal.aborted, context)),
          tasks: tasks.map(shown),
          isComplete,
          more,
        }
      if (at !== null) await services.messages.wait(caller, at, call, Math.ceil(left))
      const look = tasks.every(({ replyTo }) => replyTo === at && at !== null)
        ? UNPROMPTED_LOOK_MS.own
        : UNPROMPTED_LOOK_MS.others
      await sleepUntil(woken.promise, Math.min(left, look), over.signal)
      if (over.signal.aborted && at !== null) await services.messages.wait(caller, at, call, 0)
      tasks = await store.tasks.standing({ ids: watched }, MAX_AWAITED)
    }
  } finally {
    waiter?.leave()
    leaveSeat()
    signal.removeEventListener('abort', abort)
  }
}

const isOver = ({ status }: TaskStanding): boolean => isFinal(status)

/** @param named  how many were named; of none, `any` has nothing to wait for */
function isDone(tasks: readonly TaskStanding[], named: number, mode: 'all' | 'any'): boolean {
  if (tasks.length === 0) return true
  return mode === 'any' ? tasks.some(isOver) : tasks.every(isOver) && tasks.length >= named
}

const shown = ({ replyTo: _, ...task }: TaskStanding) => task

async function standingOf(ids: TaskId[] | undefined, at: Address | null, { store }: Context) {
  if (ids !== undefined) return { tasks: await store.tasks.standing({ ids }, MAX_AWAITED), more: 0 }
  if (at === null) return { tasks: [], more: 0 }
  const tasks = await store.tasks.standing({ openFor: at }, MAX_AWAITED)
  const more = tasks.length < MAX_AWAITED ? 0 : (await store.tasks.countOpenFor(at)) - tasks.length
  return { tasks, more: Math.max(0, more) }
}

/** Somebody wants something of the caller before all is over. */
async function isCalled(at: Address | null, mode: 'all' | 'any', { store }: Context): Promise<boolean> {
  if (at === null) return false
  const kinds = ['question', 'message', 'answer', ...(mode === 'any' ? (['result'] as const) : [])] as const
  const found = await store.messages.list({ to: at, statuses: ['produced'], kinds: [...kinds] }, { limit: 1 })
  return found.rows.length > 0
}

async function mailFor(
  caller: Caller,
  at: Address | null,
  call: string,
  isGone: boolean,
  { store, services }: Context,
) {
  if (at === null) return { messages: [], count: 0 }
  // Nobody is there to read them: they stay where they are.
  const messages = isGone ? [] : await services.messages.take(caller, at, call, MAX_TAKEN)
  return { messages, count: await store.messages.countWaiting(at) }
}

async function addressOf(caller: Caller, session: string | undefined, context: Context): Promise<Address | null> {
  const own = ownAddress(caller)
  if (own !== null) return await context.store.messages.addressOf(own)
  return session === undefined ? null : await readableAddress(session, caller, context)
}

async function idsOf(given: readonly string[], caller: Caller, context: Context): Promise<TaskId[]> {
  const ids: TaskId[] = []
  const above = caller.kind === 'attempt' ? await ancestors(caller.taskId, context) : new Set<TaskId>()
  for (const text of new Set(given)) {
    const id = await filterTaskId(text, context)
    if ((await context.store.tasks.find(id)) === undefined)
      throw new AppError('not_found', `There is no task ${JSON.stringify(text.slice(0, 100))}.`, {
        hint: 'Use list-tasks to see all tasks.',
      })
    await requireFor(tasks.get, caller, id, context)
    if (above.has(id))
      throw new AppError('invalid', `Task ${id} waits for your task, so you can't wait for it.`, {
        hint: 'Finish your task with finish-task.',
        details: { field: 'ids', taskId: id },
      })
    ids.push(id)
  }
  return ids
}

/** The task itself and all above it: none of them can be over before it. */
async function ancestors(own: TaskId, { store }: Context): Promise<Set<TaskId>> {
  const above = new Set<TaskId>()
  for (let id: string | null = own; id !== null && !above.has(taskId(id)) && above.size < MAX_ABOVE; ) {
    above.add(taskId(id))
    const [one]: TaskStanding[] = await store.tasks.standing({ ids: [taskId(id)] }, 1)
    const next: string | null = one === undefined ? null : (one.replyTo ?? one.parentTaskId)
    id = next === null || next === address(id) || !next.startsWith('t-') ? null : next
  }
  return above
}
