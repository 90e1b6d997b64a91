/** A key that counts here: of a `KeyboardEvent`. */
interface Pressed {
  key: string
  ctrlKey: boolean
  metaKey: boolean
}

/** A field is waited for so long after the last key, in milliseconds. */
const HOLD_MS = 2_000
/** Nobody types more before something is drawn. */
const MOST = 1_000

/**
 * What a person types between the key that opens a field and the moment when the field is there. It goes into the field: nothing that was
 * typed is lost, and no letter of it is taken for a key of the page.
 */
export class TypeAhead {
  private text = ''
  private until = 0

  /** A key was pressed that opens a field. @param now  milliseconds */
  begin(now: number): void {
    this.text = ''
    this.until = now + HOLD_MS
  }

  /** @returns whether the key is kept for the field, and does nothing else */
  keep({ key, ctrlKey, metaKey }: Pressed, now: number): boolean {
    if (now >= this.until) return false
    if (key === 'Shift' || key === 'Alt' || key === 'AltGraph') return false
    const isText = [...key].length === 1 && !ctrlKey && !metaKey
    if (isText || key === 'Enter') this.text = (this.text + (isText ? key : '\n')).slice(0, MOST)
    else if (key === 'Backspace') this.text = this.text.slice(0, -1)
    else {
      this.end()
      return false
    }
    this.until = now + HOLD_MS
    return true
  }

  /** Nothing is waited for any more. */
  end(): void {
    this.until = 0
  }

  /** The field is there. @returns what was typed for it */
  take(now: number): string {
    const text = now < this.until ? this.text : ''
    this.end()
    return text
  }
}
