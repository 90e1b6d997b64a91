import { join } from 'node:path'
import { SQL } from 'bun'
import type { AttemptEnd } from '../../src/domain/task/worker-protocol'
import type { Figure } from '../common/figure'
import { round, spread } from '../common/measure'
import { claimFrom, fillQueue } from '../tasks/queue'
import { World } from './world'

const SETTLED_MS = 10_000
const IDLE_MS = 30_000
const HANDED = 200
const POLL_MS = 30_000
const ENDED: AttemptEnd = {
  outcome: 'completed',
  failureClass: null,
  reason: 'ended well',
  resetAt: null,
  output: null,
  exitCode: 0,
  signal: null,
  numTurns: 1,
  costUsd: 0,
  usage: null,
}

/** What a server asks of its database while nobody asks anything of it. */
export const idleFigure: Figure = {
  name: 'idle',
  target: 'a server that nobody asks: < 5 statements a second and at most 4 connections',
  async measure({ lode, folder }) {
    const world = await World.start(lode, join(folder, 'i'), 1, true)
    const sql = new SQL(world.url, { max: 1 })
    try {
      await Bun.sleep(SETTLED_MS)
      world.database.take()
      await Bun.sleep(IDLE_MS)
      const perSecond = (world.database.take().statements * 1_000) / IDLE_MS
      const [row] = await sql`select count(*)::int as connections from pg_stat_activity
        where backend_type = 'client backend' and pid <> pg_backend_pid()`
      return {
        ok: perSecond < 5 && row.connections <= 4,
        values: { statementsPerSecond: round(perSecond), connections: row.connections },
        limit: { server: world.first.state() },
      }
    } finally {
      await sql.close()
      await world.stop()
    }
  },
}

/** How soon a worker that waits at one server hears of a task that was created at another. */
export const acrossFigure: Figure = {
  name: 'across',
  target: 'a task created at one server until a worker that waits at another one has it: p50 < 15 ms',
  async measure({ lode, folder }) {
    const world = await World.start(lode, join(folder, 'a'), 2)
    try {
      const [one, other] = world.servers
      if (one === undefined || other === undefined) throw new Error('a world of two servers')
      const { id, bootId, client } = await other.join('bench')
      const operator = one.client()
      const handed: number[] = []
      const created: number[] = []
      for (let at = 0; at < HANDED; at++) {
        const waiting = client.agents.poll(id, { bootId, capacity: 1, attempts: [], waitMs: POLL_MS })
        // Until it waits at the server.
        await Bun.sleep(50)
        const before = performance.now()
        const { task } = await operator.tasks.create({ task: `hand over ${at}`, dir: '/' })
        created.push(performance.now() - before)
        const { assignments } = await waiting
        handed.push(performance.now() - before)
        const [given] = assignments
        if (given?.task.id !== task.id) throw new Error('another task was given')
        await client.attempts.report(given.attemptId, { ended: ENDED })
      }
      const toWorker = spread(handed)
      return { ok: toWorker.p50Ms < 15, values: { toWorker }, limit: { create: spread(created) } }
    } finally {
      await world.stop()
    }
  },
}

/** `tasks.queue`, on PostgreSQL. */
export const queueFigure: Figure = {
  name: 'queue',
  target: 'a claim with 100,000 queued tasks of which 90 % are blocked by dependencies: p50 < 5 ms',
  async measure({ lode, folder, note }) {
    const world = await World.start(lode, join(folder, 'q'), 1)
    try {
      await fillQueue({ home: world.first.home, databaseUrl: world.url })
      note('the tasks are queued')
      const { claim, progress } = await claimFrom(world.first)
      return { ok: claim.p50Ms < 5, values: { claim }, limit: { progress } }
    } finally {
      await world.stop()
    }
  },
}
