import type { Awaitable } from './port'

/**
 * What a unit of work answers by a read after which it does nothing more: PostgreSQL's store sends the commit right behind the question,
 * and does not wait for the answer in between.
 */
export class LastRead<T> {
  /** Asks one statement, at once. */
  readonly read: () => Awaitable<T>

  /** @param read  asks one statement of the unit's transaction, before it awaits anything */
  constructor(read: () => Awaitable<T>) {
    this.read = read
  }
}

/** What a unit gives: its answer, or the read that answers. */
export type Ended<T> = T | LastRead<T>

/** The answer, for who gains nothing by waiting with the read. */
export function answerOf<T>(ended: Ended<T> | Promise<Ended<T>>): Awaitable<T> {
  if (ended instanceof Promise) return ended.then((late) => answerOf(late))
  return ended instanceof LastRead ? ended.read() : ended
}
