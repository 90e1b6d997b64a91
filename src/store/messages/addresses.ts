/** Which address an id means. Text, since hooks and the record ask as well. */
import { type Address, address } from '../../domain/ids'
import { first, type Program, run } from '../sql/program'

/** Steps from alias to alias that are followed. */
const STEPS = 50

/** The address that an id means: itself, or what it is an alias of. */
export function* addressOf(id: string): Program<Address> {
  let at = id
  for (let step = 0; step < STEPS; step++) {
    const row = yield* first<{ address: string }>('select address from address_aliases where alias = ?', at)
    if (row === undefined) break
    at = row.address
  }
  return address(at)
}

/** A circle would have no address: an alias of what is an alias of it is passed over. */
export function* putAlias(alias: string, to: Address, evidence: string, now: number): Program<void> {
  const target = yield* addressOf(to)
  if (target === alias) return
  yield* run(
    `insert into address_aliases (alias, address, evidence, at) values (?, ?, ?, ?)
      on conflict (alias) do update set address = excluded.address, evidence = excluded.evidence`,
    alias,
    target,
    evidence,
    now,
  )
  for (const sql of FOLLOWING) yield* run(sql, target, alias)
}

/**
 * What came to the alias before it was known as one: it is the same receiver's. Two of one cause stay two, and the alias's is left where
 * nobody looks, as the address has its own.
 */
const FOLLOWING = [
  `update messages set to_address = ? where to_address = ?
    and not exists (select 1 from messages m join address_aliases a on a.address = m.to_address
      where a.alias = messages.to_address and m.cause = messages.cause)`,
  'update tasks set reply_to = ? where reply_to = ?',
  'update tasks set session_native_id = ? where session_native_id = ?',
  'update attachments set address = ? where address = ? and detached_at is null',
] as const
