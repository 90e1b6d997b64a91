import { expect, test } from 'bun:test'
import { SQL } from 'bun'
import {
  COST_STACKS,
  type CostRequest,
  type CostStack,
  type Costs,
  type CostTimeRequest,
} from '../../../src/domain/cost/cost'
import { COST_STEPS, type CostStep } from '../../../src/domain/cost/periods'
import { addCosts, type Cost, costOf, NO_COST, setOwnPrices } from '../../../src/domain/cost/price'
import { readTimeZone, UTC, ZoneDays } from '../../../src/domain/cost/zone-days'
import { sessionId } from '../../../src/domain/ids'
import { COST_GROUPS, type CostGroup } from '../../../src/domain/overview/tree-entry'
import { readShare, shareText } from '../../../src/domain/task/placement/placement'
import { openAdmin } from '../../../src/store/admin'
import { openStore, type StorePlace } from '../../../src/store/open'
import type { KeptStore } from '../../../src/store/sql/kept-store'
import { make, onEachDatabase } from '../databases'
import { type SampleSession, sampleHost, sampleSession, sampleSubagent, sampleUsage, subagentKeyOf } from '../sample'
import { addAgent, addTask, sampleAttempt } from '../tasks-sample'
import { dice, HOUR, MINUTE } from '../tree-world'

/** The schema before the sums. */
const BEFORE = 180
const START = Date.parse('2026-03-28T12:00:00Z')
const MODELS = ['claude-opus-5-5', 'claude-sonnet-4-9', 'nobody-knows-1', 'local/own']
const ZONES = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'Asia/Kathmandu']

/** A message as the database has it. */
interface Message {
  session: string
  agent: string
  project: string | null
  /** The share of the newest task with this conversation. */
  person: string
  node: string
  model: string
  at: number | null
  key: number
  counts: number[]
}
interface Attempt {
  task: string
  session: string
  at: number
}

const NUMBERS = 'input, output, cache_read, cache_creation, cache_creation_1h, web_searches, stated_nano_usd'
const numberOf = (value: unknown): number | null => (value === null ? null : Number(value))

/** All messages and attempts, by a connection of its own. */
async function readAll(place: StorePlace): Promise<{ messages: Message[]; attempts: Attempt[] }> {
  const sql =
    place.path !== undefined ? new SQL({ adapter: 'sqlite', filename: place.path }) : new SQL(place.url, { max: 1 })
  const conversation =
    place.path !== undefined ? `json_extract(a.conversation, '$.sessionId')` : `(a.conversation::json ->> 'sessionId')`
  try {
    const messages = (await sql.unsafe(`select s.native_id as session, s.agent, p.name as project, n.kind, n.type, u.*
      from usage_messages u join sessions s on s.id = u.session_id left join projects p on p.id = s.project_id
        left join subagents n on n.id = u.subagent_id`)) as Record<string, unknown>[]
    const shares = (await sql.unsafe(`select t.last_session_native_id as session, t.share from tasks t
      where t.share is not null order by t.id`)) as { session: string | null; share: string }[]
    const attempts = (await sql.unsafe(`select t.public_id as task, ${conversation} as session, a.started_at as at
      from attempts a join tasks t on t.id = a.task_id where a.conversation is not null order by a.started_at, a.id`)) as Record<
      string,
      unknown
    >[]
    return {
      messages: messages.map((row) => ({
        session: String(row.session),
        agent: String(row.agent),
        project: row.project === null ? null : String(row.project),
        person:
          readShare(shares.findLast(({ session }) => session === String(row.session))?.share ?? null).user ||
          'nobody by name',
        node:
          Number(row.subagent_id) === 0
            ? 'main thread'
            : row.kind === 'internal'
              ? "the CLI's own"
              : row.type === null
                ? `${row.kind} of no known type`
                : String(row.type),
        model: String(row.model),
        at: numberOf(row.at),
        key: Number(row.session_id),
        counts: NUMBERS.split(', ').map((name) => Number(row[name])),
      })),
      attempts: attempts.map((row) => ({ task: String(row.task), session: String(row.session), at: Number(row.at) })),
    }
  } finally {
    await sql.close()
  }
}

