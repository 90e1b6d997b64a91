/** Tokens that an operator gave out, and the codes by which machines get theirs. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  `create table tokens (
    id ${t.key},
    public_id ${t.bytewise} not null unique,
    purpose text not null, -- viewer | operator | worker
    name text not null,
    token_hash ${t.blob} unique,
    code_hash ${t.blob} unique,
    code_expires_at ${t.int},
    agent_public_id ${t.bytewise},
    created_at ${t.int} not null,
    last_used_at ${t.int},
    expires_at ${t.int},
    revoked_at ${t.int}
  )`,
  // One machine at a time works under a worker's name.
  `create unique index tokens_worker on tokens (name) where purpose = 'worker' and revoked_at is null`,
  `create index tokens_agent on tokens (agent_public_id) where agent_public_id is not null`,
]

const down = (): string[] => ['drop table tokens']

export const tokensMigration: Migration = { number: 17, name: 'tokens', up, down }
