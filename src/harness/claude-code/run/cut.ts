import type { MainLine, SideLine } from './main-lines'
import { readMainLines } from './main-lines'
import { restPoints } from './rest-points'

/** Rest points that are checked, starting with the last. Only a hostile file has more with an open call. */
const ATTEMPTS = 200
/** Bytes at the end of a file that are read first. Parsing 60 MB takes half a second, and what is looked for stands near the end. */
const FIRST_PART_BYTES = 8 * 1024 * 1024

/**
 * Cuts a transcript after its last finished turn: what a child may be given of a conversation that is still going on.
 *
 * A turn is over with the model's last words (`end_turn`, or what the CLI wrote in their place), with a person's interruption, or
 * with a compaction that a person asked for; and only if no tool call on that branch is without its answer. All lines before are
 * kept as they are, but for two kinds that would be wrong in a copy: pointers to lines that are not kept, and the running cost,
 * which newer releases would go on counting from.
 *
 * Releases before 2.1.197 don't always write that a turn is over: of those the last one may be left out.
 *
 * @param mayBeWithin  where no turn is finished, cuts after the last answer after which no call is open
 * @returns `null` when there is no such line. `lastUuid` is the uuid of the last message kept.
 */
export function cutAtLastTurn(
  transcript: Uint8Array,
  mayBeWithin = false,
): { bytes: Uint8Array; lastUuid: string } | null {
  const bytes = Buffer.from(transcript.buffer, transcript.byteOffset, transcript.byteLength)
  for (let part = FIRST_PART_BYTES; ; part *= 2) {
    // From the beginning of a line.
    const from = part >= bytes.length ? 0 : bytes.indexOf(10, bytes.length - part) + 1
    const { lines, sides } = readMainLines(bytes, from)
    const isWhole = from === 0
    const at = lastRest(lines, restPoints(lines), isWhole) ?? (mayBeWithin && isWhole ? lastAnswer(lines) : undefined)
    const last = at === undefined ? undefined : lines[at]
    if (last) return { bytes: keptBytes(bytes, from, lines.slice(0, (at ?? 0) + 1), sides), lastUuid: last.uuid }
    if (from === 0) return null
  }
}

/** The index of the last line at which the conversation rests, and no call is open. */
function lastRest(lines: readonly MainLine[], rests: readonly number[], isWhole: boolean): number | undefined {
  for (const at of rests.slice(-ATTEMPTS).reverse()) {
    const calls = callsBefore(lines, at)
    if (calls === 'open') continue
    // Beyond the part that was read nothing is open if the model has ended a turn since: its API takes no request with an open call.
    return calls === 'closed' || isWhole ? at : undefined
  }
  return undefined
}

const lastAnswer = (lines: readonly MainLine[]): number | undefined =>
  lastRest(
    lines,
    lines.flatMap(({ kind }, at) => (kind === 'result' ? [at] : [])),
    true,
  )

/**
 * Whether a call that the model would be shown, up to `at`, has no answer. Branches that were left count for nothing: neither does
 * a call beside the branch whose message the model has spoken after, since its API takes no request with an open call. (2.1.197
 * goes on so from a message whose call was cut off by a crash.)
 *
 * @returns `unknown`  the branch begins before these lines, and no turn on it ended in between
 */
function callsBefore(lines: readonly MainLine[], at: number): 'open' | 'closed' | 'unknown' {
  const byUuid = new Map<string, MainLine>()
  const answered = new Set<string>()
  for (let i = 0; i <= at; i++) {
    const line = lines[i]
    if (!line) continue
    byUuid.set(line.uuid, line)
    for (const id of line.answers) answered.add(id)
  }
  const branch = new Set<MainLine>()
  let newest: string | null = null
  let first = lines[at]
  for (let line = first; line && !branch.has(line); line = byUuid.get(line.parentUuid ?? '')) {
    branch.add(line)
    newest ??= line.messageId
    first = line
  }
  for (let i = 0; i <= at; i++) {
    const line = lines[i]
    if (!line || !(branch.has(line) || (newest !== null && line.messageId === newest))) continue
    if (line.calls.some((id) => !answered.has(id))) return 'open'
  }
  if (first?.parentUuid === null) return 'closed'
  const turns = [...branch].filter((line) => line.kind === 'words' && line.isEnd).length
  return turns > 1 ? 'closed' : 'unknown'
}

/** @param lines  Those that are kept, from `from` on. */
function keptBytes(bytes: Buffer, from: number, lines: readonly MainLine[], sides: readonly SideLine[]): Uint8Array {
  const end = lines.at(-1)?.end ?? 0
  const kept = new Set(lines.map((line) => line.uuid))
  const isKept = (uuid: string) => kept.has(uuid) || holds(bytes, from, `"uuid":"${uuid}"`)
  const dropped = sides.filter((side) => side.end <= end && (side.leafUuid === null || !isKept(side.leafUuid)))
  const parts: Uint8Array[] = []
  let start = 0
  for (const { start: at, end: behind } of [...costLines(bytes, from), ...dropped]) {
    parts.push(bytes.subarray(start, at))
    start = behind
  }
  parts.push(bytes.subarray(start, end))
  return new Uint8Array(Buffer.concat(parts))
}

const holds = (bytes: Buffer, end: number, text: string): boolean => {
  const at = bytes.indexOf(text)
  return at !== -1 && at < end
}

/** Lines of the running cost before `end`, found without reading the others. */
function costLines(bytes: Buffer, end: number): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = []
  const opening = '{"type":"cost-state"'
  for (let at = bytes.indexOf(opening); at !== -1 && at < end; at = bytes.indexOf(opening, at + 1)) {
    if (at > 0 && bytes[at - 1] !== 10) continue
    found.push({ start: at, end: bytes.indexOf(10, at) + 1 })
  }
  return found
}
