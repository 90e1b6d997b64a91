import { createHash } from 'node:crypto'
import { type IssueId, issueId } from './ids'
import { ISSUE_LIMITS } from './issue'

const MIN_HASH_LENGTH = 4
const MAX_HASH_LENGTH = 8
const NONCES_PER_LENGTH = 10
/** Leading bytes of the hash that are written as so many characters of base 36. */
const BYTES_OF_LENGTH: Record<number, number> = { 3: 2, 4: 3, 5: 4, 6: 4, 7: 5, 8: 5 }

/**
 * How many characters of hash ids need when there are `issueCount` issues: the fewest with which a clash among all of them is no
 * likelier than one in four (the birthday bound): 3 up to 163, 4 up to 983, 5 up to 5,898, 6 up to 35,389, …
 *
 * @param minLength  3 to 8
 */
export function hashLength(issueCount: number, minLength = MIN_HASH_LENGTH): number {
  for (let length = minLength; length < MAX_HASH_LENGTH; length++) {
    const clash = 1 - Math.exp(-(issueCount * issueCount) / (2 * 36 ** length))
    if (clash <= 0.25) return length
  }
  return MAX_HASH_LENGTH
}

export interface IssueSeed {
  title: string
  description: string
  creator: string
  /** When it is made: nanoseconds since the epoch, or anything else that differs from one issue to the next. */
  nanos: bigint | number
}

/**
 * A new root id, `<prefix>-<hash>`: ten nonces for each length, then the next length.
 *
 * @param prefix   may hold hyphens itself; without the last one
 * @param isTaken  whether an id is in use (deleted ones included, so that none comes back as another)
 * @returns `null` when every candidate is taken, which only a broken `isTaken` brings about.
 */
export function newIssueId(
  prefix: string,
  seed: IssueSeed,
  issueCount: number,
  isTaken: (id: IssueId) => boolean,
  minLength = MIN_HASH_LENGTH,
): IssueId | null {
  for (const candidate of issueIdCandidates(prefix, seed, issueCount, minLength)) {
    if (!isTaken(candidate)) return candidate
  }
  return null
}

/** The ids that `newIssueId` tries, in order; for a caller that has to ask a database which are taken. */
export function issueIdCandidates(
  prefix: string,
  seed: IssueSeed,
  issueCount: number,
  minLength = MIN_HASH_LENGTH,
): IssueId[] {
  const candidates: IssueId[] = []
  for (let length = hashLength(issueCount, minLength); length <= MAX_HASH_LENGTH; length++) {
    for (let nonce = 0; nonce < NONCES_PER_LENGTH; nonce++) {
      candidates.push(issueId(`${prefix}-${hashOf(seed, nonce, length)}`))
    }
  }
  return candidates
}

function hashOf({ title, description, creator, nanos }: IssueSeed, nonce: number, length: number): string {
  const digest = createHash('sha256').update(`${title}|${description}|${creator}|${nanos}|${nonce}`).digest()
  const bytes = digest.subarray(0, BYTES_OF_LENGTH[length] ?? 5)
  const number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  return number.toString(36).padStart(length, '0').slice(-length)
}

/** The id that this one is a child of by its name: `x-1.2` belongs to `x-1`; `null` = it is a root. */
export function parentIdOf(id: string): IssueId | null {
  const parent = /^(.+)\.\d+$/s.exec(id)?.[1]
  return parent === undefined ? null : issueId(parent)
}

/** Levels below its root: 0 for `x-1`, 2 for `x-1.4.1`. */
export function depthOf(id: string): number {
  let depth = 0
  for (let parent = parentIdOf(id); parent !== null; parent = parentIdOf(parent)) depth++
  return depth
}

/** Whether an issue may have children: at most `ISSUE_LIMITS.depth` levels below a root. */
export function mayHaveChildren(id: string): boolean {
  return depthOf(id) < ISSUE_LIMITS.depth
}

/**
 * The next free child id: one above the highest child that was ever there.
 *
 * @param ids  all ids, or at least those that begin with `<parent>.`; deleted ones included
 * @returns `null` when the parent is as deep as issues go.
 */
export function nextChildId(parent: IssueId, ids: Iterable<string>): IssueId | null {
  if (!mayHaveChildren(parent)) return null
  let highest = 0
  const start = `${parent}.`
  for (const id of ids) {
    if (!id.startsWith(start)) continue
    const number = /^\d{1,9}(?=\.|$)/.exec(id.slice(start.length))?.[0]
    if (number !== undefined) highest = Math.max(highest, Number(number))
  }
  return issueId(`${start}${highest + 1}`)
}

/** An id as this program takes it: letters, digits, `-`, `_` and `.`, at most 200 characters, nothing that could leave a folder. */
export function isIssueId(text: string): boolean {
  return /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}$/.test(text) && !text.includes('..')
}

/**
 * Which of `ids` a person means by `text`: the id itself, else those whose part after the prefix is it, else those whose id or
 * hash begins with it. More than one = it is ambiguous.
 */
export function matchIssueIds(text: string, ids: Iterable<IssueId>): IssueId[] {
  const all = [...ids]
  if (all.some((id) => id === text)) return [issueId(text)]
  const hash = (id: string) => id.slice(id.lastIndexOf('-') + 1)
  const exact = all.filter((id) => hash(id) === text)
  return exact.length > 0 ? exact : all.filter((id) => id.startsWith(text) || hash(id).startsWith(text))
}
