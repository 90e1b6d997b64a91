/**
 * Text as it may be stored: at most `limit` UTF-16 units, no NUL (no database takes it), no half of a surrogate pair.
 * Cuts first, so the cost is bounded by `limit` however long the text is.
 */
export function clip(text: string, limit: number): string {
  let kept = text
  if (text.length > limit) {
    const last = text.charCodeAt(limit - 1)
    kept = text.slice(0, last >= 0xd800 && last < 0xdc00 ? limit - 1 : limit)
  }
  if (kept.includes('\0')) kept = kept.replaceAll('\0', '')
  return kept.isWellFormed() ? kept : kept.toWellFormed()
}

/** Characters of the text of one line that a person reads uncut. */
export const WHOLE_LIMIT = 4_000_000

/** Collects pieces of text up to a limit, and remembers whether anything was left out. */
export class TextBudget {
  private text = ''
  private readonly limit: number
  isCut = false

  constructor(limit: number) {
    this.limit = limit
  }

  /** Characters that still fit. */
  get room(): number {
    return Math.max(0, this.limit - this.text.length)
  }

  /** Adds a piece as it is. */
  add(piece: string): void {
    if (piece === '') return
    const room = this.limit - this.text.length
    if (piece.length > room) this.isCut = true
    if (room > 0) this.text += piece.length > room ? piece.slice(0, room) : piece
  }

  /** Adds a piece on a line of its own. */
  addLine(piece: string): void {
    if (piece === '') return
    if (this.text !== '') this.add('\n')
    this.add(piece)
  }

  /** What was collected, fit to be stored; `null` when there is nothing. */
  take(): string | null {
    const last = this.text.charCodeAt(this.text.length - 1)
    const isHalfAtCut = this.isCut && last >= 0xd800 && last < 0xdc00
    const kept = clip(isHalfAtCut ? this.text.slice(0, -1) : this.text, this.limit)
    return kept === '' ? null : kept
  }
}

/** The first line that says something, at most 200 characters: what a session is called. */
export function titleOf(text: string): string | undefined {
  const line = clip(text.slice(0, 4_000).trim(), 4_000).split('\n', 1)[0]?.replace(/\s+/g, ' ').trim()
  return line ? clip(line, 200) : undefined
}
