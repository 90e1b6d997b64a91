/** Selects elements that Tab can reach, including the current row of a list. */
const FOCUSABLE_SELECTOR =
  '[tabindex="0"], a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary'

/**
 * Keeps the focus in the page when the focused element disappears: a finished row, a removed button, a page that was left. Without this a
 * browser restarts at the top, and a keyboard user loses their place. The focus moves to the nearest remaining element around it; within a
 * list, to the current row.
 *
 * @returns a function that stops it
 */
export function keepFocus(): () => void {
  let last: Element | null = null
  /** Its ancestors, the nearest first. */
  let around: Element[] = []
  let frame: number | null = null

  const onFocus = (event: FocusEvent) => {
    // Before login there is no page to return to.
    if (!(event.target instanceof Element) || document.getElementById('page') === null) return
    last = event.target
    around = []
    for (let above = last.parentElement; above !== null; above = above.parentElement) around.push(above)
  }
  /** Clicking an empty area removes the focus on purpose. */
  const onPress = () => {
    last = null
  }
  const look = () => {
    frame = null
    const { activeElement } = document
    if (last === null || (activeElement !== null && activeElement !== document.body)) return
    if (last.isConnected && last.checkVisibility() && !last.matches(':disabled')) return
    refuge(around)?.focus({ preventScroll: true })
  }
  const changes = new MutationObserver(() => {
    frame ??= requestAnimationFrame(look)
  })
  document.addEventListener('focusin', onFocus)
  document.addEventListener('pointerdown', onPress)
  changes.observe(document.body, {
    subtree: true,
    childList: true,
    attributes: true,
    attributeFilter: ['disabled', 'hidden', 'class'],
  })
  return () => {
    document.removeEventListener('focusin', onFocus)
    document.removeEventListener('pointerdown', onPress)
    changes.disconnect()
    if (frame !== null) cancelAnimationFrame(frame)
  }
}

/** The nearest focusable element around the lost one, or the page itself. */
function refuge(around: readonly Element[]): HTMLElement | null {
  const page = document.querySelector<HTMLElement>('dialog[open]') ?? document.getElementById('page')
  for (const above of around) {
    if (!above.isConnected || page === null || !page.contains(above) || above === page) continue
    const row = above.querySelector<HTMLElement>('[tabindex="0"]')
    if (row?.checkVisibility()) return row
    for (const one of above.querySelectorAll<HTMLElement>(FOCUSABLE_SELECTOR)) if (one.checkVisibility()) return one
  }
  return page instanceof HTMLDialogElement ? page.querySelector<HTMLElement>(FOCUSABLE_SELECTOR) : page
}

/** Moves the focus out of a field so that shortcuts work again. @returns false outside of fields, and in a search field that Escape clears first */
export function leaveField({ target }: Event): boolean {
  const page = document.getElementById('page')
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return false
  if (page === null || !page.contains(target) || target.closest('dialog') !== null) return false
  if (target.type === 'search' && target.value !== '') return false
  page.focus({ preventScroll: true })
  return true
}
