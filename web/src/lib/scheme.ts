import { keptChoice } from './kept-choice'

/** Colour schemes. `system` follows the operating system. */
export const SCHEMES = ['system', 'light', 'dark'] as const
export type Scheme = (typeof SCHEMES)[number]

const kept = keptChoice<Scheme>('lodeline.scheme', SCHEMES)

/** Applies the chosen scheme to the page. Called before the first render. */
export function applyScheme(scheme: Scheme = kept.read()): void {
  if (scheme === 'system') delete document.documentElement.dataset.scheme
  else document.documentElement.dataset.scheme = scheme
}

/** The chosen scheme, and a function that changes it. */
export function useScheme(): [Scheme, (next: Scheme) => void] {
  return [
    kept.useChoice(),
    (next) => {
      applyScheme(next)
      kept.choose(next)
    },
  ]
}
