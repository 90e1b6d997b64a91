import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { type KeyBinding, useKeys } from './keys'

export interface ListCursor {
  /** Index of the current row; -1 while the list is empty. */
  at: number
  set(at: number): void
  /** Goes to a row, and the focus with it. */
  go(at: number): void
  /** Attach to the current row so that the focus follows: `ref={cursor.at === n ? cursor.row : null}`. */
  row: RefObject<HTMLElement | null>
}

interface Options {
  count: number
  /** Runs on Enter, and on `l` if there is no `onIn`. */
  onOpen?: (at: number) => unknown
  /** `h`: leaves the row or goes up. */
  onOut?: (at: number) => unknown
  /** `l`: goes into it. @returns false if the key is for something else */
  onIn?: (at: number) => unknown
  /** Scrolls a row of a virtual list into view. */
  reveal?: (at: number) => void
  group?: string
  /** Index of the current row and its setter, if the caller stores them (in the address). A negative index means the first row. */
  at?: number
  onMove?: (at: number) => void
}

/** Gives a list a current row, which `j`, `k`, the arrow keys, Home and End move. */
export function useListCursor({
  count,
  onOpen,
  onOut,
  onIn,
  reveal,
  group = 'List',
  at: given,
  onMove,
}: Options): ListCursor {
  const [wanted, setWanted] = useState(0)
  const at = Math.min(given === undefined ? wanted : Math.max(0, given), count - 1)
  const set = onMove ?? setWanted
  const row = useRef<HTMLElement | null>(null)
  const latest = useRef({ at, count, onOpen, onOut, onIn, reveal, set })
  latest.current = { at, count, onOpen, onOut, onIn, reveal, set }
  /** Whether the focus has to follow the cursor. */
  const moved = useRef(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus follows the cursor, and only when a key moved it
  useEffect(() => {
    if (!moved.current) return
    moved.current = false
    row.current?.focus({ preventScroll: reveal !== undefined })
  }, [at])

  const step = useCallback((goal: number) => {
    const { at: now, set: put, reveal: show } = latest.current
    moved.current = goal !== now
    // The old row must not keep the focus, and with it the cursor, until the new one is rendered.
    if (goal !== now) row.current = null
    put(goal)
    show?.(goal)
  }, [])
  useKeys(useMemo(() => bindingsOf({ latest, row, step }, group), [group, step]))

  const go = (goal: number) => {
    if (goal === at) row.current?.focus()
    step(goal)
  }
  return { at, set, go, row }
}

interface CursorState {
  latest: RefObject<Pick<Options, 'count' | 'onOpen' | 'onOut' | 'onIn'> & Pick<ListCursor, 'at'>>
  row: RefObject<HTMLElement | null>
  /** Moves the cursor, and the focus with it. */
  step(goal: number): void
}

/** The shortcuts of a cursor. */
function bindingsOf({ latest, row, step }: CursorState, group: string): KeyBinding[] {
  const move = (to: (now: number, count: number) => number) => () => {
    const { at: now, count: rows } = latest.current
    if (rows === 0) return false
    step(Math.max(0, Math.min(rows - 1, to(now, rows))))
    return true
  }
  const act = (pick: 'onOpen' | 'onOut' | 'onIn') => () => {
    const now = latest.current
    const run = now[pick] ?? (pick === 'onIn' ? now.onOpen : undefined)
    if (run === undefined || now.at < 0) return false
    return run(now.at) !== false
  }
  /** Enter on a button or link inside a row activates that one instead. */
  const enter = (event: KeyboardEvent) => {
    const target = event.target
    if (target instanceof HTMLElement && target !== row.current && target.closest('a,button,summary') !== null)
      return false
    return act('onOpen')()
  }
  const bind = (keys: string, label: string, run: KeyBinding['run']): KeyBinding => ({ keys, label, group, run })
  const next = move((now) => now + 1)
  const previous = move((now) => now - 1)
  const first = move(() => 0)
  const last = move((_, rows) => rows - 1)
  return [
    bind('j', 'next row', next),
    bind('k', 'previous row', previous),
    bind('ArrowDown', 'next row', next),
    bind('ArrowUp', 'previous row', previous),
    bind('Home', 'first row', first),
    bind('End', 'last row', last),
    bind('Enter', 'open', enter),
    bind('l', 'open, or go into it', act('onIn')),
    bind('h', 'go out of it', act('onOut')),
  ]
}
