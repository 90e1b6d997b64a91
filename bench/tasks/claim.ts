import { join } from 'node:path'
import type { Figure } from '../common/figure'
import { measureSyncs, spread } from '../common/measure'
import { WorkServer } from './work-server'

const ROUNDS = 600
const WARMING = 100

/** From the request that makes a task to the answer that gives it to a worker which waits. */
export const claimFigure: Figure = {
  name: 'claim',
  target: 'create → claimed by a waiting worker: p50 < 5 ms, p99 < 25 ms',
  async measure({ lode, folder }) {
    const server = await WorkServer.start(lode, join(folder, 'h'))
    try {
      const creator = server.client()
      const worker = await server.join('bench')
      const times: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const polling = worker.client.agents.poll(worker.id, {
          bootId: worker.bootId,
          capacity: 1,
          attempts: [],
          waitMs: 30_000,
        })
        // It must be waiting when the task comes.
        await Bun.sleep(5)
        const before = performance.now()
        const creating = creator.tasks.create({ task: `round ${round}`, dir: '/' })
        const { assignments } = await polling
        const took = performance.now() - before
        await creating
        // The first ones find a server that has compiled nothing yet.
        if (round >= WARMING) times.push(took)
        const [assignment] = assignments
        if (assignment === undefined) throw new Error('the poll gave no task')
        await server.client(assignment.token).tasks.finish(assignment.task.id, { status: 'completed' })
      }
      const claimed = spread(times)
      return {
        ok: claimed.p50Ms < 5 && claimed.p99Ms < 25,
        values: { claimed },
        // Two commits, one after the other, are the least that it can take.
        limit: { durableAppends: measureSyncs(join(folder, 'syncs')) },
      }
    } finally {
      await server.stop()
    }
  },
}
