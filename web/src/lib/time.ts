import { useSyncExternalStore } from 'react'

const UNITS: readonly [limit: number, size: number, name: string][] = [
  [60, 1, 's'],
  [60 * 60, 60, 'min'],
  [48 * 3_600, 3_600, 'h'],
  [Number.POSITIVE_INFINITY, 86_400, 'd'],
]

/** `42 s`, `7 min`, `3 h`, `12 d`. @param ms  a length, or an age; negative counts as 0 */
export function lengthOf(ms: number): string {
  const seconds = Math.max(0, ms) / 1_000
  const [, size, name] = UNITS.find(([limit]) => seconds < limit) ?? [0, 86_400, 'd']
  return `${Math.floor(seconds / size)} ${name}`
}

/** `just now`, `42 s ago`, `in 3 min`. @param at  ISO 8601 */
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

/** The person's own zone and order of words, to the second. */
export function exactTime(at: string): string {
  const time = Date.parse(at)
  return Number.isNaN(time) ? at : EXACT.format(time)
}

const ISO_TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z/g

/** Times that a sentence of the server names, as this person's clock shows them. */
export const withLocalTimes = (text: string): string => text.replace(ISO_TIME, exactTime)

let now = Date.now()
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined

/** The clock that all relative times of the page share; ticks once a second while something shows one. */
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

/** By how much the server's clock is ahead of this one, in milliseconds. */
let ahead = 0

/** @param at  what the server said the time is, in an answer that has just come. ISO 8601 */
export function noticeServerTime(at: string): void {
  ahead = Date.parse(at) - Date.now()
}

/** Milliseconds since the epoch by the server's clock, which its deadlines are told by. */
export const serverNow = (): number => Date.now() + ahead
