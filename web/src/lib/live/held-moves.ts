import { useEffect, useSyncExternalStore } from 'react'
import type { FeedEntry } from '#api/contract/wire'
import { whileLeaving } from '../api'
import { serverNow } from '../time'
import { undoMs } from '../undo-time'
import { createTurns } from './turns'

/** A change that a person made with one key or click, and can undo for a moment. */
export interface Move {
  /** Identifies what it changes. At most one move per key is held at a time. */
  key: string
  /** How it is announced: `Allowed`. */
  said: string
  /** Name of the changed thing, for announcements on other pages. */
  about: string
  /** Moves with the same name were made together, and are undone together. */
  batch?: string
  /** Takes the place of a move with the same key that was not sent yet, instead of being ignored: a field has one value. */
  isReplacing?: true
  send(): Promise<unknown>
  /** When the server decides by itself; the move is sent before that. ISO 8601. */
  deadline?: string
  /** Whether a feed entry makes this move obsolete. @returns what happened, for example `answered elsewhere`, or null */
  overtakenBy?(entry: FeedEntry): string | null
}

export type Held = { move: Move } & (
  | {
      kind: 'waiting'
      /** Milliseconds since the epoch. */
      sendAt: number
      /** Its time has come, and others of its batch are sent first. */
      isQueued?: true
    }
  | { kind: 'sending' }
  | { kind: 'sent' }
  | { kind: 'failed'; error: unknown }
  | { kind: 'undone' }
  /** Not sent, because somebody else was faster. */
  | { kind: 'overtaken'; by: string }
)

/** How long before the deadline a move is sent, to allow for network delay and clock differences. Milliseconds. */
const DEADLINE_MARGIN_MS = 1_500

/** How long the outcome of a move is shown. Milliseconds. */
const OUTCOME_SHOWN_MS: Record<'sent' | 'failed' | 'undone' | 'overtaken', number> = {
  sent: 5_000,
  failed: 30_000,
  undone: 3_000,
  overtaken: 8_000,
}

/** How far the moves of a batch are. */
export interface BatchState {
  total: number
  sent: number
  failed: number
  undone: number
  overtaken: number
}

/** Moves of batches that are sent at the same time. A browser has six connections to a server, and others need some. */
const SENT_AT_ONCE = 4

/** By key, the newest last. */
const all = new Map<string, Held>()
const batches = new Map<string, BatchState>()
const turns = createTurns(SENT_AT_ONCE)
const timers = new Map<string, ReturnType<typeof setTimeout>>()
const listeners = new Set<() => void>()

function put(key: string, next: Held | null): void {
  all.delete(key)
  if (next !== null) all.set(key, next)
  for (const tell of listeners) tell()
}

/** Replaces the timer of a key. It sends the move, or stops showing its outcome. */
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
  if (told.kind !== 'waiting' && told.kind !== 'sending') countInBatch(move, told.kind)
  put(move.key, told)
  if (told.kind !== 'waiting' && told.kind !== 'sending')
    later(move.key, OUTCOME_SHOWN_MS[told.kind], () => put(move.key, null))
}

const heldAt = (key: string): Held | undefined => all.get(key)

function countInBatch({ batch }: Move, what: keyof BatchState): void {
  if (batch === undefined) return
  const before = batches.get(batch) ?? { total: 0, sent: 0, failed: 0, undone: 0, overtaken: 0 }
  batches.set(batch, { ...before, [what]: before[what] + 1 })
}

/** Holds a move, and sends it when its undo time is over. Ignored while a move with the same key is being sent, or held and not replaced. */
export function hold(move: Move): void {
  const before = heldAt(move.key)
  if (before?.kind === 'sending' || (before?.kind === 'waiting' && move.isReplacing !== true)) return
  const left = move.deadline === undefined ? Number.POSITIVE_INFINITY : Date.parse(move.deadline) - serverNow()
  const wait = Math.max(0, Math.min(undoMs(), left - DEADLINE_MARGIN_MS))
  if (before?.kind === 'waiting') countInBatch(before.move, 'undone')
  countInBatch(move, 'total')
  if (!(wait > 0)) {
    sendInTurn(move)
    return
  }
  put(move.key, { kind: 'waiting', move, sendAt: Date.now() + wait })
  later(move.key, wait, () => sendInTurn(move))
}

/** Sends a few moves of batches at a time. What waits for its turn can still be undone, and a move alone does not wait for them. */
function sendInTurn(move: Move): void {
  if (move.batch === undefined) {
    void send(move)
    return
  }
  const queued: Held = { kind: 'waiting', move, sendAt: Date.now(), isQueued: true }
  put(move.key, queued)
  // Others were undone, overtaken, sent when the page was left, or made anew.
  turns.take(() => (heldAt(move.key) === queued ? send(move) : null))
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

const newest = (fits: (held: Held) => boolean): Held | undefined => [...all.values()].findLast(fits)

function waitingMove(key?: string): Held | undefined {
  if (key === undefined) return newest(({ kind }) => kind === 'waiting')
  const found = heldAt(key)
  return found?.kind === 'waiting' ? found : undefined
}

/** Whether `takeBack` would undo something. */
export const canTakeBack = (key?: string): boolean => waitingMove(key) !== undefined

/**
 * Undoes a move that was not sent yet, and those that were made together with it.
 *
 * @param key        default: that of the latest move
 * @param batchName  where the move of this key was sent: others of this batch that were not
 * @returns whether there was one
 */
export function takeBack(key?: string, batchName?: string): boolean {
  const found =
    waitingMove(key) ??
    (batchName === undefined ? undefined : newest(({ kind, move }) => kind === 'waiting' && move.batch === batchName))
  if (found === undefined) return false
  const { batch } = found.move
  for (const { kind, move } of [...all.values()])
    if (move === found.move || (kind === 'waiting' && batch !== undefined && move.batch === batch))
      end(move, { kind: 'undone', move })
  return true
}

/** Sends all held moves at once. Resolves when all responses are there. */
export async function sendHeld(): Promise<void> {
  await Promise.all([...all.values()].filter(({ kind }) => kind === 'waiting').map(({ move }) => send(move)))
}

/** Drops held moves that a feed entry makes obsolete. */
export function noticeEntry(entry: FeedEntry): void {
  for (const { kind, move } of [...all.values()]) {
    const by = kind === 'waiting' ? (move.overtakenBy?.(entry) ?? null) : null
    if (by !== null) end(move, { kind: 'overtaken', move, by })
  }
}

/** Sends held moves when the page is left, because the person saw them as done. @returns a function that stops it */
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

/** How many rows show a move themselves, by its key. */
const shown = new Map<string, number>()

/** The move with this key, for the row of the changed thing. The bar around every page then leaves it to that row. */
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

/** The newest move for the bar around every page: one without a row on this page, or one that was undone or overtaken. */
export const useHeldElsewhere = (): Held | null =>
  useSyncExternalStore(
    subscribe,
    () =>
      newest(({ kind, move }) => kind === 'undone' || kind === 'overtaken' || (shown.get(move.key) ?? 0) === 0) ?? null,
  )

/** How far the batch is that a move belongs to; null of a move alone. */
export const useBatch = (batch: string | undefined): BatchState | null =>
  useSyncExternalStore(subscribe, () => (batch === undefined ? null : (batches.get(batch) ?? null)))

/** Whether the move is held or being sent, so that it cannot be made again. */
export const isUnderWay = (held: Held | null): boolean => held?.kind === 'waiting' || held?.kind === 'sending'

/** Why a move failed; `null` if it did not. */
export const errorOf = (held: Held | null): unknown => (held?.kind === 'failed' ? held.error : null)
