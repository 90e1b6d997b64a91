import { sha256 } from '../../util/crypto'
import { type IssueId, issueId } from '../ids'

const MIN_HASH_LENGTH = 4
const MAX_HASH_LENGTH = 8
const NONCES_PER_LENGTH = 10
/** Leading bytes of the hash, by the number of base-36 characters that they are written as. */
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
  const digest = sha256(`${title}|${description}|${creator}|${nanos}|${nonce}`)
  const bytes = digest.subarray(0, BYTES_OF_LENGTH[length] ?? 5)
  const number = bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n)
  return number.toString(36).padStart(length, '0').slice(-length)
}
