/** Short units of work: PostgreSQL's store does them in one statement, and leaves what any other unit leaves, on either database. */

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { SQL } from 'bun'
import { attemptId, type SessionId, sessionId, type TaskId } from '../../../src/domain/ids'
import type { Store } from '../../../src/domain/store'
import type { AttemptConversation } from '../../../src/domain/task/task'
import type { Caller } from '../../../src/domain/task/worker-protocol'
import { createTaskService, type TaskService } from '../../../src/engine/tasks/task-service'
import { openStore } from '../../../src/store/open'
import { PostgresPool } from '../../../src/store/postgres/postgres-pool'
import type { KeptStore } from '../../../src/store/sql/kept-store'
import { failureOf, make } from '../databases'
import { followFeed } from '../follow-feed'

const OPERATOR: Caller = { kind: 'operator' }

const serviceOf = (store: Store): TaskService => createTaskService({ store, hasFolder: true })
const session = (last: number): SessionId => sessionId(`00000000-0000-4000-8000-${String(last).padStart(12, '0')}`)

async function worker(tasks: TaskService, name: string, capabilities: string[] = []) {
  const { agent } = await tasks.join(OPERATOR, {
    name,
    kind: 'worker',
    capabilities,
    concurrency: 10,
    hostname: 'box',
    hostName: 'host',
    bootId: `boot of ${name}`,
    isFormerGone: true,
    version: '1.0.0',
  })
  return { id: agent.id, caller: { kind: 'agent', agentId: agent.id, agentKind: 'worker' } satisfies Caller }
}

const LINE = { at: '2026-01-01T00:00:00.000Z', kind: 'text', text: 'a\0b \ud800 line' } as const
const PROCESS = { pid: 4_711, startedAt: '1', cwd: '/', branch: null, base: null, cliVersion: '1.0.0' }
const conversation = (last: number): AttemptConversation => ({
  sessionId: session(last),
  rung: 'fresh',
  resumedSessionId: null,
  forked: false,
  forkPoint: null,
  whyNot: [],
})

/** Claims what is next and gives the run's own caller. */
async function begin(tasks: TaskService, caller: Caller & { kind: 'agent' }) {
  const taken = await tasks.claim(caller, null, {})
  if (taken === null) throw new Error('there was no task to claim')
  const { attemptId, generation, task } = taken
  const own = { kind: 'attempt', attemptId, taskId: task.id, agentId: caller.agentId, generation } satisfies Caller
  return { id: task.id, own, task }
}

