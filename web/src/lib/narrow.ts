import { useSyncExternalStore } from 'react'

// In the style's own unit: it is another number of pixels for who has large letters.
const query = '(width < 48rem)'

/** Whether the page is as narrow as a phone; the same bound as the style's `max-md`. */
export const useIsNarrow = (): boolean =>
  useSyncExternalStore(
    (tell) => {
      const list = matchMedia(query)
      list.addEventListener('change', tell)
      return () => list.removeEventListener('change', tell)
    },
    () => matchMedia(query).matches,
  )
