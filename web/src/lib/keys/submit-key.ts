import type { KeyboardEvent } from 'react'

/** Submits the form of a multi-line field on Mod+Enter. */
export function submitOnModEnter(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
  event.preventDefault()
  event.currentTarget.closest('form')?.requestSubmit()
}
