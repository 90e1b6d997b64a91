import { useEffect, useRef, useState } from 'react'

/** How long typing must pause before the text counts. Milliseconds. */
export const TYPING_PAUSE_MS = 150

/**
 * The text of a field, which counts after a pause in typing. A new `value` from elsewhere (a link, the back button) replaces it.
 *
 * @param value   the text that counts now
 * @param onType  called with the new text after a pause
 */
export function useTyped(value: string, onType: (text: string) => void): [typed: string, set: (text: string) => void] {
  const [typed, setTyped] = useState(value)
  const told = useRef(value)
  const latest = useRef(onType)
  latest.current = onType
  useEffect(() => {
    if (value === told.current) return
    told.current = value
    setTyped(value)
  }, [value])
  useEffect(() => {
    if (typed === told.current) return
    const timer = setTimeout(() => {
      told.current = typed
      latest.current(typed)
    }, TYPING_PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return [typed, setTyped]
}
