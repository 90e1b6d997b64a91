import { type RefObject, useEffect, useMemo, useRef, useState } from 'react'
import { type KeyBinding, useKeys } from './keys'

export interface ListCursor {
  /** Place of the row that keys act on; -1 while the list is empty. */
  at: number
  set(at: number): void
  /** Put on the row at the cursor, so that the focus of the browser follows: `ref={cursor.at === n ? cursor.row : null}`. */
  row: RefObject<HTMLElement | null>
}

interface Options {
  count: number
  /** What Enter does; `l` as well, where `onIn` is not given. */
  onOpen?: (at: number) => void
  /** `h`: out of the row or up; `l`: into it. */
  onOut?: (at: number) => void
  onIn?: (at: number) => void
  /** Brings a row of a virtual list into view. */
  reveal?: (at: number) => void
  group?: string
  /** Place and moves, where somebody else keeps them (the address). A place below 0 is the first row's. */
  at?: number
  onMove?: (at: number) => void
}

/** One row of a list is current; `j`, `k`, arrows, Home and End move it. */
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
  const moved = useRef(false)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the focus follows the cursor, and only when a key moved it
  useEffect(() => {
    if (!moved.current) return
    moved.current = false
    row.current?.focus({ preventScroll: reveal !== undefined })
  }, [at])

  const bindings = useMemo((): KeyBinding[] => {
    const move = (to: (now: number, count: number) => number) => () => {
      const { at: now, count: rows, reveal: show, set: put } = latest.current
      if (rows === 0) return false
      const next = Math.max(0, Math.min(rows - 1, to(now, rows)))
      moved.current = next !== now
      // The row left must not get the focus, and the cursor with it, while the other is not drawn yet.
      if (next !== now) row.current = null
      put(next)
      show?.(next)
      return true
    }
    const act = (pick: 'onOpen' | 'onOut' | 'onIn') => () => {
      const now = latest.current
      const run = now[pick] ?? (pick === 'onIn' ? now.onOpen : undefined)
      if (run === undefined || now.at < 0) return false
      run(now.at)
      return true
    }
    /** Enter on a button or link inside a row is that one's. */
    const enter = (event: KeyboardEvent) => {
      const target = event.target
      if (target instanceof HTMLElement && target !== row.current && target.closest('a,button,summary') !== null)
        return false
      return act('onOpen')()
    }
    const bind = (keys: string, label: string, run: KeyBinding['run']): KeyBinding => ({ keys, label, group, run })
    return [
      bind(
        'j',
        'next',
        move((now) => now + 1),
      ),
      bind(
        'k',
        'previous',
        move((now) => now - 1),
      ),
      bind(
        'ArrowDown',
        'next',
        move((now) => now + 1),
      ),
      bind(
        'ArrowUp',
        'previous',
        move((now) => now - 1),
      ),
      bind(
        'Home',
        'first',
        move(() => 0),
      ),
      bind(
        'End',
        'last',
        move((_, rows) => rows - 1),
      ),
      bind('Enter', 'open', enter),
      bind('l', 'open, or into it', act('onIn')),
      bind('h', 'out of it', act('onOut')),
    ]
  }, [group])
  useKeys(bindings)

  return { at, set, row }
}
