import type { Address } from '../../../../domain/ids'
import type { Message } from '../../../../domain/message/message'
import type { Caller } from '../../../../domain/task/worker-protocol'
import { MAX_TAKEN } from '../../../contract/protocol'
import type { Context } from '../../context'
import { sleepUntil } from '../../streams/sleep-until'

export interface TakeInput {
  call: string
  limit?: number | undefined
  waitMs?: number | undefined
}

/** The address is looked at by itself this often, in milliseconds: that finds what a lost wake-up hides. */
const UNPROMPTED_LOOK_MS = 10_000

/**
 * Gives what waits at the address to this call; while nothing does, waits. A wait holds no connection and no lock of the database: the
 * feed wakes it. Between two looks the address is marked as waited at, so that nothing is given to an input that could not take it.
 */
export async function takeMessages(
  caller: Caller,
  at: Address,
  { call, limit = MAX_TAKEN, waitMs = 0 }: TakeInput,
  signal: AbortSignal,
  { services, store, mail, seats }: Context,
): Promise<{ messages: Message[]; count: number }> {
  const leaveSeat = waitMs > 0 ? seats.take(caller) : () => {}
  const until = performance.now() + waitMs
  const over = new AbortController()
  let woken = Promise.withResolvers<void>()
  const { ready, leave } = mail.join(at, {
    changed({ status }) {
      // What was just given out can be taken by nobody.
      if (status !== 'queued' && status !== 'superseded' && status !== 'withdrawn') woken.resolve()
    },
    end: () => over.abort(),
  })
  const abort = () => over.abort()
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  try {
    if (waitMs > 0) await ready()
    for (;;) {
      woken = Promise.withResolvers()
      const taken = over.signal.aborted ? [] : await services.messages.take(caller, at, call, limit)
      const left = until - performance.now()
      if (taken.length > 0 || left <= 0 || over.signal.aborted)
        return { messages: taken, count: await store.messages.countWaiting(at) }
      await services.messages.wait(caller, at, call, Math.ceil(left))
      await sleepUntil(woken.promise, Math.min(left, UNPROMPTED_LOOK_MS), over.signal)
      if (over.signal.aborted) await services.messages.wait(caller, at, call, 0)
    }
  } finally {
    leave()
    leaveSeat()
    signal.removeEventListener('abort', abort)
  }
}
