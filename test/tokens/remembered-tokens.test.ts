/** Several servers over one PostgreSQL database: each remembers tokens that it has looked up, and takes none that another has ended. */
import { afterAll, beforeAll, expect, spyOn, test } from 'bun:test'
import { SQL } from 'bun'
import { operatorToken } from '../../src/api/server'
import { createTaskService } from '../../src/engine/tasks/task-service'
import { createTokenService } from '../../src/engine/tokens/token-service'
import { openStore } from '../../src/store/open'
import type { KeptStore } from '../../src/store/sql/kept-store'
import { sha256, sha256Hex } from '../../src/util/crypto'
import { TOKEN } from '../api/start-api'
import { joinAs, serveTasks } from '../api/tasks/serve-tasks'
import { until } from '../lab/until'
import { failureOf, make } from '../store-contract/databases'
import { OPERATOR } from '../tasks/crew'

let url = ''
let remove: () => Promise<void>
let here: KeptStore
let there: KeptStore
let api: ReturnType<typeof serveTasks>
beforeAll(async () => {
  const made = await make('postgres')
  url = made.place.url ?? ''
  remove = made.remove
  here = await openStore({ url, mode: 'read-write', migrate: true })
  there = await openStore({ url, mode: 'read-write' })
  await createTokenService({ store: there }).knowOperator('one', sha256Hex(TOKEN))
  const shared = {
    verify: (presented: string) => here.tokens.isOperatorToken(sha256(presented)),
    prove: operatorToken(TOKEN).prove,
  }
  api = serveTasks(here, {}, { operatorToken: shared, provesTokens: true })
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await here.close()
  await there.close()
  await remove()
})

/** A worker of the server here, which has lived a life, so that its token and the operator's are remembered. */
async function known() {
  const join = joinAs()
  const joined = await api.client.agents.join(join)
  const { id } = joined.agent
  const client = api.as(joined.token)
  const begin = async (task: string) => {
    await api.client.tasks.create({ task, dir: '/', agentId: id })
    const { assignment } = await client.tasks.claimNext()
    if (assignment === null) throw new Error('there was no task to claim')
    return { assignment, id: assignment.task.id, own: api.as(assignment.token) }
  }
  const live = async () => {
    const { id: task, own } = await begin('a life')
    await client.tasks.setConversation(task, { claudeSessionId: crypto.randomUUID() })
    await own.tasks.progress(task, { progress: 'half way' })
    await own.tasks.finish(task, { status: 'completed' })
    await api.client.messages.send({ to: id, text: 'a word' })
    await poll()
  }
  const poll = () => client.agents.poll(id, { bootId: join.bootId, capacity: 0, attempts: [], waitMs: 0 })
  await live()
  return { join, id, client, begin, live, poll }
}

const elsewhere = () => createTaskService({ store: there, hasFolder: true })

test('a life asks for no token, once they are known', async () => {
  const { live } = await known()
  const looks = [
    spyOn(here.tasks, 'agentByToken'),
    spyOn(here.tasks, 'attemptByToken'),
    spyOn(here.tokens, 'isOperatorToken'),
  ]
  try {
    await live()
    for (const look of looks) expect(look).not.toHaveBeenCalled()
  } finally {
    for (const look of looks) look.mockRestore()
  }
})

test('what is refused before the database answered is refused in its own words', async () => {
  const { id } = await known()
  const sql = new SQL(url, { max: 1 })
  try {
    for (const [input, message] of [
      [{ to: id, text: ' ' }, 'The message has no text.'],
      [{ to: id, text: 'done', kind: 'result' }, /^A result can't be sent as a message/],
      [{ to: 'nobody', text: 'hello' }, /nobody/],
    ] as const) {
      const sent = await sql.begin(async (held) => {
        await held`lock table operator_tokens in access exclusive mode`
        // Without a key that would be looked up: the proof of the token is all that it waits for.
        const sent = fetch(`${api.origin}/api/messages`, {
          method: 'POST',
          headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
          body: JSON.stringify(input),
        })
        await until(
          'a question that waits',
          async () => (await held`select 1 from pg_locks where not granted`).length > 0,
        )
        return { answer: sent }
      })
      expect(await (await sent.answer).json()).toMatchObject({ error: { message: expect.stringMatching(message) } })
    }
  } finally {
    await sql.close()
  }
})

test("a worker's token that was replaced at another server is refused at once, whatever is asked", async () => {
  const { join, client, begin, poll } = await known()
  const { id } = await begin('held')
  await api.client.tasks.create({ task: 'waits', dir: '/' })
  await elsewhere().join(OPERATOR, { ...join, isFormerGone: true })
  for (const asked of [
    () => client.tasks.setConversation(id, { claudeSessionId: crypto.randomUUID() }),
    () => client.tasks.setConversation('t-00000000', { claudeSessionId: crypto.randomUUID() }),
    () => client.tasks.claimNext(),
    poll,
  ])
    expect(await failureOf(asked())).toMatchObject({ code: 'unauthorized' })
  const [waits] = (await here.tasks.list({ statuses: ['unassigned'] }, { limit: 1 })).rows
  expect(waits).toMatchObject({ status: 'unassigned' })
})

test('the token of a run that ended at another server is refused as before', async () => {
  const { id: agentId, begin } = await known()
  const { assignment, id, own } = await begin('ended')
  await own.tasks.progress(id, { progress: 'known' })
  const { attemptId, generation } = assignment
  const run = { kind: 'attempt', attemptId, taskId: id, agentId, generation } as const
  await elsewhere().finish(run, id, { status: 'completed' })
  expect(await failureOf(own.tasks.progress(id, { progress: 'late' }))).toMatchObject({ code: 'lease_lost' })
  expect(await here.tasks.find(id)).toMatchObject({ progress: 'known' })
})

test('the access of an enrolled worker ends on time', async () => {
  const { id, client } = await known()
  const sql = new SQL(url, { max: 1 })
  const end = (at: number) => sql`insert into tokens (public_id, purpose, name, agent_public_id, created_at, expires_at)
    values (${`k-${at}`}, 'worker', ${`${id} ${at}`}, ${id}, 0, ${at})`
  try {
    await end(Date.now() + 3_600_000)
    await client.tasks.claimNext()
    await end(1)
    expect(await failureOf(client.tasks.claimNext())).toMatchObject({ code: 'unauthorized' })
  } finally {
    await sql.close()
  }
})

test("an operator's token that another server ended makes no task", async () => {
  const { id } = await known()
  await createTokenService({ store: there }).renewOperator('one', sha256Hex('another'))
  expect(await failureOf(api.client.tasks.create({ task: 'too late', dir: '/' }))).toMatchObject({
    code: 'unauthorized',
  })
  expect((await here.tasks.list({}, { limit: 200 })).rows.filter(({ title }) => title === 'too late')).toEqual([])
  const sent = api.client.messages.send({ to: id, text: 'too late' })
  expect(await failureOf(sent)).toMatchObject({ code: 'unauthorized' })
  const unknown = api.client.messages.send({ to: 't-00000000', text: 'too late' })
  expect(await failureOf(unknown)).toMatchObject({ code: 'unauthorized' })
  expect((await here.messages.list({}, { limit: 200 })).rows.filter(({ text }) => text === 'too late')).toEqual([])
})
