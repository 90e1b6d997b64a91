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
 * follows on that branch. `null` = not (yet). The one meaning of the word, for results of sub-agents and for messages
 * (docs/architecture/messages.md).
 *
 * @param following  lines after it, in any order; lines of other branches are passed over
 */
export function consumedBy(uuid: string, following: readonly ChainedLine[]): ChainedLine | null {
  return firstModelLine(new Set([uuid]), new Set([uuid]), following, -Infinity)
}

/**
 * The same for the answer of a tool. Calls that the model made at once are lines in a row, and each answer follows its own call:
 * the model goes on from one answer of them, and has read all. So what counts is a line of the model that follows the call's line by
 * way of any line that is not the model's.
 *
 * @param callUuid   the line of the call, which the answer's line follows
 * @param following  the answer's line and those after the call's, in any order
 */
export function answerConsumedBy(
  callUuid: string,
  answer: Pick<ChainedLine, 'uuid' | 'at'>,
  following: readonly ChainedLine[],
): ChainedLine | null {
  return firstModelLine(new Set([callUuid, answer.uuid]), new Set([answer.uuid]), following, answer.at)
}

/**
 * @param onBranch  uuids from which the branch goes on
 * @param answered  those of them after which a line of the model is one that has read
 * @param since     what the model wrote before has not read it, and is only a link of the chain
 */
function firstModelLine(
  onBranch: Set<string>,
  answered: Set<string>,
  following: readonly ChainedLine[],
  since: number,
): ChainedLine | null {
  const left = [...following].sort((a, b) => a.at - b.at || (a.uuid < b.uuid ? -1 : 1))
  // Times of lines may be equal or out of order by a moment: look again while the branch grows.
  for (let isGrowing = true; isGrowing; ) {
    isGrowing = false
    for (const line of left) {
      const { parentUuid } = line
      if (parentUuid === null || onBranch.has(line.uuid) || !onBranch.has(parentUuid)) continue
      if (line.isModel && line.at >= since && answered.has(parentUuid)) return line
      onBranch.add(line.uuid)
      if (!line.isModel) answered.add(line.uuid)
      isGrowing = true
    }
  }
  return null
}
