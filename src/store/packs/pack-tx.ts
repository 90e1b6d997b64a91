import type { ExpressionBuilder, Kysely } from 'kysely'
import type { PackKey, PackTx } from '../../domain/record/pack-store'
import { isSameBytes, randomHex } from '../../util/crypto'
import type { Schema } from '../sql/tables'
import { hashOf, isSame, storedChunks } from './pack-reads'

/** As chunks are written. */
const ZSTD_LEVEL = 3
const SPACE_BYTES = 8
/** The one row of `packing`. */
const ROW = 'packs'

/** @param locks  whether rows that are decided on have to be held: several units run at once */
export function packTx(db: Kysely<Schema>, now: number, { locks }: { locks: boolean }): PackTx {
  return {
    async claim(forMs) {
      const until = now + forMs
      await db
        .insertInto('packing')
        .values({ name: ROW, space: randomHex(SPACE_BYTES), until: 0 })
        .onConflict((conflict) => conflict.column('name').doNothing())
        .execute()
      const claimed = await db
        .updateTable('packing')
        .set({ until })
        .where('name', '=', ROW)
        .where('until', '<', now)
        .executeTakeFirst()
      if (Number(claimed.numUpdatedRows) === 0) return null
      return (await db.selectFrom('packing').select('space').where('name', '=', ROW).executeTakeFirstOrThrow()).space
    },

    async release() {
      await db.updateTable('packing').set({ until: 0 }).where('name', '=', ROW).execute()
    },

    async leaveSpace() {
      await db.deleteFrom('packing').execute()
    },

    async begin(name) {
      const { id } = await db
        .insertInto('packs')
        .values({ name, made_at: now })
        .returning('id')
        .executeTakeFirstOrThrow()
      return id as PackKey
    },

    async setSize(pack, size) {
      await db.updateTable('packs').set({ size }).where('id', '=', pack).execute()
    },

    async seal({ incarnation, offset, length, pack, place, stored, key }, { of, hash }) {
      const chunks = storedChunks(db, of)
      const found = await (locks ? chunks.forUpdate() : chunks).execute()
      if (!isSame(found, of) || !isSameBytes(hashOf(found), hash)) return false
      await db
        .insertInto('sealed_chunks')
        .values({ incarnation_id: incarnation, offset, length, pack_id: pack, place, stored, key })
        .execute()
      await db
        .deleteFrom('journal_chunks')
        .where('incarnation_id', '=', incarnation)
        .where('offset', '>=', offset)
        .where('offset', '<', offset + length)
        .execute()
      return true
    },

    async unseal({ incarnation, offset, length, pack, place }, bytes) {
      const gone = await db
        .deleteFrom('sealed_chunks')
        .where('incarnation_id', '=', incarnation)
        .where('offset', '=', offset)
        .where('pack_id', '=', pack)
        .where('place', '=', place)
        .executeTakeFirst()
      if (Number(gone.numDeletedRows) === 0) return false
      const body = Bun.zstdCompressSync(bytes as Uint8Array<ArrayBuffer>, { level: ZSTD_LEVEL })
      await db.insertInto('journal_chunks').values({ incarnation_id: incarnation, offset, length, body }).execute()
      return true
    },

    async dropUnused(before) {
      await db.deleteFrom('packs').where('unused_since', '<', before).where(isUnused).execute()
      await db
        .updateTable('packs')
        .set({ unused_since: now })
        .where('unused_since', 'is', null)
        .where(isUnused)
        .execute()
    },
  }
}

const isUnused = ({ not, exists, selectFrom }: ExpressionBuilder<Schema, 'packs'>) =>
  not(exists(selectFrom('sealed_chunks as c').select('c.pack_id').whereRef('c.pack_id', '=', 'packs.id')))