/** What callers do and are answered: each kind of step, the plain way and the ways that are not plain. */
async function story(store: Store): Promise<unknown[]> {
  const tasks = serviceOf(store)
  const [one, other] = [await worker(tasks, 'one', ['gpu']), await worker(tasks, 'other')]
  const told: unknown[] = []
  const tell = async (what: Promise<unknown>): Promise<void> => {
    const answer = await what.catch((thrown: { code: string; message: string }) => `${thrown.code}: ${thrown.message}`)
    told.push(answer)
  }
  const hostile = 'a\0b \ud800 \' " \\ $1 ? %'

  await tell(tasks.create(OPERATOR, { task: hostile, agentId: one.id, dir: '/', tags: ['x', hostile] }, 'key'))
  await tell(tasks.create(OPERATOR, { task: hostile, agentId: one.id, dir: '/', tags: ['x', hostile] }, 'key'))
  await tell(tasks.create(OPERATOR, { task: 'another', dir: '/' }, 'key'))
  const first = await begin(tasks, one.caller)
  const run = first.own.attemptId
  await tell(tasks.report(one.caller, run, { log: [LINE, LINE], process: PROCESS }))
  await tell(tasks.report(other.caller, run, { log: [LINE] }))
  await tell(tasks.report(first.own, run, { log: [LINE] }))
  await tell(tasks.report(OPERATOR, run, { log: [LINE] }))
  await tell(tasks.report(one.caller, attemptId(`${first.id}.9`), { log: [LINE] }))
  await tell(tasks.report(one.caller, attemptId('none'), { log: [LINE] }))
  await tell(tasks.setConversation(one.caller, first.id, session(1)))
  await tell(tasks.setConversation(one.caller, first.id, session(1)))
  await tell(tasks.progress(first.own, first.id, { progress: hostile }))
  await tell(tasks.progress(other.caller, first.id, { progress: 'not mine' }))
  await tell(tasks.finish(first.own, first.id, { status: 'completed', output: hostile }))
  await tell(tasks.finish(first.own, first.id, { status: 'completed', output: hostile }))
  await tell(tasks.finish(first.own, first.id, { status: 'failed', failureReason: 'no' }))
  await tell(tasks.report(one.caller, run, { log: [LINE] }))
  await tell(tasks.claim(one.caller, null, {}))

  await tell(tasks.create(OPERATOR, { task: 'for some', requiredCapabilities: ['gpu'], priority: 90, dir: '/' }, null))
  await tell(tasks.create(OPERATOR, { task: 'later', notBefore: '2100-01-01T00:00:00.000Z', dir: '/' }, null))
  await tell(tasks.create(OPERATOR, { task: 'for all', dir: '/', permissionMode: 'plan' }, null))
  const easy = await begin(tasks, other.caller)
  const second = await begin(tasks, one.caller)
  told.push(easy.task, second.task)
  await tell(tasks.report(one.caller, second.own.attemptId, { conversation: conversation(8), log: [LINE] }))
  await tell(tasks.report(one.caller, second.own.attemptId, { conversation: conversation(9) }))
  await tell(tasks.create(second.own, { task: 'below it' }, null))
  await tell(tasks.create(OPERATOR, { task: 'after it', dependsOn: [second.id], dir: '/', agentId: other.id }, null))
  await tell(tasks.create(OPERATOR, { task: 'goes on', parentTaskId: second.id }, null))
  await tell(tasks.pause(OPERATOR, easy.id, { reason: 'lunch' }))
  await tell(tasks.progress(easy.own, easy.id, { progress: 'late' }))
  await tell(tasks.resume(OPERATOR, easy.id))
  await tell(tasks.offer(OPERATOR, easy.id, { agentId: one.id }))
  await tell(tasks.cancel(OPERATOR, easy.id, { reason: 'no more' }))
  await tell(tasks.retry(OPERATOR, easy.id, {}))
  await tell(tasks.patch(OPERATOR, easy.id, { title: 'renamed', tags: ['y'] }))
  await tell(tasks.finish(second.own, second.id, { status: 'failed', failureReason: 'broken' }))
  await tell(tasks.retry(OPERATOR, second.id, {}))
  const third = await begin(tasks, one.caller)
  await tell(tasks.release(OPERATOR, third.id, { reason: 'elsewhere' }))
  const fourth = await begin(tasks, one.caller)
  await tell(tasks.finish(fourth.own, fourth.id, { status: 'completed' }))
  return told
}

const TABLES = ['tasks', 'attempts', 'task_log', 'idempotency_keys', 'agents', 'messages', 'task_dependencies', 'feed']
/** What is another in each run: times, and what is made by chance. */
const OWN = /(_at|^at|_xid|^seq|hash|^not_before|^due_at|^boot_id|^session_id|^id)$/

/** All that the tables hold but for `OWN`, in the order in which it came. */
async function contents(read: (text: string) => Promise<Record<string, unknown>[]>): Promise<unknown> {
  const tables: Record<string, unknown> = {}
  for (const table of TABLES) {
    const place =
      table === 'feed' ? 'seq' : table === 'task_dependencies' ? 'task_id' : table === 'messages' ? 'seq' : 'id'
    tables[table] = (await read(`select * from ${table} order by ${place}`)).map((row) =>
      Object.fromEntries(
        Object.entries(row)
          .filter(([column]) => !OWN.test(column))
          .map(([column, value]) => [column, typeof value === 'bigint' ? Number(value) : plain(value)])
          .sort(),
      ),
    )
  }
  return tables
}

const plain = (value: unknown): unknown =>
  // A cause names a time in milliseconds.
  typeof value === 'string' ? value.replace(/\b\d{13}\b/g, 'MS') : value

/** Without times, and with the ids of a run by the order in which they came. */
function alike(kept: unknown): unknown {
  const ids: string[] = []
  const numbered = (id: string): string => {
    if (!ids.includes(id)) ids.push(id)
    return `${id.slice(0, 2)}${ids.indexOf(id)}`
  }
  const text = JSON.stringify(kept).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
  return JSON.parse(text.replace(/\b[ta]-[0-9a-z]{8}\b/g, numbered)) as unknown
}

