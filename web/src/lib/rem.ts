/** A browser's default font size, in pixels. */
const DEFAULT_REM_PX = 16

/** Sets the style property `--letters`: the person's font size relative to the default. It scales what is drawn in pixels. */
export const applyLetters = (): void =>
  document.documentElement.style.setProperty('--letters', String(remInPixels() / DEFAULT_REM_PX))

/** One `rem` in pixels: 16, or the font size that the person set in the browser. Estimated heights follow it. */
export const remInPixels = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
