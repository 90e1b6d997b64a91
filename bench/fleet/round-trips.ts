import { join } from 'node:path'
import type { AttemptId } from '../../src/domain/ids'
import type { Figure } from '../common/figure'
import { median, round } from '../common/measure'
import { World } from './world'

/** Milliseconds each way. */
const AWAY_MS = 1.35
const TIMES = 20
const WARMING = 40
/** Statements of a server that nobody asked for, which are taken off: counted for this long. */
const IDLE_MS = 4_000

interface Sums {
  ms: number[]
  statements: number
  roundTrips: number
  texts: Map<string, number>
}

/** Each step of a task's life at a server whose database is 2.7 ms away: what it asks of the database, and how long it takes. */
export const roundTripsFigure: Figure = {
  name: 'round-trips',
  target: 'no target: statements, round trips and milliseconds for each step of a life, with the database 2.7 ms away',
  async measure({ lode, folder, note }) {
    const world = await World.start(lode, join(folder, 'r'), 1, true)
    try {
      const { database, first } = world
      const steps = await stepsOf(world)
      // Each connection prepares each statement once.
      for (let at = 0; at < WARMING; at++) for (const [, step] of steps) await step()
      database.latencyMs = AWAY_MS
      database.take()
      await Bun.sleep(IDLE_MS)
      const idle = database.take()

      const times = new Map<string, Sums>()
      for (let at = 0; at < TIMES; at++)
        for (const [name, step] of steps) {
          const sums: Sums = times.get(name) ?? { ms: [], statements: 0, roundTrips: 0, texts: new Map() }
          times.set(name, sums)
          const before = performance.now()
          await step()
          sums.ms.push(performance.now() - before)
          // The numbering of its feed rows belongs to it, and follows it.
          await Bun.sleep(40 + Math.random() * 120)
          const took = performance.now() - before
          const { statements, roundTrips, texts } = database.take()
          sums.statements += statements - (idle.statements * took) / IDLE_MS
          sums.roundTrips += roundTrips - (idle.roundTrips * took) / IDLE_MS
          for (const [text, count] of texts) sums.texts.set(text, (sums.texts.get(text) ?? 0) + count)
        }
      const values: Record<string, { ms: number; statements: number; roundTrips: number }> = {}
      for (const [name, { ms, statements, roundTrips, texts }] of times) {
        values[name] = {
          ms: round(median(ms)),
          statements: round(statements / TIMES),
          roundTrips: round(roundTrips / TIMES),
        }
        note(`${name}: ${JSON.stringify(values[name])}`)
        if (process.env.LODELINE_BENCH_TEXTS !== undefined)
          for (const [text, count] of texts)
            if (count >= TIMES / 2) note(`    ${count / TIMES} ${text.replace(/\s+/g, ' ').slice(0, 170)}`)
      }
      const life = ['create', 'claim', 'conversation', 'progress', 'finish'].map((name) => values[name])
      const sum = (of: 'ms' | 'statements' | 'roundTrips'): number =>
        round(life.reduce((total, one) => total + (one?.[of] ?? 0), 0))
      return {
        ok: null,
        values: { life: { ms: sum('ms'), statements: sum('statements'), roundTrips: sum('roundTrips') }, ...values },
        limit: {
          oneRoundTripMs: 2 * AWAY_MS,
          idleStatementsPerSecond: round(idle.statements / (IDLE_MS / 1_000)),
          server: first.state(),
        },
      }
    } finally {
      await world.stop()
    }
  },
}

/** What is asked, in the order of a life. A worker beside it holds a run of its own, which it renews and reports. */
export async function stepsOf({ first: server }: World): Promise<[string, () => Promise<unknown>][]> {
  const operator = server.client()
  const worker = await server.join('in-steps')
  const runner = await server.join('runner')
  await operator.tasks.create({ task: 'a long one', dir: '/', agentId: runner.id })
  const held = (await runner.client.agents.poll(runner.id, poll(runner.bootId, 1, []))).assignments[0]
  if (held === undefined) throw new Error('there was no task to claim')
  const run = { id: held.attemptId, generation: held.generation }
  const receiver = held.task.id
  let life = { id: receiver, own: operator }
  return [
    ['create', () => operator.tasks.create({ task: 'a life', dir: '/', agentId: worker.id })],
    [
      'claim',
      async () => {
        const { assignment } = await worker.client.tasks.claimNext()
        if (assignment === null) throw new Error('there was no task to claim')
        life = { id: assignment.task.id, own: server.client(assignment.token) }
      },
    ],
    ['conversation', () => worker.client.tasks.setConversation(life.id, { claudeSessionId: crypto.randomUUID() })],
    ['progress', () => life.own.tasks.progress(life.id, { progress: 'half way' })],
    ['finish', () => life.own.tasks.finish(life.id, { status: 'completed', output: 'done' })],
    ['renew', () => runner.client.agents.poll(runner.id, poll(runner.bootId, 0, [run]))],
    ['poll', () => runner.client.agents.poll(runner.id, poll(runner.bootId, 1, [run]))],
    [
      'report',
      () =>
        runner.client.attempts.report(held.attemptId, {
          log: [{ at: new Date().toISOString(), kind: 'text', text: 'a line' }],
        }),
    ],
    ['message', () => operator.messages.send({ to: receiver, text: 'a word' })],
    ['show', () => operator.tasks.get(receiver)],
  ]
}

const poll = (bootId: string, capacity: number, attempts: { id: AttemptId; generation: number }[]) => ({
  bootId,
  capacity,
  attempts,
  waitMs: 0,
})
