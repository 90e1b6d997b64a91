/** The used part of a `KeyboardEvent`. */
interface Pressed {
  key: string
  ctrlKey: boolean
  metaKey: boolean
}

/** How long after the last key to wait for the field. Milliseconds. */
const HOLD_MS = 2_000
/** Characters kept at most. Nobody types more before the next frame. */
const MAX_CHARACTERS = 1_000

/**
 * Buffers what a person types between the shortcut that opens a field and the moment when the field exists. The text then goes into the
 * field, so nothing is lost and no letter triggers a shortcut.
 */
export class TypeAhead {
  private text = ''
  private until = 0

  /** Starts buffering, after a shortcut that opens a field. @param now  milliseconds */
  begin(now: number): void {
    this.text = ''
    this.until = now + HOLD_MS
  }

  /** Takes a key press. @returns whether it was buffered, so that nothing else may handle it */
  keep({ key, ctrlKey, metaKey }: Pressed, now: number): boolean {
    if (now >= this.until) return false
    if (key === 'Shift' || key === 'Alt' || key === 'AltGraph') return false
    const isText = [...key].length === 1 && !ctrlKey && !metaKey
    if (isText || key === 'Enter') this.text = (this.text + (isText ? key : '\n')).slice(0, MAX_CHARACTERS)
    else if (key === 'Backspace') this.text = this.text.slice(0, -1)
    else {
      this.end()
      return false
    }
    this.until = now + HOLD_MS
    return true
  }

  /** Stops buffering. */
  end(): void {
    this.until = 0
  }

  /** Stops buffering because the field exists. @returns the text for it */
  take(now: number): string {
    const text = now < this.until ? this.text : ''
    this.end()
    return text
  }
}
