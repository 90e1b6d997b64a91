/** Chunks of journals that change no more lie in packs, which are blobs; the database keeps where, and the key of each. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  `create table packs (
    id ${t.key},
    name text not null unique, -- of the blob
    size ${t.int} not null default 0, -- 0 = it is being written
    made_at ${t.int} not null,
    unused_since ${t.int} -- nothing lies in it since
  )`,
  `create table sealed_chunks (
    incarnation_id ${t.int} not null references incarnations(id) on delete cascade,
    "offset" ${t.int} not null,
    length ${t.int} not null, -- bytes before compression
    pack_id ${t.int} not null references packs(id),
    place ${t.int} not null, -- in the pack
    stored ${t.int} not null, -- bytes in the pack
    key ${t.blob} not null, -- of these bytes alone
    primary key (incarnation_id, "offset")
  ) ${t.withoutRowid}`,
  'create index sealed_chunks_pack on sealed_chunks (pack_id)',
  // One row: who makes packs now, and where those of this database are.
  `create table packing (
    name text not null primary key,
    space text not null, -- the blobs' first folder: no other database deletes there
    until ${t.int} not null
  )`,
]

const down = (): string[] => [
  // Refused while a chunk lies in one: what is in packs is nowhere else.
  'delete from packs',
  'drop table sealed_chunks',
  'drop table packs',
  'drop table packing',
]

export const packsMigration: Migration = { number: 150, name: 'packs', up, down }