/** The same store that is never told what a unit is about. */
const untold = (store: KeptStore): Store => ({ ...store, write: (unit) => store.write(unit) })

let url = ''
let remove: () => Promise<void>
let store: KeptStore
beforeAll(async () => {
  const made = await make('postgres')
  url = made.place.url ?? ''
  remove = made.remove
  store = await openStore({ url, mode: 'read-write', migrate: true })
})
afterAll(async () => {
  await store.close()
  await remove()
})

test('a story told in short units, in transactions and on SQLite is answered and kept alike', async () => {
  const kept: unknown[] = []
  for (const kind of ['short', 'transactions', 'sqlite'] as const) {
    const { place, remove: drop } = await make(kind === 'sqlite' ? 'sqlite' : 'postgres')
    const one = await openStore({ ...place, mode: 'read-write', migrate: true })
    const told = await story(kind === 'transactions' ? untold(one) : one)
    await one.close()
    if (place.path !== undefined) {
      using database = new Database(place.path, { readonly: true })
      kept.push(alike([told, await contents(async (text) => database.query(text).all() as Record<string, unknown>[])]))
    } else {
      const sql = new SQL(place.url ?? '', { max: 1, bigint: true })
      kept.push(alike([told, await contents(async (text) => await sql.unsafe(text))]))
      await sql.close()
    }
    await drop()
  }
  expect(kept[0]).toEqual(kept[1])
  expect(kept[0]).toEqual(kept[2])
})

test('each step of a life is one statement, and a claim two', async () => {
  const tasks = serviceOf(store)
  const { id, caller } = await worker(tasks, 'counted')
  const statements = spyOn(PostgresPool.prototype, 'execute')
  const transactions = spyOn(PostgresPool.prototype, 'reserve')
  const counts: number[] = []
  try {
    const counting = async <T>(step: () => Promise<T>): Promise<T> => {
      const before = statements.mock.calls.filter(([text]) => text.includes('task_unit')).length
      const answer = await step()
      counts.push(statements.mock.calls.filter(([text]) => text.includes('task_unit')).length - before)
      return answer
    }
    // What it is about is learnt once.
    await tasks.create(OPERATOR, { task: 'the first', dir: '/', agentId: id }, null)
    await begin(tasks, caller)
    transactions.mockClear()
    await counting(() => tasks.create(OPERATOR, { task: 'a life', dir: '/', agentId: id }, 'a key'))
    const { id: task, own } = await counting(() => begin(tasks, caller))
    await counting(() => tasks.setConversation(caller, task, session(2)))
    await counting(() => tasks.report(caller, own.attemptId, { process: PROCESS, log: [LINE] }))
    await counting(() => tasks.progress(own, task, { progress: 'half way' }))
    await counting(() => tasks.finish(own, task, { status: 'completed', output: 'done' }))
    expect(counts).toEqual([1, 2, 1, 1, 1, 1])
    expect(transactions).not.toHaveBeenCalled()
  } finally {
    statements.mockRestore()
    transactions.mockRestore()
  }
})

test('an agent that takes nothing new is heard all the same when it claims', async () => {
  const tasks = serviceOf(store)
  const { id, caller } = await worker(tasks, 'quiet')
  await tasks.drainMachine(OPERATOR, 'quiet')
  const sql = new SQL(url, { max: 1 })
  try {
    for (const isTaskThere of [false, true]) {
      if (isTaskThere) await tasks.create(OPERATOR, { task: 'for later', dir: '/', agentId: id }, null)
      await sql`update agents set last_seen_at = last_seen_at - 5000 where public_id = ${id}`
      expect(await tasks.claim(caller, null, {})).toBeNull()
      const [row] = await sql`select ${Date.now()} - last_seen_at as silence from agents where public_id = ${id}`
      expect(Number(row.silence)).toBeLessThan(4_000)
    }
  } finally {
    await sql.close()
  }
})

