import { useSyncExternalStore } from 'react'
import { lengthOf } from '#domain/length-words'

export { lengthOf }

/** Formats a time relative to now: `just now`, `42 s ago`, `in 3 min`. @param at  ISO 8601. @param now  milliseconds since the epoch */
export function relativeTime(at: string, now: number): string {
  const age = now - Date.parse(at)
  if (Number.isNaN(age)) return 'at an unknown time'
  if (age < -1_500) return `in ${lengthOf(-age)}`
  return age < 2_000 ? 'just now' : `${lengthOf(age)} ago`
}

const EXACT = new Intl.DateTimeFormat(undefined, {
  dateStyle: 'medium',
  timeStyle: 'medium',
})

/** Formats a time to the second, in the person's time zone and locale. @param at  ISO 8601 */
export function exactTime(at: string): string {
  const time = Date.parse(at)
  return Number.isNaN(time) ? at : EXACT.format(time)
}

const ISO_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z/g

/** Replaces ISO 8601 times in a sentence of the server by local times. */
export const withLocalTimes = (text: string): string => text.replace(ISO_TIME, exactTime)

let now = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** The shared clock of all relative times, in milliseconds since the epoch. It ticks once a second while something uses it. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

function subscribe(tell: () => void): () => void {
  listeners.add(tell)
  if (timer === undefined) {
    now = Date.now()
    timer = setInterval(() => {
      now = Date.now()
      for (const each of listeners) each()
    }, 1_000)
  }
  return () => {
    listeners.delete(tell)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** How far the server's clock is ahead of this one, in milliseconds. */
let aheadMs = 0

/** Synchronizes with the server's clock. @param at  the server's time in a response that has just arrived. ISO 8601 */
export function noticeServerTime(at: string): void {
  aheadMs = Date.parse(at) - Date.now()
}

/** The server's current time, in milliseconds since the epoch. Its deadlines refer to it. */
export const serverNow = (): number => Date.now() + aheadMs
