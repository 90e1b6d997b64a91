import { type Kysely, sql } from 'kysely'
import { AppError } from '../../domain/errors'
import { eventKey, type IncarnationKey, sessionKey } from '../../domain/ids'
import { overwriteSpans } from '../../domain/secrets/mask'
import { ERASED_WORD, type SecretErasure } from '../../domain/secrets/secret-store'
import { fingerprint } from '../../util/files/fingerprint'
import type { Schema } from '../sql/tables'

/** What the two databases say differently. */
export interface ErasureWords {
  /** Every column that holds text, as `name` and `column`. */
  textColumns: string
  /** The key of an event in the full-text index. */
  indexKey: string
}

export const sqliteErasure: ErasureWords = {
  textColumns: `select m.name as name, c.name as "column" from sqlite_master m join pragma_table_info(m.name) c
    where m.type = 'table' and m.name not like 'sqlite_%' and m.name not like 'event_text%' and lower(c.type) = 'text'`,
  indexKey: 'rowid',
}

export const postgresErasure: ErasureWords = {
  textColumns: `select table_name as name, column_name as "column" from information_schema.columns
    where table_schema = current_schema() and data_type = 'text' and is_generated = 'NEVER'`,
  indexKey: 'event_id',
}

/**
 * Tables that keep what they say: lines of the audit log hold the hash of the line before and quote no conversation; the others are how
 * files and secrets are known again.
 */
const KEPT = new Set(['audit_lines', 'audit_head', 'journals', 'tombstones', 'secrets', 'secret_scans', 'migrations'])

/** zstd level of a chunk that is written again. */
const ZSTD_LEVEL = 3

/** Takes a secret out, within a unit. */
export function secretErasure(db: Kysely<Schema>, now: number, words: ErasureWords): SecretErasure {
  return {
    async overwrite(incarnation, offset, length) {
      const chunks = await chunksOf(db, incarnation, offset, length)
      const held = chunks.reduce((sum, chunk) => sum + overlap(chunk, offset, length), 0)
      if (held < length && (await isSealed(db, incarnation, offset, length))) throw sealedMeanwhile()
      for (const chunk of chunks) {
        const bytes = Bun.zstdDecompressSync(chunk.body)
        const [from, to] = [Math.max(0, offset - chunk.offset), Math.min(chunk.length, offset + length - chunk.offset)]
        overwriteSpans(bytes, [{ from, to }], wordFrom(chunk.offset + from - offset))
        const body = Bun.zstdCompressSync(bytes, { level: ZSTD_LEVEL })
        const here = db.updateTable('journal_chunks').set({ body }).where('incarnation_id', '=', incarnation)
        await here.where('offset', '=', chunk.offset).execute()
      }
    },

    async renewFingerprints(incarnation) {
      const found = await db
        .selectFrom('incarnations')
        .select(['size', 'head_length', 'tail_length'])
        .where('id', '=', incarnation)
        .executeTakeFirst()
      if (found === undefined) return
      const [head, tail] = [found.head_length, found.tail_length]
      if ((await isSealed(db, incarnation, 0, head)) || (await isSealed(db, incarnation, found.size - tail, tail)))
        throw sealedMeanwhile()
      const head_hash = await hashOf(db, incarnation, 0, head)
      const tail_hash = await hashOf(db, incarnation, found.size - tail, tail)
      await db.updateTable('incarnations').set({ head_hash, tail_hash }).where('id', '=', incarnation).execute()
    },

    async textColumns() {
      const { rows } = await sql.raw<{ name: string; column: string }>(words.textColumns).execute(db)
      return rows.filter(({ name }) => !KEPT.has(name)).map(({ name, column }) => ({ table: name, column }))
    },

    async replaceText({ table, column }, text, mask) {
      const [of, at] = [sql.table(table), sql.ref(column)]
      const replaced = sql`replace(${at}, ${text}, ${mask})`
      const done = await sql`update ${of} set ${at} = ${replaced} where ${at} <> ${replaced}`.execute(db)
      return Number(done.numAffectedRows ?? 0)
    },

    async unindex(incarnation, offset) {
      const row = await db
        .selectFrom('conversation_events')
        .select(['id', 'session_id', 'text', 'type'])
        .where('incarnation_id', '=', incarnation)
        .where('offset', '<=', offset)
        .where(sql<boolean>`"offset" + length > ${offset}`)
        .executeTakeFirst()
      if (row === undefined) return null
      await sql`delete from event_text where ${sql.ref(words.indexKey)} = ${row.id}`.execute(db)
      return {
        event: eventKey(row.id),
        session: sessionKey(row.session_id),
        text: row.text ?? '',
        isOutput: row.type === 'tool_result',
      }
    },

    async markErased(id) {
      await db.updateTable('secrets').set({ erased_at: now, preview: '' }).where('public_id', '=', id).execute()
    },
  }
}

const overlap = (chunk: { offset: number; length: number }, from: number, length: number): number =>
  Math.min(chunk.offset + chunk.length, from + length) - Math.max(chunk.offset, from)

async function isSealed(db: Kysely<Schema>, incarnation: IncarnationKey, from: number, length: number) {
  const found = await db
    .selectFrom('sealed_chunks')
    .select('offset')
    .where('incarnation_id', '=', incarnation)
    .where('offset', '<', from + length)
    .where((eb) => eb(eb('offset', '+', eb.ref('length')), '>', from))
    .executeTakeFirst()
  return found !== undefined
}

const sealedMeanwhile = (): AppError =>
  new AppError('conflict', 'These bytes were moved into a pack meanwhile.', { details: { isSealed: true } })

/** The word as it goes on where an earlier chunk has its beginning. */
const wordFrom = (at: number): string => ERASED_WORD.slice(at)

function chunksOf(db: Kysely<Schema>, incarnation: IncarnationKey, from: number, length: number) {
  return db
    .selectFrom('journal_chunks')
    .select(['offset', 'length', 'body'])
    .where('incarnation_id', '=', incarnation)
    .where('offset', '<', from + length)
    .where((eb) => eb(eb('offset', '+', eb.ref('length')), '>', from))
    .orderBy('offset')
    .execute()
}

/** The fingerprint of a range of what is stored; `null` = it is empty. */
async function hashOf(db: Kysely<Schema>, incarnation: IncarnationKey, from: number, length: number) {
  if (length === 0) return null
  const parts = (await chunksOf(db, incarnation, from, length)).map(({ offset, body }) =>
    Bun.zstdDecompressSync(body).subarray(Math.max(0, from - offset), Math.max(0, from + length - offset)),
  )
  return fingerprint(Buffer.concat(parts))
}
