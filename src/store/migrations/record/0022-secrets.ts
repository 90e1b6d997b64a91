/** Where secrets stand in journals. No table holds a secret: a mark is a place, and `public_id` is a hash. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  `create table secrets (
    id ${t.key},
    public_id ${t.bytewise} not null unique,
    rule text not null,
    preview text not null, -- its first characters
    first_seen_at ${t.int} not null,
    erased_at ${t.int} -- null = it stands in journals
  )`,
  `create table secret_marks (
    incarnation_id ${t.int} not null references incarnations(id) on delete cascade,
    "offset" ${t.int} not null,
    length ${t.int} not null,
    secret_id ${t.int} not null references secrets(id),
    session_id ${t.int} references sessions(id) on delete cascade, -- null = a journal of many sessions
    line_uuid ${t.blob}, -- of its event; null = none
    primary key (incarnation_id, "offset")
  )${t.withoutRowid}`,
  'create index secret_marks_secret on secret_marks (secret_id)',
  'create index secret_marks_session on secret_marks (session_id) where session_id is not null',
  // How far journals were looked through by lode secrets scan.
  `create table secret_scans (
    incarnation_id ${t.int} primary key references incarnations(id) on delete cascade,
    scanned ${t.int} not null,
    rules text not null -- which rules there were
  )`,
]

const down = (): string[] => ['drop table secret_scans', 'drop table secret_marks', 'drop table secrets']

export const secretsMigration: Migration = { number: 22, name: 'secrets', up, down }
