import { useEffect, useRef, useState } from 'react'

/** A person who types is not asked for at each letter. Milliseconds. */
const TYPING_MS = 150

/**
 * The words of a field, which count after a pause in typing. What is said of them elsewhere meanwhile (a link, going back) goes before.
 *
 * @param value   what counts now
 * @param onType  told of words that count from now on
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
    }, TYPING_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return [typed, setTyped]
}
