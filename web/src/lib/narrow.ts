import { useSyncExternalStore } from 'react'

const query = '(max-width: 767px)'

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
