import type { KeyboardEvent } from 'react'

/** Mod+Enter in a field of several lines sends its form. */
export function submitOnModEnter(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
  event.preventDefault()
  event.currentTarget.closest('form')?.requestSubmit()
}
