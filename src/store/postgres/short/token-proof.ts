import type { RememberedToken } from '../../../domain/token/remembered-token'
import type { PostgresExecutor } from '../postgres-connection'

/**
 * Whether a token is still whose it was, as the API would find by looking it up (`api/server/callers/authenticate.ts`), and as the function
 * of short units asks. Parameters: the token's hash, and whose it was.
 */
const IS_GOOD: Readonly<Record<RememberedToken['of'], string>> = {
  operator: `select exists (select 1 from operator_tokens o
    where o.token_hash = decode($1, 'hex') and o.ended_at is null and $2::text is null) as "isGood"`,
  // A run's ends with its attempt.
  attempt: `select exists (select 1 from attempts a
    where a.token_hash = decode($1, 'hex') and a.public_id = $2 and a.ended_at is null) as "isGood"`,
  // That of a worker ends with its enrollment.
  agent: `select exists (select 1 from agents g where g.token_hash = decode($1, 'hex') and g.public_id = $2)
    and not exists (select 1 from tokens n where n.id = (select max(o.id) from tokens o where o.agent_public_id = $2)
      and n.revoked_at is null and n.expires_at <= extract(epoch from clock_timestamp()) * 1000) as "isGood"`,
}

/** Looks up the token of a unit that is done in a transaction, and notes that it is good. */
export async function prove(executor: PostgresExecutor, token: RememberedToken): Promise<void> {
  const { rows } = await executor.execute(IS_GOOD[token.of], [token.hash, token.id])
  if (rows[0]?.isGood === true) token.isGood = true
}
