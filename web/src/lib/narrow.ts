import { useSyncExternalStore } from 'react'

// In `rem`, as in the style sheet, so that the bounds follow the person's font size.
const PHONE_QUERY = '(width < 48rem)'
const TWO_LINES_QUERY = '(width < 62rem)'

/** Whether the page is as narrow as a phone; the same bound as the style sheet's `max-md`. */
export const useIsNarrow = (): boolean => useMedia(PHONE_QUERY)

/** Whether list rows have two lines instead of columns; the same bound as the style sheet's `max-rows`. */
export const useHasTwoLines = (): boolean => useMedia(TWO_LINES_QUERY)

/** Whether a list has room for details beside it: Tailwind's `lg`. */
export const useHasRoomBeside = (): boolean => useMedia('(min-width: 64rem)')

const useMedia = (query: string): boolean =>
  useSyncExternalStore(
    (onChange) => {
      const list = matchMedia(query)
      list.addEventListener('change', onChange)
      return () => list.removeEventListener('change', onChange)
    },
    () => matchMedia(query).matches,
  )
