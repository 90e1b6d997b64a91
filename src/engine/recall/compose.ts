/** A part of a text for an agent. */
export interface Section {
  /** What it is called where it had to be left out: `to-dos`. */
  name: string
  /** Characters that it gets even when others before it are long; a shorter one takes what it needs. */
  floor: number
  /** Writes it in at most `room` characters. `left` says in words what is missing (`3 more`); `null` = it is whole. */
  write(room: number): { text: string; left: string | null }
}

/** Nothing is longer than this: enough to ask a section for all of itself. */
const UNBOUNDED = 1_000_000
/** Kept free for the sentence that says what was left out. */
const LEFT_OUT_ROOM = 240

/**
 * Puts a text together in at most `limit` characters. Sections come most important first. Each keeps its floor; what is free
 * beyond goes to them in their order, so the first is the last to be cut. What did not fit is named at the end.
 *
 * @param opening  always there, whole; @param closing likewise, after the sections ('' = none)
 * @param whereMore  a sentence: where all of it is to be seen
 */
export function compose(
  opening: string,
  sections: Section[],
  closing: string,
  limit: number,
  whereMore = 'The tool get-task shows all of the task.',
): string {
  const wanted = sections.map((section) => section.write(UNBOUNDED).text.length)
  const fixed = opening.length + (closing === '' ? 0 : closing.length + 2) + sections.length * 2
  const total = wanted.reduce((sum, length) => sum + length, 0)
  let free = limit - fixed - (fixed + total > limit ? LEFT_OUT_ROOM : 0)

  const rooms = wanted.map((length, at) => {
    const room = Math.max(0, Math.min(length, sections[at]?.floor ?? 0, free))
    free -= room
    return room
  })
  for (const [at, length] of wanted.entries()) {
    const more = Math.min(length - (rooms[at] ?? 0), free)
    rooms[at] = (rooms[at] ?? 0) + more
    free -= more
  }

  const parts = [opening]
  const missing: string[] = []
  for (const [at, section] of sections.entries()) {
    if (wanted[at] === 0) continue
    const { text, left } = section.write(rooms[at] ?? 0)
    if (text !== '') parts.push(text)
    if (left !== null) missing.push(`${section.name} (${left})`)
  }
  if (missing.length > 0) parts.push(leftOut(missing, whereMore))
  if (closing !== '') parts.push(closing)
  return parts.join('\n\n')
}

function leftOut(missing: string[], whereMore: string): string {
  const text = `Left out for length: ${missing.join(', ')}. ${whereMore}`
  return text.length <= LEFT_OUT_ROOM - 2 ? text : `Much was left out for length. ${whereMore}`
}

/** A heading and lines below it; whole lines only, as many as fit. */
export function lines(heading: string, all: string[]): Section['write'] {
  return (room) => {
    if (all.length === 0) return { text: '', left: null }
    let text = heading
    let shown = 0
    for (const line of all) {
      if (text.length + 1 + line.length > room) break
      text += `\n${line}`
      shown++
    }
    if (shown === 0) return { text: '', left: `all ${all.length}` }
    return { text, left: shown === all.length ? null : `${all.length - shown} more` }
  }
}
