import { AppError } from '../../domain/errors'
import { type SecretMask, type SecretSettings, secretMask } from '../../domain/secrets/mask'
import { rulesDigest } from '../../domain/secrets/rules-digest'
import type { SecretMark, UnscannedJournal } from '../../domain/secrets/secret-store'
import type { Store } from '../../domain/store'
import { markOf } from '../record/masked-parse'

/** What a scan did. */
export interface SecretScan {
  /** Journals and bytes that were looked through; what was looked through before with the same rules is not. */
  journals: number
  bytes: number
  /** Places of secrets that were not known. */
  found: number
}

/** Bytes of a journal that are looked through in one unit of work; a longer line is looked through whole. */
const BLOCK_BYTES = 1_024 * 1_024
/** Journals asked for at once. */
const JOURNALS_AT_ONCE = 100
const NEWLINE = 10

/**
 * Looks through what was recorded before the rules or the settings were as they are now. Each block is a unit of work of its own, so that
 * a scan which ends early goes on where it was, and no writer waits for it.
 *
 * @throws `conflict`  secrets are not looked for
 */
export async function scanSecrets(store: Store, settings: SecretSettings): Promise<SecretScan> {
  if (!settings.detect)
    throw new AppError('conflict', 'Secrets are not looked for: secrets.detect is off.', {
      hint: "Run 'lode config set secrets.detect on', and restart the server.",
    })
  const mask = secretMask(settings)
  const rules = rulesDigest(settings)
  const done: SecretScan = { journals: 0, bytes: 0, found: 0 }
  for (;;) {
    const journals = await store.secrets.unscanned(rules, JOURNALS_AT_ONCE)
    if (journals.length === 0) return done
    for (const journal of journals) {
      done.found += await scanJournal(store, mask, rules, journal)
      done.journals++
      done.bytes += journal.parsed - journal.scanned
    }
  }
}

async function scanJournal(store: Store, mask: SecretMask, rules: string, journal: UnscannedJournal): Promise<number> {
  const { incarnation, parsed, scanned } = journal
  let at = scanned
  let found = 0
  let open: Uint8Array[] = []
  let length = 0
  const look = async (isEnd: boolean): Promise<void> => {
    const bytes = Buffer.concat(open)
    const end = isEnd ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1
    if (end === 0) return
    found += await markBlock(store, mask, rules, journal, { bytes: bytes.subarray(0, end), offset: at })
    at += end
    open = end === bytes.length ? [] : [bytes.subarray(end)]
    length = bytes.length - end
  }
  for await (const chunk of store.journals.read(incarnation, scanned, parsed - scanned)) {
    open.push(chunk)
    length += chunk.length
    if (length >= BLOCK_BYTES) await look(false)
  }
  await look(true)
  // An empty journal, or one whose bytes are gone, is through as well.
  if (at < parsed) await store.write((tx) => tx.secrets.setScanned(incarnation, parsed, rules), { weight: 'bulk' })
  return found
}

async function markBlock(
  store: Store,
  mask: SecretMask,
  rules: string,
  { incarnation, session }: UnscannedJournal,
  { bytes, offset }: { bytes: Uint8Array; offset: number },
): Promise<number> {
  const spans = mask.find(bytes)
  const end = offset + bytes.length
  return await store.write(
    async (tx) => {
      const lines = spans.length === 0 ? [] : await tx.secrets.linesIn(incarnation, session, offset, end)
      const marks = spans.map((span): SecretMark => {
        const mark = markOf(bytes, span, offset)
        const event = lines.find((one) => one.offset <= mark.offset && mark.offset < one.offset + one.length)
        return { ...mark, incarnation, session, line: event?.line ?? null }
      })
      const found = marks.length === 0 ? 0 : await tx.secrets.addMarks(marks)
      await tx.secrets.setScanned(incarnation, end, rules)
      return found
    },
    { weight: 'bulk' },
  )
}
