const USUAL = 16

/** Tells the style how much larger letters are than usual, for what is drawn in pixels beside them. */
export const applyLetters = (): void =>
  document.documentElement.style.setProperty('--letters', String(remInPixels() / USUAL))

/** One `rem` in pixels: 16, or what the person told the browser to make letters. Heights that are not measured follow it. */
export const remInPixels = (): number => Number.parseFloat(getComputedStyle(document.documentElement).fontSize)
