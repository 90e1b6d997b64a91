import type { FeedEntry } from '../contract/wire'

/**
 * A feed for a reader that looks at lists again when they change: it leaves out a `todo.updated` whose lists all change again within
 * `windowMs`, since the later entry names them too. Everything else passes.
 *
 * Entries keep the feed's order, so the `seq` of the last one given is still the place to go on from. An entry waits behind those
 * before it, for `windowMs` at most. When the feed ends or fails, what waits is given first.
 *
 * @param entries  the feed as `feed.follow` gives it. Its own signal ends it: a reader that stops early must abort that signal, since the
 * next entry is asked for ahead
 * @param windowMs  0 = nothing is merged or waits
 */
export async function* mergeChanges(entries: AsyncIterable<FeedEntry>, windowMs: number): AsyncGenerator<FeedEntry> {
  const source = entries[Symbol.asyncIterator]()
  const waiting: Waiting[] = []
  let next: Promise<Arrival> | undefined
  try {
    for (;;) {
      next ??= arrivalOf(source)
      const first = waiting[0]
      const arrival = await (first === undefined ? next : within(next, first.until - performance.now()))
      if (arrival !== undefined) {
        next = undefined
        if ('end' in arrival) {
          for (const { entry } of waiting) yield entry
          if (arrival.end !== null) throw arrival.end.thrown
          return
        }
        admit(waiting, arrival.entry, performance.now() + windowMs)
      }
      for (let due = takeDue(waiting); due !== undefined; due = takeDue(waiting)) yield due
    }
  } finally {
    const closing = source.return?.()
    // While the source still looks for its next entry, its end would be waited for as long as for that entry.
    if (next === undefined) await closing
    else closing?.catch(() => {})
  }
}

interface Waiting {
  entry: FeedEntry
  /** By the process's clock, in milliseconds; in the past = it only waits for those before it. */
  until: number
  /** The lists that it names, where a later entry may replace it. */
  lists: readonly string[] | null
}

/** What the source gave: an entry, or its end (`null`: a good one). */
type Arrival = { entry: FeedEntry } | { end: { thrown: unknown } | null }

async function arrivalOf(source: AsyncIterator<FeedEntry>): Promise<Arrival> {
  try {
    const result = await source.next()
    return result.done === true ? { end: null } : { entry: result.value }
  } catch (thrown) {
    return { end: { thrown } }
  }
}

/** Puts an entry behind the others and takes out those whose lists it and its followers name. */
function admit(waiting: Waiting[], entry: FeedEntry, until: number): void {
  const lists = listsOf(entry)
  waiting.push({ entry, until: lists === null ? 0 : until, lists })
  if (lists === null) return
  const covered = new Set<string>()
  for (let i = waiting.length - 1; i >= 0; i--) {
    const each = waiting[i]
    if (each === undefined || each.lists === null || each.entry.sessionId !== entry.sessionId) continue
    const isCovered = each.entry !== entry && each.lists.every((list) => covered.has(list))
    for (const list of each.lists) covered.add(list)
    if (!isCovered) continue
    // The later entry is given when this one would have been: a list that changes all the time is still shown.
    const later = waiting.slice(i + 1).filter((one) => one.lists?.some((list) => each.lists?.includes(list)))
    for (const one of later) one.until = Math.min(one.until, each.until)
    waiting.splice(i, 1)
  }
}

function listsOf({ kind, data }: FeedEntry): readonly string[] | null {
  if (kind !== 'todo.updated' || !Array.isArray(data.lists)) return null
  const names = data.lists.filter((name) => typeof name === 'string')
  return names.length > 0 && names.length === data.lists.length ? names : null
}

function takeDue(waiting: Waiting[]): FeedEntry | undefined {
  const first = waiting[0]
  return first !== undefined && first.until <= performance.now() ? waiting.shift()?.entry : undefined
}

/** `undefined` when `ms` are over first. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const { promise: over, resolve } = Promise.withResolvers<undefined>()
  const timer = setTimeout(() => resolve(undefined), Math.max(0, ms))
  try {
    return await Promise.race([promise, over])
  } finally {
    clearTimeout(timer)
  }
}