type Sum = [messages: number, tokens: number, costUsd: string, isEstimate: boolean, lastAt: number | null]

/** The same as the costs, by going through all of it. */
function walk(
  { messages, attempts }: Awaited<ReturnType<typeof readAll>>,
  request: Partial<Omit<CostRequest, 'by'>> & { by: CostGroup | CostStack },
): Map<string, Sum> {
  const days = new ZoneDays(request.timeZone ?? UTC)
  const keyOf = (message: Message): string => {
    const own = attempts.filter(({ session }) => session === message.session)
    switch (request.by) {
      case 'project':
        return message.project ?? 'no project'
      case 'day':
        return message.at === null ? '' : days.dayAt(message.at)
      case 'subagent':
        return message.node
      case 'task':
        return (own.findLast(({ at }) => message.at !== null && at <= message.at) ?? own[0])?.task ?? ''
      default:
        return message[request.by]
    }
  }
  const { since = Number.NEGATIVE_INFINITY, until = Number.POSITIVE_INFINITY } = request
  const isTimed = request.since !== undefined || request.until !== undefined
  const groups = new Map<string, Map<string, { messages: number; counts: number[]; lastAt: number | null }>>()
  for (const message of messages) {
    if (isTimed && (message.at === null || message.at < since || message.at >= until)) continue
    if (request.model !== undefined && message.model !== request.model) continue
    if (request.project !== undefined && message.project !== request.project) continue
    if (request.sessionId !== undefined && message.session !== request.sessionId) continue
    const group = groups.get(keyOf(message)) ?? new Map()
    groups.set(keyOf(message), group)
    const sum = group.get(message.model) ?? { messages: 0, counts: [0, 0, 0, 0, 0, 0, 0], lastAt: null }
    group.set(message.model, sum)
    sum.messages++
    message.counts.forEach((count, at) => {
      sum.counts[at] += count
    })
    if (message.at !== null) sum.lastAt = Math.max(sum.lastAt ?? message.at, message.at)
  }
  return new Map(
    [...groups].map(([key, byModel]) => {
      let cost: Cost = NO_COST
      let [all, tokens] = [0, 0]
      let lastAt: number | null = null
      for (const [model, sum] of byModel) {
        const [input = 0, output = 0, read = 0, created = 0, hour = 0, searches = 0, stated = 0] = sum.counts
        cost = addCosts(
          cost,
          costOf({
            ...{ model, messageCount: sum.messages, inputTokens: input, outputTokens: output, cacheReadTokens: read },
            ...{
              cacheCreationTokens: created,
              cacheCreation1hTokens: hour,
              webSearchCount: searches,
              statedNanoUsd: stated,
            },
          }),
        )
        all += sum.messages
        tokens += input + output + read + created
        if (sum.lastAt !== null) lastAt = Math.max(lastAt ?? sum.lastAt, sum.lastAt)
      }
      return [key, [all, tokens, cost.costUsd?.toFixed(9) ?? 'unknown', cost.isEstimate, lastAt]]
    }),
  )
}

const told = ({ by, rows }: Costs): Map<string, Sum> =>
  new Map(
    rows.map((row) => {
      const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = row.usage
      const tokens = inputTokens + outputTokens + cacheReadTokens + cacheCreationTokens
      const key = by === 'project' || by === 'subagent' ? row.label : row.key
      const lastAt = row.lastAt === null ? null : Date.parse(row.lastAt)
      return [key, [row.messages, tokens, row.costUsd?.toFixed(9) ?? 'unknown', row.isEstimate, lastAt]]
    }),
  )

