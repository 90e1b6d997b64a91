import { useMemo, useRef } from 'react'
import { type KeyBinding, useKeys } from '../../lib/keys'

export interface RowMoves {
  /** One row down or up. */
  step(by: 1 | -1): unknown
  /** The next or the last prompt. */
  prompt(by: 1 | -1): unknown
  first(): unknown
  end(): unknown
  /** Opens or closes the current row. `false` = the key is the focused element's. */
  toggle(event: KeyboardEvent): unknown
  /** Opens it, or goes into its agent. */
  into(): unknown
  /** Closes it, or goes out of this agent. */
  out(): unknown
}

/**
 * Keys of the conversation. Arrows and pages scroll, as they do anywhere.
 *
 * @param isOn  whether the conversation is what one sees
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
      bind('Enter', 'open or close the row', (event) => latest.current.toggle(event)),
      bind('l', 'open, then into its agent', () => latest.current.into()),
      bind('h', 'close, then out of the agent', () => latest.current.out()),
      bind('e', 'newest', () => latest.current.end()),
      bind('End', 'newest', () => latest.current.end()),
      bind('Home', 'oldest', () => latest.current.first()),
    ]
  }, [isOn])
  useKeys(bindings)
}
