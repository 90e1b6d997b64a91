import type { Kysely } from 'kysely'
import { address, type SessionKey } from '../../../domain/ids'
import type { ForgottenWork } from '../../../domain/session/session-store'
import type { TodoFoldOptions } from '../../../domain/todo/todo-step'
import { fingerprint } from '../../../util/files/fingerprint'
import { sharingLists } from '../../record/todos/shared-lists'
import { foldLists } from '../../record/todos/todo-fold'
import { takeFromHours } from '../../record/usage-hours'
import { forgetAddress } from '../../registry/writes'
import { programDriver } from '../../sql/program-driver'
import type { Schema } from '../../sql/tables'
import { forgetTodos } from '../../todos/writes'
import { forgetWork } from './forget-work'
import { forgetReads } from './read-marks'

/** Chunks looked at in one query. */
const CHUNKS_AT_ONCE = 16
/** zstd level of a chunk that is written again. */
const ZSTD_LEVEL = 3
const NEWLINE = 0x0a
const SPACE = 0x20

/**
 * Removes a session and everything that is its alone, and remembers that it was forgotten.
 *
 * @param deleteText  removes its events from the full-text index, before the events.
 * @param todos  how lists that others share with it are folded again
 */
export async function forgetSession(
  db: Kysely<Schema>,
  key: SessionKey,
  now: number,
  deleteText: (db: Kysely<Schema>, session: number) => Promise<unknown>,
  todos?: TodoFoldOptions,
): Promise<ForgottenWork> {
  const session = await db.selectFrom('sessions').select('native_id').where('id', '=', key).executeTakeFirst()
  if (session === undefined) return { tasks: [], keptTasks: [], attempts: [] }
  await addTombstones(db, key, session.native_id, now)
  await keepRestoredBytes(db, key)
  await blankSharedLines(db, session.native_id)
  await deleteText(db, key)
  const shared = await programDriver(db)(sharingLists(key))
  await programDriver(db)(forgetTodos(session.native_id, key))
  await programDriver(db)(forgetReads(session.native_id))
  await programDriver(db)(forgetAddress(address(session.native_id)))
  const work = await forgetWork(db, session.native_id)
  // The feed's rows stay, since readers count on them; what they say of the session goes.
  await db.updateTable('feed').set({ data: '{}' }).where('session_id', '=', key).execute()
  // Locked before it is counted, as recorders lock it.
  await db
    .updateTable('sessions')
    .set((eb) => ({ token_count: eb.ref('token_count') }))
    .where('id', '=', key)
    .execute()
  await programDriver(db)(takeFromHours(key))
  await db.deleteFrom('sessions').where('id', '=', key).execute()
  await forgetSecrets(db)
  // What it did to lists that others share goes from their items too.
  await programDriver(db)(foldLists('', shared, todos))
  return work
}

/** Secrets that stand nowhere any more. What was erased stays known, so that it does not come back. */
async function forgetSecrets(db: Kysely<Schema>): Promise<void> {
  await db
    .deleteFrom('secrets')
    .where('erased_at', 'is', null)
    .where(({ not, exists, selectFrom }) =>
      not(exists(selectFrom('secret_marks as m').select('m.secret_id').whereRef('m.secret_id', '=', 'secrets.id'))),
    )
    .execute()
}

async function addTombstones(db: Kysely<Schema>, key: number, nativeId: string, at: number): Promise<void> {
  const journals = await db.selectFrom('journals').select('path').where('session_id', '=', key).execute()
  const stones = [
    { kind: 'session' as const, value: nativeId, at },
    ...journals.map(({ path }) => ({ kind: 'path' as const, value: path, at })),
  ]
  for (const stone of stones) {
    await db
      .insertInto('tombstones')
      .values(stone)
      .onConflict((conflict) => conflict.columns(['kind', 'value']).doNothing())
      .execute()
  }
}

