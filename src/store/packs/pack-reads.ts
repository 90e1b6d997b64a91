import { type Kysely, sql } from 'kysely'
import { incarnationKey, sessionId } from '../../domain/ids'
import type { PackKey, PackReads, RipeChunk, RipeFilter, SealedChunk } from '../../domain/record/pack-store'
import { sha256 } from '../../util/crypto'
import type { ReadContext } from '../sql/read-context'
import type { Schema } from '../sql/tables'
import { selectSealed, toSealed } from './sealed-chunks'

/** A chunk of this size is never added to, so it is ripe as soon as its lines are parsed. */
const LARGE_BYTES = 262_144

export function packReads({ db, sealed }: ReadContext): PackReads {
  return {
    async ripe({ quietSince, limit }: RipeFilter): Promise<RipeChunk[]> {
      const { rows } = await sql<{ incarnation_id: number; offset: number; length: number; stored: number }>`
        select c.incarnation_id, c."offset", c.length, length(c.body) as stored
          from journal_chunks c
          join incarnations i on i.id = c.incarnation_id
          join journals j on j.id = i.journal_id
         where j.session_id is not null
           and (i.closed_at is not null
             or (c."offset" + c.length <= i.parsed and (i.grew_at < ${quietSince} or c.length >= ${sql.lit(LARGE_BYTES)})))
           and not exists (select 1 from incarnations heir where heir.restored_from = i.id)
         order by c.incarnation_id, c."offset" limit ${sql.lit(limit)}`.execute(db)
      return rows.map(({ incarnation_id, ...chunk }) => ({
        incarnation: incarnationKey(incarnation_id),
        offset: Number(chunk.offset),
        length: Number(chunk.length),
        stored: Number(chunk.stored),
      }))
    },

    async bytesOf(chunks) {
      const found = await storedChunks(db, chunks).execute()
      if (!isSame(found, chunks)) return null
      const bytes = Buffer.concat(found.map(({ body }) => Bun.zstdDecompressSync(body)))
      return { bytes, hash: hashOf(found) }
    },

    sealedIn: (incarnation, from, length) => sealedIn(db, incarnation, from, length),

    async sealedEnds(incarnation) {
      const own = await db
        .selectFrom('incarnations')
        .select(['size', 'head_length', 'tail_length'])
        .where('id', '=', incarnation)
        .executeTakeFirst()
      if (own === undefined) return []
      const head = await sealedIn(db, incarnation, 0, own.head_length)
      const tail = await sealedIn(db, incarnation, own.size - own.tail_length, own.tail_length)
      return [...head, ...tail.filter(({ offset }) => !head.some((chunk) => chunk.offset === offset))]
    },

    async wasteful() {
      const { rows } = await sql<{ id: number }>`
        select p.id from packs p join sealed_chunks c on c.pack_id = p.id
         where p.size > 0 group by p.id, p.size having sum(c.stored) * 2 < p.size limit 1`.execute(db)
      const [pack] = rows
      if (pack === undefined) return []
      return (await selectSealed(db).where('c.pack_id', '=', Number(pack.id)).execute()).map(toSealed)
    },

    open: (chunk) => sealed.open(chunk),

    async names() {
      return new Set((await db.selectFrom('packs').select('name').execute()).map(({ name }) => name))
    },

    async inUse() {
      const { rows } = await sql<{ id: number; name: string; size: number }>`
        select id, name, size from packs p
         where exists (select 1 from sealed_chunks c where c.pack_id = p.id) order by id`.execute(db)
      return rows.map(({ id, name, size }) => ({ pack: Number(id) as PackKey, name, size: Number(size) }))
    },

    async chunksOf(pack) {
      return (await selectSealed(db).where('c.pack_id', '=', pack).orderBy('c.place').execute()).map(toSealed)
    },

    async sessionsOf(pack) {
      const { rows } = await sql<{ native_id: string }>`
        select distinct s.native_id from sealed_chunks c
          join incarnations i on i.id = c.incarnation_id
          join journals j on j.id = i.journal_id
          join sessions s on s.id = j.session_id
         where c.pack_id = ${pack} order by s.native_id`.execute(db)
      return rows.map(({ native_id }) => sessionId(native_id))
    },
  }
}

async function sealedIn(db: Kysely<Schema>, incarnation: number, from: number, length: number): Promise<SealedChunk[]> {
  const rows = await selectSealed(db)
    .where('c.incarnation_id', '=', incarnation)
    .where('c.offset', '<', from + length)
    .where((eb) => eb(eb('c.offset', '+', eb.ref('c.length')), '>', from))
    .orderBy('c.offset')
    .execute()
  return rows.map(toSealed)
}

/** The rows of neighbouring chunks of one journal. */
export function storedChunks(db: Kysely<Schema>, chunks: readonly RipeChunk[]) {
  const [first, last] = [chunks[0], chunks.at(-1)]
  return db
    .selectFrom('journal_chunks')
    .select(['offset', 'length', 'body'])
    .where('incarnation_id', '=', first?.incarnation ?? 0)
    .where('offset', '>=', first?.offset ?? 0)
    .where('offset', '<=', last?.offset ?? -1)
    .orderBy('offset')
}

export const isSame = (found: readonly { offset: number; length: number }[], chunks: readonly RipeChunk[]): boolean =>
  found.length === chunks.length &&
  found.every(({ offset, length }, at) => offset === chunks[at]?.offset && length === chunks[at]?.length)

/** The digest of the stored bytes: an erased secret changes it. */
export const hashOf = (found: readonly { body: Uint8Array }[]): Uint8Array => sha256(...found.map(({ body }) => body))
