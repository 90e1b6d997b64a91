import { useEffect, useSyncExternalStore } from 'react'
import type { FeedEntry } from '../../../src/api/contract/wire'
import { whileLeaving } from './api'
import { serverNow } from './time'
import { undoMs } from './undo-time'

/** Something that a person did by one key or press, which can be taken back for a moment. */
export interface Move {
  /** What it is about: of one thing, one move is held at a time. */
  key: string
  /** What is told of it: `Allowed`. */
  said: string
  /** The thing's name, for who looks at another page by then. */
  about: string
  send(): Promise<unknown>
  /** When the server decides by itself; it is sent before that. ISO 8601. */
  deadline?: string
  /** What somebody else did to the thing meanwhile, as a change of the record tells it: `answered elsewhere`. `null` = nothing. */
  overtakenBy?(entry: FeedEntry): string | null
}

export type Held = { move: Move } & (
  | { kind: 'waiting' /** Milliseconds since the epoch. */; sendAt: number }
  | { kind: 'sending' }
  | { kind: 'sent' }
  | { kind: 'failed'; error: unknown }
  | { kind: 'undone' }
  /** Not sent: somebody else was first. */
  | { kind: 'overtaken'; by: string }
)

/** How long before the server's own decision an answer leaves: for the way there, and clocks that differ a little. Milliseconds. */
const DEADLINE_MARGIN_MS = 1_500

/** How long the end of a move is told. Milliseconds. */
const TOLD_MS: Record<'sent' | 'failed' | 'undone' | 'overtaken', number> = {
  sent: 5_000,
  failed: 30_000,
  undone: 3_000,
  overtaken: 8_000,
}

/** The newest last. */
let all: readonly Held[] = []
const timers = new Map<string, ReturnType<typeof setTimeout>>()
const listeners = new Set<() => void>()

function put(key: string, next: Held | null): void {
  all = [...all.filter(({ move }) => move.key !== key), ...(next === null ? [] : [next])]
  for (const tell of listeners) tell()
}

/** One timer for each thing: when its move is sent, or no longer told. */
function later(key: string, ms: number, run: () => void): void {
  clearTimeout(timers.get(key))
  timers.set(
    key,
    setTimeout(() => {
      timers.delete(key)
      run()
    }, ms),
  )
}

function end(move: Move, told: Held): void {
  put(move.key, told)
  if (told.kind !== 'waiting' && told.kind !== 'sending') later(move.key, TOLD_MS[told.kind], () => put(move.key, null))
}

const heldAt = (key: string): Held | undefined => all.find(({ move }) => move.key === key)

/** Done, and sent when the time to take it back is over. A second press while the first is on its way is none. */
export function hold(move: Move): void {
  const before = heldAt(move.key)
  if (before?.kind === 'waiting' || before?.kind === 'sending') return
  const left = move.deadline === undefined ? Number.POSITIVE_INFINITY : Date.parse(move.deadline) - serverNow()
  const wait = Math.max(0, Math.min(undoMs(), left - DEADLINE_MARGIN_MS))
  if (!(wait > 0)) {
    void send(move)
    return
  }
  put(move.key, { kind: 'waiting', move, sendAt: Date.now() + wait })
  later(move.key, wait, () => void send(move))
}

async function send(move: Move): Promise<void> {
  clearTimeout(timers.get(move.key))
  put(move.key, { kind: 'sending', move })
  try {
    await move.send()
    end(move, { kind: 'sent', move })
  } catch (error) {
    end(move, { kind: 'failed', move, error })
  }
}

/** Takes back a move that was not sent yet. @param key  of which thing; the last one unless told. @returns whether there was one */
export function takeBack(key?: string): boolean {
  const held = all.findLast(({ kind, move }) => kind === 'waiting' && (key === undefined || move.key === key))
  if (held === undefined) return false
  end(held.move, { kind: 'undone', move: held.move })
  return true
}

/** Sends at once what is held back. Resolves when all of it is answered. */
export async function sendHeld(): Promise<void> {
  await Promise.all(all.filter(({ kind }) => kind === 'waiting').map(({ move }) => send(move)))
}

/** A change of the record: what somebody else did is not done again. */
export function noticeEntry(entry: FeedEntry): void {
  for (const { kind, move } of all) {
    const by = kind === 'waiting' ? (move.overtakenBy?.(entry) ?? null) : null
    if (by !== null) end(move, { kind: 'overtaken', move, by })
  }
}

/** Sends what is held back when the page goes: what a person saw as done is not lost. Gives what ends it. */
export function sendWhenLeaving(): () => void {
  const leave = () => whileLeaving(() => void sendHeld())
  addEventListener('pagehide', leave)
  document.addEventListener('freeze', leave)
  return () => {
    removeEventListener('pagehide', leave)
    document.removeEventListener('freeze', leave)
  }
}

const subscribe = (tell: () => void) => {
  listeners.add(tell)
  return () => listeners.delete(tell)
}

/** Rows that show their own move, by its key. */
const shown = new Map<string, number>()

/** The move of a thing, for its own row; what stands around every page leaves it to that row. */
export function useHeld(key: string): Held | null {
  useEffect(() => {
    const count = (by: number) => {
      shown.set(key, (shown.get(key) ?? 0) + by)
      for (const tell of listeners) tell()
    }
    count(1)
    return () => count(-1)
  }, [key])
  return useSyncExternalStore(subscribe, () => heldAt(key) ?? null)
}

/** What is told around every page: moves whose row is not there, and what came of those that were not sent. The newest. */
export const useHeldElsewhere = (): Held | null =>
  useSyncExternalStore(
    subscribe,
    () =>
      all.findLast(({ kind, move }) => kind === 'undone' || kind === 'overtaken' || (shown.get(move.key) ?? 0) === 0) ??
      null,
  )

/** It was pressed, and is not to be pressed again. */
export const isUnderWay = (held: Held | null): boolean => held?.kind === 'waiting' || held?.kind === 'sending'

export const errorOf = (held: Held | null): unknown => (held?.kind === 'failed' ? held.error : null)