/** When the period of a time begins, as a calendar has it. */
function beginOf(step: CostStep, at: number, days: ZoneDays): number {
  if (step === 'hour') return at - (((at % HOUR) + HOUR) % HOUR)
  const date = new Date(`${days.dayAt(at)}T00:00:00Z`)
  if (step === 'week') while (date.getUTCDay() !== 1) date.setUTCDate(date.getUTCDate() - 1)
  return days.beginOf(date.toISOString().slice(0, 10))
}

/** Tokens and dollars by period and stack, by going through all messages. */
function walkOverTime(
  all: Awaited<ReturnType<typeof readAll>>,
  { step, stack, since, until, timeZone }: CostTimeRequest,
): Map<string, [tokens: number, costUsd: string]> {
  const days = new ZoneDays(timeZone)
  const meant = all.messages.filter(({ at }) => at !== null && at >= since && at < (until ?? Infinity))
  const begins = new Set(meant.map(({ at }) => beginOf(step, at ?? 0, days)))
  return new Map(
    [...begins].flatMap((begin) => {
      const messages = meant.filter(({ at }) => beginOf(step, at ?? 0, days) === begin)
      return [...walk({ ...all, messages }, { by: stack })].map(
        ([key, [, tokens, costUsd]]) => [`${new Date(begin).toISOString()} ${key}`, [tokens, costUsd]] as const,
      )
    }),
  )
}

const sorted = (sums: Map<string, Sum>) => [...sums].sort(([a], [b]) => (a < b ? -1 : 1))