test('units that come together go in few statements, and one that fails or waits holds up none of the others', async () => {
  const tasks = serviceOf(store)
  const { id: agentId, caller } = await worker(tasks, 'together')
  const create = (task: string) => tasks.create(OPERATOR, { task, dir: '/', agentId }, null)
  const sql = new SQL(url, { max: 1 })
  const statements = spyOn(PostgresPool.prototype, 'execute')
  try {
    await create('the first')
    statements.mockClear()
    const made = await Promise.all(Array.from({ length: 20 }, (_, at) => create(`number ${at}`)))
    expect(new Set(made.map(({ task }) => task.id)).size).toBe(20)
    expect(statements.mock.calls.filter(([text]) => text.includes('task_unit')).length).toBeLessThan(10)

    await sql.unsafe(`create function refuse() returns trigger language plpgsql as $$ begin
      if new.title = 'refused' then raise exception 'refused by the test'; end if;
      return new; end $$`)
    await sql.unsafe('create trigger refuse before insert on tasks for each row execute function refuse()')
    const settled = await Promise.allSettled(['a', 'b', 'refused', 'c'].map(create))
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled'])

    const runs = [await begin(tasks, caller), await begin(tasks, caller), await begin(tasks, caller)]
    const [held, ...others] = runs as [(typeof runs)[0], ...typeof runs]
    await sql.unsafe('begin')
    await sql.unsafe(`select 1 from tasks where public_id = '${held.id}' for update`)
    const progress = ({ own, id }: (typeof runs)[0]) => tasks.progress(own, id, { progress: 'half way' })
    let isDone = false
    statements.mockClear()
    // Something is under way while these come, so that they go together. Nothing is asked of the database before it is sent.
    const first = create('under way')
    for (let turn = 0; statements.mock.calls.length === 0 && turn < 1_000; turn++) await Promise.resolve()
    const late = progress(held).finally(() => {
      isDone = true
    })
    await Promise.all(others.map(progress))
    expect(isDone).toBe(false)
    // The first one, those that came meanwhile, and the one that waits.
    expect(statements.mock.calls.filter(([text]) => text.includes('task_units')).length).toBe(3)
    await sql.unsafe('commit')
    expect(await late).toMatchObject({ progress: 'half way' })
    await first
  } finally {
    statements.mockRestore()
    await sql.unsafe('rollback')
    await sql.unsafe('drop function if exists refuse cascade')
    await sql.close()
  }
})

test('units that wait for rows, however many, keep no other unit from being done', async () => {
  const tasks = serviceOf(store)
  const { id: agentId, caller } = await worker(tasks, 'crowded')
  const runs: Awaited<ReturnType<typeof begin>>[] = []
  for (let at = 0; at < 8; at++) {
    await tasks.create(OPERATOR, { task: `held ${at}`, dir: '/', agentId }, null)
    runs.push(await begin(tasks, caller))
  }
  const free = runs.pop()
  if (free === undefined) throw new Error('no run is left')
  const sql = new SQL(url, { max: 1 })
  try {
    await sql.unsafe('begin')
    await sql.unsafe(`select 1 from tasks where public_id in (${runs.map(({ id }) => `'${id}'`)}) for update`)
    const done = new Set<string>()
    // One after another, so that each has a statement of its own.
    const late: Promise<unknown>[] = []
    for (const { own, id } of runs) {
      late.push(tasks.progress(own, id, { progress: 'late' }).then(() => done.add(id)))
      await tasks.progress(free.own, free.id, { progress: `beside ${id}` })
    }
    expect(done.size).toBe(0)
    await sql.unsafe('commit')
    await Promise.all(late)
    expect(done.size).toBe(runs.length)
  } finally {
    await sql.unsafe('rollback')
    await sql.close()
  }
})

