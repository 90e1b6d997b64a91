/** What takes the focus by Tab, the current row of a list among it. */
const FOCUSABLE = '[tabindex="0"], a[href], button:not(:disabled), input:not(:disabled), select, textarea, summary'

/**
 * Keeps the focus in the page when what had it goes: a row that was dealt with, a button that is no longer there, a page that was left. Without
 * this a browser begins at the top again, and who uses keys alone has lost their place. It goes to the nearest thing that is left around it; of
 * a list to its current row. Gives what ends it.
 */
export function keepFocus(): () => void {
  let last: Element | null = null
  /** What stood around it, the nearest first. */
  let around: Element[] = []
  let frame: number | null = null

  const onFocus = (event: FocusEvent) => {
    // Before the page is there (who logs in) there is nothing to come back to.
    if (!(event.target instanceof Element) || document.getElementById('page') === null) return
    last = event.target
    around = []
    for (let above = last.parentElement; above !== null; above = above.parentElement) around.push(above)
  }
  /** A person who presses on nothing wants the focus nowhere. */
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

/** The nearest place that can take the focus; at last the page itself. */
function refuge(around: readonly Element[]): HTMLElement | null {
  const page = document.querySelector<HTMLElement>('dialog[open]') ?? document.getElementById('page')
  for (const above of around) {
    if (!above.isConnected || page === null || !page.contains(above) || above === page) continue
    const row = above.querySelector<HTMLElement>('[tabindex="0"]')
    if (row?.checkVisibility()) return row
    for (const one of above.querySelectorAll<HTMLElement>(FOCUSABLE)) if (one.checkVisibility()) return one
  }
  return page instanceof HTMLDialogElement ? page.querySelector<HTMLElement>(FOCUSABLE) : page
}

/** Out of a field of the page, so that letters are keys again. `false` where there is none, and where the key empties it first. */
export function leaveField({ target }: Event): boolean {
  const page = document.getElementById('page')
  if (!(target instanceof HTMLInputElement || target instanceof HTMLTextAreaElement)) return false
  if (page === null || !page.contains(target) || target.closest('dialog') !== null) return false
  if (target.type === 'search' && target.value !== '') return false
  page.focus({ preventScroll: true })
  return true
}
