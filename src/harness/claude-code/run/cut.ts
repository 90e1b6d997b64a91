import type { MainLine, SideLine } from './main-lines'
import { readMainLines } from './main-lines'

/** Rest points that are looked at, from the last on. Only a hostile file has so many with an open call. */
const ATTEMPTS = 200

/**
 * Cuts a transcript after its last finished turn: what a child may be given of a conversation that is still going on.
 *
 * A turn is over with the model's last words (`end_turn`, or what the CLI wrote in their place), with a person's interruption, or
 * with a compaction that a person asked for; and only if no tool call on that branch is without its answer. All lines before are
 * kept as they are, but for two kinds that would be wrong in a copy: pointers to lines that are not kept, and the running cost,
 * which newer releases would go on counting from.
 *
 * @returns `null` when no turn is finished. `lastUuid` is the uuid of the last message kept.
 */
export function cutAtLastTurn(transcript: Uint8Array): { bytes: Uint8Array; lastUuid: string } | null {
  const { lines, sides } = readMainLines(transcript)
  const rests = restPoints(lines)
  const lowest = Math.max(0, rests.length - ATTEMPTS)
  for (let i = rests.length - 1; i >= lowest; i--) {
    const at = rests[i] ?? 0
    const last = lines[at]
    if (last && !hasOpenCall(lines, at)) return { bytes: keptBytes(transcript, lines, at, sides), lastUuid: last.uuid }
  }
  return null
}

/** Indexes of lines after which the conversation is at rest, ascending. */
function restPoints(lines: readonly MainLine[]): number[] {
  const rests: number[] = []
  for (let i = 0; i < lines.length; i++) {
    const line = lines[i]
    if (!line) continue
    if (line.kind === 'interruption') rests.push(i)
    else if (line.kind === 'asked_compaction') rests.push(endOfCompaction(lines, i))
    else if (line.kind === 'words' && !isSameMessage(line, lines[i + 1]) && isOver(lines, i)) rests.push(i)
  }
  return rests
}

/** A message is written as one line for each of its blocks. */
const isSameMessage = (line: MainLine, next: MainLine | undefined): boolean =>
  line.messageId !== null && line.messageId === next?.messageId

/** Older releases don't write why the model stopped; then the next prompt tells. */
function isOver(lines: readonly MainLine[], at: number): boolean {
  if (lines[at]?.isEnd) return true
  for (let i = at + 1; i < lines.length; i++) {
    const kind = lines[i]?.kind
    if (kind === 'prompt') return true
    if (kind !== 'attachment' && kind !== 'other') return false
  }
  return false
}

/** After the summary come the echo of the command and what the model is told anew. */
function endOfCompaction(lines: readonly MainLine[], at: number): number {
  let end = at
  for (let i = at + 1; i < lines.length; i++) {
    const line = lines[i]
    if (!line || line.isAfterQueue || !['summary', 'attachment', 'other'].includes(line.kind)) break
    end = i
  }
  return end
}

/** Whether a call that the model would be shown, up to `at`, has no answer. Branches that were left count for nothing. */
function hasOpenCall(lines: readonly MainLine[], at: number): boolean {
  const byUuid = new Map<string, MainLine>()
  const answered = new Set<string>()
  for (let i = 0; i <= at; i++) {
    const line = lines[i]
    if (!line) continue
    byUuid.set(line.uuid, line)
    for (const id of line.answers) answered.add(id)
  }
  const shown = new Set<string>()
  const seen = new Set<MainLine>()
  for (let line = lines[at]; line && !seen.has(line); line = byUuid.get(line.parentUuid ?? '')) {
    seen.add(line)
    if (line.messageId !== null) shown.add(line.messageId)
  }
  for (let i = 0; i <= at; i++) {
    const line = lines[i]
    if (!line || !(seen.has(line) || (line.messageId !== null && shown.has(line.messageId)))) continue
    if (line.calls.some((id) => !answered.has(id))) return true
  }
  return false
}

function keptBytes(
  transcript: Uint8Array,
  lines: readonly MainLine[],
  at: number,
  sides: readonly SideLine[],
): Uint8Array {
  const end = lines[at]?.end ?? 0
  const kept = new Set(lines.slice(0, at + 1).map((line) => line.uuid))
  const dropped = sides.filter((side) => side.end <= end && (side.leafUuid === null || !kept.has(side.leafUuid)))
  if (dropped.length === 0) return transcript.slice(0, end)
  const parts: Uint8Array[] = []
  let from = 0
  for (const side of dropped) {
    parts.push(transcript.subarray(from, side.start))
    from = side.end
  }
  parts.push(transcript.subarray(from, end))
  return new Uint8Array(Buffer.concat(parts))
}