onEachDatabase(({ kind }) => {
  const requests = (): (Partial<CostRequest> & { by: CostGroup })[] =>
    COST_GROUPS.flatMap((by) => [
      { by },
      { by, since: START - 2 * HOUR + 7, until: START + 5 * HOUR + 20 * MINUTE },
      { by, since: START + 10 * MINUTE, until: START + 20 * MINUTE },
      { by, until: START + 4 * HOUR },
      { by, model: MODELS[0] as string },
      { by, project: 'app', since: START + HOUR },
      { by, project: null },
    ])

  const expectSame = async (store: KeptStore, place: StorePlace): Promise<void> => {
    const all = await readAll(place)
    for (const request of requests()) {
      const zones = request.by === 'day' ? ZONES : ['UTC']
      for (const zone of zones) {
        const timeZone = readTimeZone(zone) ?? UTC
        const costs = await store.costs.sum({ limit: 1_000, ...request, timeZone })
        const expected = walk(all, { ...request, timeZone })
        expect([request, zone, sorted(told(costs))]).toEqual([request, zone, sorted(expected)])
        const counted = [...expected.values()].reduce((sum, [messages]) => sum + messages, 0)
        expect([request, costs.total.messages]).toEqual([request, counted])
      }
    }
  }

  const expectSameOverTime = async (store: KeptStore, place: StorePlace): Promise<void> => {
    const all = await readAll(place)
    for (const step of COST_STEPS)
      for (const stack of COST_STACKS)
        for (const zone of ZONES) {
          const timeZone = readTimeZone(zone) ?? UTC
          const request = { step, stack, timeZone, since: START - 3 * HOUR + 7, until: START + 7 * HOUR + 20 * MINUTE }
          const { stacks, periods, made } = await store.costs.overTime(request)
          const found = periods.flatMap(({ begin, parts }) =>
            parts.map(({ stack: at, tokens, costUsd }): [string, [number, string]] => [
              `${begin} ${stacks[at]?.label}`,
              [tokens, costUsd?.toFixed(9) ?? 'unknown'],
            ]),
          )
          const byKey = ([a]: [string, unknown], [b]: [string, unknown]) => (a < b ? -1 : 1)
          expect([request, found.sort(byKey)]).toEqual([request, [...walkOverTime(all, request)].sort(byKey)])
          expect(made?.commits).toBe(0)
        }
    // A session's are read message by message.
    const [one] = all.messages
    if (one === undefined) return
    const own = {
      step: 'hour',
      stack: 'model',
      timeZone: UTC,
      since: START - 9 * HOUR,
      sessionId: sessionId(one.session),
    } as const
    const { stacks, made } = await store.costs.overTime(own)
    const mine = all.messages.filter(({ session, at }) => session === one.session && at !== null)
    const tokens = [...walk({ ...all, messages: mine }, { by: 'model' }).values()].reduce(
      (sum, [, many]) => sum + many,
      0,
    )
    expect([stacks.reduce((sum, each) => sum + each.tokens, 0), made]).toEqual([tokens, null])
  }

  test('whatever is recorded, moved and forgotten in whatever order, sums are those of all messages', async () => {
    const { place, remove } = await make(kind)
    const store = await openStore({ ...place, mode: 'read-write', migrate: true })
    try {
      for (const seed of [1, 2]) {
        const roll = dice(seed)
        const pick = <T>(from: readonly T[]): T => from[roll(from.length)] as T
        const agent = await addAgent(store)
        const tasks = [await addTask(store), await addTask(store), await addTask(store)]
        const attempts = new Map<string, number>()
        const projects = await store.write(async ({ record }) => {
          const host = await sampleHost(record)
          return [await record.project(host, '/home/u/app', null, 'app'), await record.project(host, '/x', null, 'x')]
        })
        let sessions: SampleSession[] = []
        const shared: Awaited<ReturnType<typeof addTask>>[] = []
        const rows = new Map<SampleSession, Parameters<typeof sampleUsage>[1][]>()
        const record = async (session: SampleSession) =>
          await store.write(async (tx) => {
            const given = rows.get(session) ?? []
            for (let count = 1 + roll(5); count > 0; count--) {
              const subagentKey = roll(3) === 0 ? await subagentKeyOf(tx.record, session, `a${roll(3)}`) : null
              const old = given.length > 0 && roll(3) === 0 ? pick(given) : undefined
              const model = old?.model ?? pick(MODELS)
              const at = old?.at ?? (roll(12) === 0 ? null : START - 4 * HOUR + roll(12 * 60) * MINUTE + roll(60_000))
              given.push({
                messageId: old?.messageId ?? `m${given.length}`,
                ...{ subagentKey, isMainFile: subagentKey === null || roll(2) === 0, model, at },
                ...{
                  inputTokens: roll(1_000),
                  outputTokens: roll(500),
                  cacheReadTokens: roll(9_000),
                  webSearchCount: roll(2),
                },
                ...{ cacheCreationTokens: 500 + roll(500), cacheCreation1hTokens: roll(500) },
                statedNanoUsd: model === 'local/own' ? 1_000_000 + roll(1_000_000) : 0,
              })
            }
            rows.set(session, given)
            await tx.record.mergeUsage(given.slice(-5).map((row) => sampleUsage(session, row)))
          })
        const run = async (session: SampleSession) =>
          await store.write(async (tx) => {
            const task = pick(tasks)
            attempts.set(task.id, (attempts.get(task.id) ?? 0) + 1)
            const number = attempts.get(task.id) ?? 1
            const key = await tx.tasks.insertAttempt(sampleAttempt(task, agent.key, { number }))
            const startedAt = START - 4 * HOUR + roll(12) * HOUR
            await tx.tasks.updateAttempt(key, {
              ...{ startedAt, endedAt: startedAt + 1 },
              conversation: {
                ...{ rung: 'native', sessionId: sessionId(session.id), resumedSessionId: null, forked: false },
                ...{ forkPoint: null, whyNot: [] },
              },
            })
          })
        for (let step = 0; step < 60; step++) {
          const what = roll(12)
          if (what === 0 || sessions.length === 0)
            sessions.push(await store.write(async (tx) => await sampleSession(tx)))
          const session = pick(sessions)
          if (what === 1)
            await store.write(async ({ record: tx }) => await tx.setSessionProject(session.key, pick(projects)))
          else if (what === 2)
            await store.write(async ({ record: tx }) => {
              await tx.mergeSubagents([
                sampleSubagent(session, `a${roll(3)}`, {
                  type: pick([null, 'explorer', 'ünï:x']),
                  kind: pick(['agent', 'internal']),
                }),
              ])
            })
          else if (what === 3) await run(session)
          else if (what === 4) await store.write(async ({ record: tx }) => await tx.foldUsage())
          else if (what === 6) {
            // The owner of a conversation changes, also to a task that is for a project alone or for nobody.
            const user = pick(['Ada', 'Ben', `O'"Neill [x] ünï`, ''])
            const share = roll(6) === 0 ? null : shareText({ user, project: pick(['', '/home/u/app']) })
            shared.push(await addTask(store, { share, lastSessionId: sessionId(session.id) }))
          } else if (what === 7 && shared.length > 0) {
            // A task goes on in another conversation: that of a session, or of one that is recorded later.
            const [one, later] = [pick(shared), `00000000-0000-4000-8000-00000000000${roll(3)}`]
            const lastSessionId = sessionId(roll(3) === 0 ? later : session.id)
            await store.write(async (tx) => await tx.tasks.updateTask(one.key, { lastSessionId }))
          } else if (what === 5 && sessions.length > 3) {
            await store.write(async (tx) => await tx.sessions.forget(session.key))
            sessions = sessions.filter((one) => one !== session)
          } else await record(session)
          if (step % 20 === 19) {
            await expectSame(store, place)
            await expectSameOverTime(store, place)
          }
        }
        setOwnPrices({ asOf: '2026-01-01', models: { 'nobody-knows-1': { input: 7, output: 70 } } })
        await expectSame(store, place)
        setOwnPrices(null)
        await store.write(async ({ record: tx }) => await tx.foldUsage())
        await expectSame(store, place)
      }
      // Read anew from the beginning.
      await store.write(async ({ record: tx }) => await tx.clearProjections())
      expect((await store.costs.sum({ by: 'task', timeZone: UTC, limit: 10 })).rows).toEqual([])
      await expectSame(store, place)
    } finally {
      setOwnPrices(null)
      await store.close()
      await remove()
    }
  })

  test('the newest message of a row is told when a newer one went to the main thread', async () => {
    const { place, remove } = await make(kind)
    const store = await openStore({ ...place, mode: 'read-write', migrate: true })
    try {
      await store.write(async (tx) => {
        const session = await sampleSession(tx)
        const subagentKey = await subagentKeyOf(tx.record, session, 'a1')
        const message = (messageId: string, at: number) => ({ messageId, at, isMainFile: false })
        const [first, second] = [message('m1', START), message('m2', START + MINUTE)]
        await tx.record.mergeUsage([first, second].map((row) => sampleUsage(session, { ...row, subagentKey })))
        await tx.record.mergeUsage([sampleUsage(session, { ...second, isMainFile: true })])
      })
      const lastOf = async () => {
        const { rows } = await store.costs.sum({ by: 'subagent', timeZone: UTC, limit: 10 })
        return rows.map(({ label, lastAt }) => [label, Date.parse(lastAt ?? '')]).sort()
      }
      const expected = [
        ['agent of no known type', START],
        ['main thread', START + MINUTE],
      ]
      expect(await lastOf()).toEqual(expected)
      await store.write(async ({ record }) => await record.foldUsage())
      expect(await lastOf()).toEqual(expected)
    } finally {
      await store.close()
      await remove()
    }
  })

  if (kind === 'postgres')
    test('a session that is recorded while a task takes it hears of the task', async () => {
      const { place, remove } = await make(kind)
      const store = await openStore({ ...place, mode: 'read-write', migrate: true })
      const [recorder, worker] = [new SQL(place.url ?? '', { max: 1 }), new SQL(place.url ?? '', { max: 1 })]
      try {
        await store.write(async (tx) => await sampleSession(tx))
        const share = shareText({ user: 'Ada', project: '' })
        const task = await addTask(store, { share })
        await recorder.unsafe('begin')
        await recorder.unsafe(
          `insert into sessions (agent, native_id, host_id, created_at) select agent, 'later', host_id, created_at from sessions`,
        )
        // As its commit does.
        await recorder.unsafe('set constraints all immediate')
        let isDone = false
        const taken = worker
          .unsafe(`update tasks set last_session_native_id = 'later' where id = ${Number(task.key)}`)
          .then(() => {
            isDone = true
          })
        const waits = `select 1 from pg_locks where locktype = 'advisory' and not granted`
        while (!isDone && (await recorder.unsafe(waits)).length === 0) await Promise.resolve()
        await recorder.unsafe('commit')
        await taken
        const [row] = await recorder.unsafe(`select share from sessions where native_id = 'later'`)
        expect(row?.share).toBe(share)
      } finally {
        await recorder.close()
        await worker.close()
        await store.close()
        await remove()
      }
    })

  test('years of days that begin within an hour are read in parts', async () => {
    const { place, remove } = await make(kind)
    const store = await openStore({ ...place, mode: 'read-write', migrate: true })
    try {
      const days = 1_200
      // Midnight in India is half past six in the evening of UTC.
      const at = (day: number) => START + day * 24 * HOUR + 6 * HOUR + 20 * MINUTE
      await store.write(async (tx) => {
        const session = await sampleSession(tx)
        for (let from = 0; from < days; from += 100)
          await tx.record.mergeUsage(
            Array.from({ length: 100 }, (_, by) =>
              sampleUsage(session, { messageId: `m${from + by}`, at: at(from + by), model: MODELS[0] as string }),
            ),
          )
      })
      await store.write(async ({ record }) => await record.foldUsage())
      const timeZone = readTimeZone('Asia/Kolkata') ?? UTC
      const request = { step: 'day', stack: 'model', timeZone, since: START, until: at(days) } as const
      expect((await store.costs.overTime(request)).periods).toHaveLength(days)
    } finally {
      await store.close()
      await remove()
    }
  })

  test('messages that were there before are in the sums', async () => {
    const { place, remove } = await make(kind)
    try {
      const store = await openStore({ ...place, mode: 'read-write', migrate: true })
      const agent = await addAgent(store)
      const task = await addTask(store)
      await store.write(async (tx) => {
        const session = await sampleSession(tx)
        await tx.record.project(await sampleHost(tx.record), '/home/u/app', null, 'app')
        const subagentKey = await subagentKeyOf(tx.record, session, 'a1')
        await tx.record.mergeSubagents([sampleSubagent(session, 'a1', { type: 'explorer' })])
        await tx.record.mergeUsage(
          [null, -1, START, START + HOUR].map((at, n) =>
            sampleUsage(session, { at, subagentKey: n === 2 ? subagentKey : null, model: MODELS[n] as string }),
          ),
        )
        const key = await tx.tasks.insertAttempt(sampleAttempt(task, agent.key))
        await tx.tasks.updateAttempt(key, {
          ...{ startedAt: START, endedAt: START + 1 },
          conversation: {
            ...{ rung: 'native', sessionId: sessionId(session.id), resumedSessionId: null, forked: false },
            ...{ forkPoint: null, whyNot: [] },
          },
        })
      })
      await store.close()
      const admin = await openAdmin(place)
      await admin.migrateDown(BEFORE)
      await admin.migrateUp()
      await admin[Symbol.asyncDispose]()
      const again = await openStore({ ...place, mode: 'read-write', migrate: true })
      try {
        expect((await again.costs.sum({ by: 'task', timeZone: UTC, limit: 10 })).rows).toHaveLength(1)
        await expectSame(again, place)
      } finally {
        await again.close()
      }
    } finally {
      await remove()
    }
  })
})
