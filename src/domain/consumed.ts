/** A line of a conversation with its place in the chain of lines. */
export interface ChainedLine {
  uuid: string
  parentUuid: string | null
  /** Whether the model wrote it. */
  isModel: boolean
  /** Milliseconds. */
  at: number
}

/**
 * The line by which a message or result is consumed: it stands in the receiver's transcript at `uuid`, and this line of the model
 * follows on that branch. `null` = not (yet). The one meaning of the word (design §2), for results of sub-agents and for messages.
 *
 * @param following  lines after it, in any order; lines of other branches are passed over
 */
export function consumedBy(uuid: string, following: readonly ChainedLine[]): ChainedLine | null {
  const onBranch = new Set([uuid])
  const left = [...following].sort((a, b) => a.at - b.at)
  // Times of lines may be equal or out of order by a moment: look again while the branch grows.
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false
    for (const line of left) {
      if (line.parentUuid === null || onBranch.has(line.uuid) || !onBranch.has(line.parentUuid)) continue
      if (line.isModel) return line
      onBranch.add(line.uuid)
      isGrowing = true
    }
  }
  return null
}
