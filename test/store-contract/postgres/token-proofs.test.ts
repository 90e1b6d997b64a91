/**
 * Three places decide whether a token is good: the API, which looks it up, the function of short units, and the first round trip of long
 * ones (`store/postgres/short/token-proof.ts`). They agree on all states that a token can be in.
 */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import type { Operation } from '../../../src/api/contract/operation'
import { createAuthenticator } from '../../../src/api/server/callers/authenticate'
import type { Access } from '../../../src/api/server/deps'
import { CALLER_KINDS } from '../../../src/domain/access/caller-kind'
import type { RememberedToken } from '../../../src/domain/token/remembered-token'
import { createTaskService } from '../../../src/engine/tasks/task-service'
import { openStore } from '../../../src/store/open'
import { PostgresPool } from '../../../src/store/postgres/postgres-pool'
import { prove } from '../../../src/store/postgres/short/token-proof'
import type { KeptStore } from '../../../src/store/sql/kept-store'
import { sha256Hex } from '../../../src/util/crypto'
import { make } from '../databases'

const DAY_MS = 86_400_000
const NOBODY = 'lat_nobody-has-this-one'

/** A row of an enrollment; an agent may have had several. */
interface Enrolled {
  isRevoked: boolean
  expires: 'never' | 'before' | 'later'
}
const ENROLLED: readonly Enrolled[] = [true, false].flatMap((isRevoked) =>
  (['never', 'before', 'later'] as const).map((expires) => ({ isRevoked, expires })),
)
/** None, each one, and each after each. */
const HISTORIES: readonly (readonly Enrolled[])[] = [
  [],
  ...ENROLLED.map((one) => [one]),
  ...ENROLLED.flatMap((first) => ENROLLED.map((second) => [first, second])),
]

let store: KeptStore
let pool: PostgresPool
let sql: SQL
let remove: () => Promise<void>

beforeAll(async () => {
  const made = await make('postgres')
  remove = made.remove
  const url = made.place.url ?? ''
  store = await openStore({ url, mode: 'read-write', migrate: true })
  pool = new PostgresPool(url)
  sql = new SQL(url, { max: 1 })
})
afterAll(async () => {
  await sql.close()
  await pool.close()
  await store.close()
  await remove()
})

/** The caller that the API lets in by a token; `null` = nobody. */
async function admitted(token: string): Promise<string | null> {
  const access = { kind: 'network', operatorToken: { verify: () => false } } as unknown as Access
  const authenticator = createAuthenticator(access, store, Date.now)
  const request = new Request('http://127.0.0.1/', { headers: { authorization: `Bearer ${token}` } })
  const taken = {
    access: Object.fromEntries(CALLER_KINDS.map((kind) => [kind, 'any'])) as unknown as Operation['access'],
  }
  try {
    const { caller } = await authenticator.identify(request, taken)
    if (caller.kind === 'attempt') return caller.attemptId
    return caller.kind === 'agent' ? caller.agentId : null
  } catch {
    return null
  }
}

/** What the two statements say of a token and whose it is said to be. */
async function proven(
  of: RememberedToken['of'],
  id: string,
  token: string,
): Promise<{ long: boolean; short: boolean }> {
  const remembered: RememberedToken = { of, id, hash: sha256Hex(token), isGood: false }
  await prove(pool, remembered)
  const about = { token: { of, id, hash: remembered.hash } }
  const { rows } = await pool.execute('select state from task_unit($1::text::jsonb, null, null, 0)', [
    JSON.stringify(about),
  ])
  return { long: remembered.isGood, short: rows[0]?.state !== 'unproven' }
}

let joined = 0

async function agent(kind: 'worker' | 'lead') {
  const service = createTaskService({ store, hasFolder: true })
  const name = `${kind} ${++joined}`
  const { agent, token } = await service.join(
    { kind: 'operator' },
    {
      ...{
        name,
        kind,
        capabilities: [],
        concurrency: 10,
        hostname: 'box',
        hostName: 'host',
        bootId: `boot of ${name}`,
      },
      ...{ isFormerGone: true, version: '1.0.0' },
    },
  )
  return { service, id: agent.id, token }
}

async function enroll(id: string, history: readonly Enrolled[]): Promise<void> {
  const now = Date.now()
  for (const { isRevoked, expires } of history)
    await sql`insert into tokens (public_id, purpose, name, token_hash, agent_public_id, created_at, expires_at, revoked_at)
      values (${crypto.randomUUID()}, 'worker', ${crypto.randomUUID()}, ${crypto.getRandomValues(new Uint8Array(32))}, ${id}, ${now},
        ${expires === 'never' ? null : now + (expires === 'before' ? -DAY_MS : DAY_MS)}, ${isRevoked ? now : null})`
}

/** The token and whose it is, the same said to be another's, and a token of nobody. */
async function agree(of: RememberedToken['of'], owner: { id: string; token: string }, other: string): Promise<boolean> {
  const own = await admitted(owner.token)
  for (const [id, token] of [
    [owner.id, owner.token],
    [other, owner.token],
    [owner.id, NOBODY],
  ] as const) {
    const isGood = (await admitted(token)) === id
    expect(await proven(of, id, token), JSON.stringify([of, id, token === owner.token])).toEqual({
      long: isGood,
      short: isGood,
    })
  }
  return own !== null
}

describe('a token that is remembered', () => {
  test('of a worker is good as long as its newest enrollment is, whatever was before', async () => {
    const other = await agent('worker')
    const good: boolean[] = []
    for (const history of HISTORIES) {
      const one = await agent('worker')
      await enroll(one.id, history)
      good.push(await agree('agent', one, other.id))
    }
    // Both kinds occur.
    expect(new Set(good).size).toBe(2)
  })

  test('of a lead is good until it joins again', async () => {
    const [one, other] = [await agent('lead'), await agent('lead')]
    expect(await agree('agent', one, other.id)).toBe(true)
    await sql`update agents set token_hash = null where public_id = ${one.id}`
    expect(await agree('agent', one, other.id)).toBe(false)
  })

  test('of a run ends with its attempt', async () => {
    const { service, id } = await agent('worker')
    const caller = { kind: 'agent', agentId: id, agentKind: 'worker' } as const
    const runs: { id: string; token: string; taskId: string }[] = []
    for (let at = 0; at < 2; at++) {
      await service.create({ kind: 'operator' }, { task: 'a task', agentId: id, dir: '/' }, null)
      const taken = await service.claim(caller, null, {})
      if (taken === null) throw new Error('there was no task to claim')
      runs.push({ id: taken.attemptId, token: taken.token, taskId: taken.task.id })
    }
    const [one, other] = runs
    if (one === undefined || other === undefined) throw new Error('two runs were to be there')
    expect(await agree('attempt', one, other.id)).toBe(true)
    await sql`update attempts set ended_at = ${Date.now()} where public_id = ${one.id}`
    expect(await agree('attempt', one, other.id)).toBe(false)
    expect(await agree('attempt', other, one.id)).toBe(true)
  })
})
