import { useSyncExternalStore } from 'react'

// In the style's own unit: it is another number of pixels for a person with large letters.
const PHONE = '(width < 48rem)'
const TWO_LINES = '(width < 62rem)'

/** Whether the page is as narrow as a phone; the same bound as the style's `max-md`. */
export const useIsNarrow = (): boolean => useMedia(PHONE)

/** Whether rows of lists have two lines instead of columns; the same bound as the style's `max-rows`. */
export const useHasTwoLines = (): boolean => useMedia(TWO_LINES)

const useMedia = (query: string): boolean =>
  useSyncExternalStore(
    (onChange) => {
      const list = matchMedia(query)
      list.addEventListener('change', onChange)
      return () => list.removeEventListener('change', onChange)
    },
    () => matchMedia(query).matches,
  )