test('a poll that only renews leases makes no pass over the feed', async () => {
  const tasks = serviceOf(store)
  const { id, caller } = await worker(tasks, 'renewing')
  await tasks.create(OPERATOR, { task: 'held', dir: '/', agentId: id }, null)
  const input = { bootId: 'boot of renewing', capacity: 1, attempts: [], waitMs: 0 }
  const [held] = (await tasks.poll(caller, id, input)).assignments
  if (held === undefined) throw new Error('there was no task to take')
  const attempts = [{ id: held.attemptId, generation: held.generation }]
  /** Reports a line, and waits until readers of the feed hear of it. */
  const tell = async (): Promise<void> => {
    const head = await store.feed.head()
    await tasks.report(caller, held.attemptId, { log: [LINE] })
    await followFeed(store, head, (all) => all.some(({ data }) => data.attemptId === held.attemptId && data.log === 1))
  }
  const transactions = spyOn(PostgresPool.prototype, 'reserve')
  const statements = spyOn(PostgresPool.prototype, 'execute')
  const passes = (): number =>
    statements.mock.calls.filter(([text]) => text.includes('number_feed') || text.includes('task_units')).length
  try {
    // The task was made in a short unit and taken by a transaction: what is remembered of it is read anew.
    await tell()
    expect(transactions).not.toHaveBeenCalled()
    statements.mockClear()
    for (let turn = 0; turn < 20; turn++) {
      const { renewed } = await tasks.poll(caller, id, { ...input, capacity: 0, attempts })
      expect(renewed).toEqual([held.attemptId])
    }
    // One may have been asked for by the commits before.
    expect(passes()).toBeLessThanOrEqual(1)
    statements.mockClear()
    await tell()
    expect(passes()).toBeGreaterThan(0)
  } finally {
    transactions.mockRestore()
    statements.mockRestore()
  }
})

test('what another server did meanwhile is never overwritten, nor missed', async () => {
  const elsewhere = await openStore({ url, mode: 'read-write' })
  try {
    const [here, there] = [serviceOf(store), createTaskService({ store: elsewhere, hasFolder: true })]
    const { id: agentId, caller } = await worker(here, 'overtaken')
    const next = async (text: string) => {
      await here.create(OPERATOR, { task: text, dir: '/', agentId }, null)
      return await begin(here, caller)
    }
    // Each is remembered here when it changes there.
    const changed = await next('changed')
    await there.progress(OPERATOR, changed.id, { progress: 'of there' })
    expect(await here.setConversation(caller, changed.id, session(3))).toMatchObject({ progress: 'of there' })
    expect(await there.finish(changed.own, changed.id, { status: 'completed' })).toMatchObject({
      claudeSessionId: session(3),
    })
    expect((await failureOf(here.report(caller, changed.own.attemptId, { log: [LINE] }))).code).toBe('lease_lost')
    expect((await failureOf(here.progress(changed.own, changed.id, { progress: 'x' }))).code).toBe('lease_lost')

    const awaited = await next('awaited')
    const dependent = await there.create(OPERATOR, { task: 'after', dir: '/', dependsOn: [awaited.id] }, null)
    await here.finish(awaited.own, awaited.id, { status: 'completed' })
    expect(await store.tasks.find(dependent.task.id)).toMatchObject({ status: 'unassigned' })

    const followed = await next('followed')
    await here.setConversation(caller, followed.id, session(4))
    const child = await there.create(OPERATOR, { task: 'goes on', parentTaskId: followed.id }, null)
    expect(child.task).toMatchObject({ waitingFor: 'parent' })
    await here.finish(followed.own, followed.id, { status: 'completed' })
    expect(await store.tasks.find(child.task.id)).toMatchObject({ waitingFor: null })
  } finally {
    await elsewhere.close()
  }
})

test('units that meet at one task go on one after the other', async () => {
  const elsewhere = await openStore({ url, mode: 'read-write' })
  try {
    const services = [serviceOf(store), createTaskService({ store: elsewhere, hasFolder: true })]
    const [here] = services as [TaskService, TaskService]
    const { id: agentId, caller } = await worker(here, 'meeting')
    await here.create(OPERATOR, { task: 'met', dir: '/', agentId }, null)
    const { id, own } = await begin(here, caller)
    const ends = services.flatMap((service, at) =>
      [0, 1, 2].map((turn) => service.finish(own, id, { status: 'completed', output: `${at}${turn}` })),
    )
    const settled = await Promise.allSettled(ends)
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
    const log = await store.tasks.log(id as TaskId, 0, 100)
    expect(log.filter(({ text }) => text.includes('-> completed'))).toHaveLength(1)
    // One request sent to two servers at once makes one task.
    const made = await Promise.all(
      services.flatMap((service) => [1, 2].map(() => service.create(OPERATOR, { task: 'once', dir: '/' }, 'once'))),
    )
    expect(new Set(made.map(({ task }) => task.id)).size).toBe(1)
  } finally {
    await elsewhere.close()
  }
})
