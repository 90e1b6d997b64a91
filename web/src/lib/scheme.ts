import { useSyncExternalStore } from 'react'

/** `system` follows the machine's light or dark. */
export const SCHEMES = ['system', 'light', 'dark'] as const
export type Scheme = (typeof SCHEMES)[number]

const KEY = 'lodeline.scheme'
const listeners = new Set<() => void>()

const read = (): Scheme => SCHEMES.find((one) => one === localStorage.getItem(KEY)) ?? 'system'

/** Puts the person's choice on the page; called before anything is drawn. */
export function applyScheme(scheme: Scheme = read()): void {
  if (scheme === 'system') delete document.documentElement.dataset.scheme
  else document.documentElement.dataset.scheme = scheme
}

export function useScheme(): [Scheme, (next: Scheme) => void] {
  const scheme = useSyncExternalStore((tell) => {
    listeners.add(tell)
    return () => listeners.delete(tell)
  }, read)
  return [
    scheme,
    (next) => {
      if (next === 'system') localStorage.removeItem(KEY)
      else localStorage.setItem(KEY, next)
      applyScheme(next)
      for (const tell of listeners) tell()
    },
  ]
}
