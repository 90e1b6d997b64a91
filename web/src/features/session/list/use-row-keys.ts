import { useMemo, useRef } from 'react'
import { type KeyBinding, useKeys } from '../../../lib/keys/keys'

export interface RowMoves {
  /** Moves one row down or up. */
  step(by: 1 | -1): unknown
  /** Goes to the next or previous prompt. */
  prompt(by: 1 | -1): unknown
  /** Goes to the next or previous failed call. */
  error(by: 1 | -1): unknown
  first(): unknown
  end(): unknown
  /** Opens or closes the current row. @returns false if the key belongs to the focused element */
  toggle(event: KeyboardEvent): unknown
  /** Opens the current row, or goes to its sub-agent. */
  into(): unknown
  /** Forks the conversation from the current row. @returns false if that is not possible */
  fork(): unknown
  /** Closes the current row, or leaves this sub-agent. */
  out(): unknown
}

/**
 * Shortcuts of the conversation. Arrow and page keys scroll as usual.
 *
 * @param isOn  whether the conversation is visible
 */
export function useRowKeys(moves: RowMoves, isOn: () => boolean): void {
  const latest = useRef(moves)
  latest.current = moves
  const bindings = useMemo((): KeyBinding[] => {
    const group = 'Conversation'
    const bind = (keys: string, label: string, run: KeyBinding['run']): KeyBinding => ({
      keys,
      label,
      group,
      run: (event) => (isOn() ? run(event) : false),
    })
    return [
      bind('j', 'next row', () => latest.current.step(1)),
      bind('k', 'previous row', () => latest.current.step(-1)),
      bind(']', 'next prompt', () => latest.current.prompt(1)),
      bind('[', 'previous prompt', () => latest.current.prompt(-1)),
      bind('}', 'next error', () => latest.current.error(1)),
      bind('{', 'previous error', () => latest.current.error(-1)),
      bind('Enter', 'open or close the row', (event) => latest.current.toggle(event)),
      bind('l', 'open the row, then go to its sub-agent', () => latest.current.into()),
      bind('h', 'close the row, then leave the sub-agent', () => latest.current.out()),
      { ...bind('F', 'fork from the row', () => latest.current.fork()), act: 'sessions.resume', opensField: true },
      bind('e', 'newest row', () => latest.current.end()),
      bind('End', 'newest row', () => latest.current.end()),
      bind('Home', 'oldest row', () => latest.current.first()),
    ]
  }, [isOn])
  useKeys(bindings)
}
