import type { AuditActor } from '../../domain/audit'
import { AppError, isAppError } from '../../domain/errors'
import type { IncarnationKey } from '../../domain/ids'
import { maskOf, secretIdOf } from '../../domain/secrets/mask'
import { isSecretRule, type SecretRuleName, secretBetween } from '../../domain/secrets/rules'
import { ERASED_WORD, type SecretPlace } from '../../domain/secrets/secret-store'
import type { Store, WriteTx } from '../../domain/store'
import { addLine } from '../audit/record-act'
import { unsealChunks } from '../packs/unseal'

/** What was taken out. */
export interface ErasedSecret {
  id: string
  rule: string
  /** Places in journals. */
  places: number
  /** Rows of the database that quoted it. */
  rows: number
  /** Files in Lodeline's folder that held it. */
  files: number
  /** The agent CLI's own files that it was recorded from. They are not changed. */
  agentFiles: string[]
}

export interface EraseOptions {
  store: Store
  by: AuditActor
  /** Overwrites the bytes in all files of Lodeline's folder. @returns the files that held them */
  overwriteFiles(secret: Uint8Array, word: string): string[]
}

/**
 * Takes a secret out for good: of every journal, of every row that quotes it, and of the files in Lodeline's folder. The places keep
 * their length, so that nothing moves and lines stay JSON. What stays is its hash, so that the recorder knows it again.
 *
 * Each step is a unit of its own. Where one fails, the secret is not marked as erased, and the same call begins again.
 *
 * @throws `not_found`  no journal holds such a secret
 */
export async function eraseSecret(id: string, { store, by, overwriteFiles }: EraseOptions): Promise<ErasedSecret> {
  const places = await store.secrets.marksOf(id)
  const [first] = places
  if (first === undefined) throw unknownSecret(id)
  const secret = await readSecret(store, id, places)
  const rule = ruleOf(first)
  // Files before the database: a journal of ours that is read again must not bring it back.
  const files =
    secret === null
      ? []
      : [...new Set(spellings(secret).flatMap((one) => overwriteFiles(framed(one, rule), erasedWord(one, rule))))]
  for (const [incarnation, own] of byJournal(places))
    await whereUnsealed(store, incarnation, own, async ({ erasure }) => {
      for (const { offset, length } of own) await erasure.overwrite(incarnation, offset, length)
      if (own.some(({ path }) => files.includes(path))) await erasure.renewFingerprints(incarnation)
    })
  const rows = secret === null ? 0 : await eraseRows(store, secret, rule)
  await reindex(store, secret, places)
  await store.write(async (tx) => {
    await tx.erasure.markErased(id)
    const detail = { rule: first.rule, places: places.length, rows, files: files.length }
    await addLine(tx.audit, tx.now, { act: 'secret.erase', actor: by, target: id, detail })
  })
  const agentFiles = [...new Set(places.map(({ path }) => path))].filter((path) => !files.includes(path))
  return { id, rule: first.rule, places: places.length, rows, files: files.length, agentFiles }
}

/** A server may move chunks back into a pack before they are changed. */
const MOST_TRIES = 5

/**
 * Changes chunks of a journal in the database: those of packs come back first. What is left in a pack nobody can open, since its key is
 * deleted by that.
 */
async function whereUnsealed(
  store: Store,
  incarnation: IncarnationKey,
  places: readonly SecretPlace[],
  unit: (tx: WriteTx) => Promise<void>,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    for (const { offset, length } of places)
      await unsealChunks(store, await store.packs.sealedIn(incarnation, offset, length))
    // Its fingerprints are those of its ends.
    await unsealChunks(store, await store.packs.sealedEnds(incarnation))
    try {
      return await store.write(unit, { weight: 'bulk' })
    } catch (error) {
      if (tries === MOST_TRIES || !isAppError(error) || error.details?.isSealed !== true) throw error
    }
  }
}

const unknownSecret = (id: string): AppError =>
  new AppError('not_found', `No secret ${id.slice(0, 40)} is known.`, {
    hint: "Run 'lode secret scan' to list the secrets and their IDs.",
  })

const ruleOf = ({ rule }: SecretPlace): SecretRuleName => {
  if (isSecretRule(rule)) return rule
  throw new AppError('conflict', `This version of Lodeline does not know the rule ${rule}.`)
}

/** From any place that still holds it; `null` = an earlier call has overwritten all of them. */
async function readSecret(store: Store, id: string, places: readonly SecretPlace[]): Promise<Uint8Array | null> {
  for (const place of places) {
    const parts: Uint8Array[] = []
    for await (const part of store.journals.read(place.incarnation, place.offset, place.length)) parts.push(part)
    const bytes = Buffer.concat(parts)
    if (secretIdOf(ruleOf(place), bytes) === id) return bytes
  }
  return null
}

/** As it stands in a line, and as texts hold it where JSON wrote it with escapes. */
function spellings(secret: Uint8Array): Uint8Array[] {
  const text = Buffer.from(secret).toString('latin1')
  if (!text.includes('\\')) return [secret]
  const plain = text.replaceAll('\\n', '\n').replaceAll('\\r', '\r').replaceAll('\\t', '\t')
  return [secret, Buffer.from(plain, 'latin1')]
}

/** With what has to stand around it, where it may be a word that also stands elsewhere. */
function framed(secret: Uint8Array, rule: SecretRuleName): Uint8Array {
  const [before, behind] = secretBetween(rule) ?? ['', '']
  return Buffer.concat([Buffer.from(before), secret, Buffer.from(behind)])
}

/** As long as the framed secret, with the same around it: bytes of a file stay those of its journal. */
const erasedWord = ({ length }: Uint8Array, rule: SecretRuleName): string =>
  Buffer.from(framed(Buffer.from(ERASED_WORD.padEnd(length, '*').slice(0, length)), rule)).toString('latin1')

function byJournal(places: readonly SecretPlace[]): Map<IncarnationKey, SecretPlace[]> {
  const journals = new Map<IncarnationKey, SecretPlace[]>()
  for (const place of places) journals.set(place.incarnation, [...(journals.get(place.incarnation) ?? []), place])
  return journals
}

async function eraseRows(store: Store, secret: Uint8Array, rule: SecretRuleName): Promise<number> {
  const mask = Buffer.from(framed(Buffer.from(maskOf(rule)), rule)).toString('latin1')
  const columns = await store.write(({ erasure }) => erasure.textColumns())
  let rows = 0
  for (const column of columns)
    for (const text of spellings(secret))
      rows += await store.write(
        ({ erasure }) => erasure.replaceText(column, Buffer.from(framed(text, rule)).toString('latin1'), mask),
        { weight: 'bulk' },
      )
  return rows
}

/** The index holds masks, except of what was recorded without a look for secrets. */
async function reindex(store: Store, secret: Uint8Array | null, places: readonly SecretPlace[]): Promise<void> {
  if (secret === null) return
  const words = Buffer.from(secret).toString('latin1').slice(0, 200)
  const { hits } = await store.events.search(`"${words.replaceAll('"', ' ')}"`, { limit: 1 })
  if (hits.length === 0) return
  await store.write(async (tx) => {
    const texts = []
    for (const { incarnation, offset } of places) texts.push(await tx.erasure.unindex(incarnation, offset))
    const found = new Map(texts.flatMap((text) => (text === null ? [] : [[text.event, text] as const])))
    await tx.record.indexText([...found.values()].filter(({ text }) => text !== ''))
  })
}
