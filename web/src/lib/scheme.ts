import { keptChoice } from './kept-choice'

/** `system` follows the machine's light or dark. */
export const SCHEMES = ['system', 'light', 'dark'] as const
export type Scheme = (typeof SCHEMES)[number]

const kept = keptChoice<Scheme>('lodeline.scheme', SCHEMES)

/** Puts the person's choice on the page; called before anything is drawn. */
export function applyScheme(scheme: Scheme = kept.read()): void {
  if (scheme === 'system') delete document.documentElement.dataset.scheme
  else document.documentElement.dataset.scheme = scheme
}

export function useScheme(): [Scheme, (next: Scheme) => void] {
  return [
    kept.useChoice(),
    (next) => {
      applyScheme(next)
      kept.choose(next)
    },
  ]
}