/** Another session's file that was restored from one of this session's keeps its first bytes: they become its own. */
async function keepRestoredBytes(db: Kysely<Schema>, key: number): Promise<void> {
  const heirs = await db
    .selectFrom('incarnations as heir')
    .innerJoin('incarnations as source', 'source.id', 'heir.restored_from')
    .innerJoin('journals as own', 'own.id', 'source.journal_id')
    .innerJoin('journals as other', 'other.id', 'heir.journal_id')
    .select(['heir.id', 'heir.restored_from', 'heir.restored_length'])
    .where('own.session_id', '=', key)
    .where((eb) => eb.or([eb('other.session_id', 'is', null), eb('other.session_id', '!=', key)]))
    .execute()
  for (const heir of heirs) {
    await db
      .insertInto('journal_chunks')
      .columns(['incarnation_id', 'offset', 'length', 'body'])
      .expression((eb) =>
        eb
          .selectFrom('journal_chunks as c')
          .select((c) => [c.val(heir.id).as('incarnation_id'), 'c.offset', 'c.length', 'c.body'])
          .where('c.incarnation_id', '=', heir.restored_from)
          .where('c.offset', '<', heir.restored_length),
      )
      .onConflict((conflict) => conflict.columns(['incarnation_id', 'offset']).doNothing())
      .execute()
    await db
      .updateTable('incarnations')
      .set({ restored_from: null, restored_length: 0 })
      .where('id', '=', heir.id)
      .execute()
  }
}

/**
 * Journals of many sessions (hooks) keep their length and their other lines: this session's lines become spaces. A line that
 * is cut by a chunk's end is found in both parts only when its id is; hook journals are stored by whole lines. The fingerprints go along, as the
 * file itself is blanked too: it goes on being the same file.
 */
async function blankSharedLines(db: Kysely<Schema>, nativeId: string): Promise<void> {
  const shared = await db
    .selectFrom('incarnations as i')
    .innerJoin('journals as j', 'j.id', 'i.journal_id')
    .select(['i.id', 'i.size', 'i.head_length', 'i.tail_length'])
    .where('j.session_id', 'is', null)
    .execute()
  for (const { id, size, head_length: head, tail_length: tail } of shared) {
    let isChanged = false
    for (let from = 0; ; ) {
      const chunks = await db
        .selectFrom('journal_chunks')
        .select(['offset', 'body'])
        .where('incarnation_id', '=', id)
        .where('offset', '>=', from)
        .orderBy('offset')
        .limit(CHUNKS_AT_ONCE)
        .execute()
      for (const chunk of chunks) {
        const bytes = Bun.zstdDecompressSync(chunk.body)
        if (!blankLines(bytes, nativeId)) continue
        isChanged = true
        await db
          .updateTable('journal_chunks')
          .set({ body: Bun.zstdCompressSync(bytes, { level: ZSTD_LEVEL }) })
          .where('incarnation_id', '=', id)
          .where('offset', '=', chunk.offset)
          .execute()
      }
      const last = chunks.at(-1)
      if (last === undefined || chunks.length < CHUNKS_AT_ONCE) break
      from = last.offset + 1
    }
    if (!isChanged) continue
    const [head_hash, tail_hash] = [await hashOf(db, id, 0, head), await hashOf(db, id, size - tail, tail)]
    await db.updateTable('incarnations').set({ head_hash, tail_hash }).where('id', '=', id).execute()
  }
}

/** The fingerprint of a range of what is stored; `null` = it is empty. */
async function hashOf(
  db: Kysely<Schema>,
  incarnation: number,
  from: number,
  length: number,
): Promise<Uint8Array | null> {
  if (length === 0) return null
  const end = from + length
  const chunks = await db
    .selectFrom('journal_chunks')
    .select(['offset', 'body'])
    .where('incarnation_id', '=', incarnation)
    .where('offset', '<', end)
    .where((eb) => eb(eb('offset', '+', eb.ref('length')), '>', from))
    .orderBy('offset')
    .execute()
  const parts = chunks.map(({ offset, body }) =>
    Bun.zstdDecompressSync(body).subarray(Math.max(0, from - offset), Math.max(0, end - offset)),
  )
  return fingerprint(Buffer.concat(parts))
}

/** Overwrites the lines that say that they are this session's. True when there were any. */
export function blankLines(bytes: Buffer, nativeId: string): boolean {
  // Quotes may be escaped, where one JSON text holds another.
  const id = nativeId.replace(/[^\w-]/g, '\\$&')
  const says = new RegExp(`\\\\*"\\w*session_?id\\\\*"\\s*:\\s*\\\\*"${id}\\\\*"`, 'i')
  let isChanged = false
  for (let at = bytes.indexOf(nativeId); at >= 0; ) {
    const start = bytes.lastIndexOf(NEWLINE, at) + 1
    const newline = bytes.indexOf(NEWLINE, at)
    const end = newline < 0 ? bytes.length : newline
    if (says.test(bytes.toString('utf8', start, end))) {
      bytes.fill(SPACE, start, end)
      isChanged = true
    }
    at = bytes.indexOf(nativeId, end)
  }
  return isChanged
}
