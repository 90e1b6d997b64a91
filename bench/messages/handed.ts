import { join } from 'node:path'
import type { Figure } from '../common/figure'
import { measureSyncs, spread } from '../common/measure'
import { WorkServer } from '../tasks/work-server'

const ROUNDS = 600
const WARMING = 100

/** From the request that sends a message to the answer that hands it to a receiver which waits. */
export const handedFigure: Figure = {
  name: 'handed',
  target: 'produced → handed to a waiting receiver: p50 < 10 ms',
  async measure({ lode, folder }) {
    const server = await WorkServer.start(lode, join(folder, 'h'))
    try {
      const client = server.client()
      const { task } = await client.tasks.create({ task: 'wait', dir: folder, requiredCapabilities: ['nobody has it'] })
      const sent: number[] = []
      const handed: number[] = []
      for (let round = 0; round < ROUNDS; round++) {
        const waiting = client.messages.take(task.id, { call: `round ${round}`, waitMs: 30_000 })
        // It must be waiting when the message comes.
        await Bun.sleep(10)
        const before = performance.now()
        const sending = client.messages.send({ to: task.id, text: `round ${round}` })
        const { messages } = await waiting
        const took = performance.now() - before
        await sending
        const sendTook = performance.now() - before
        // The first ones find a server that has compiled nothing yet.
        if (round >= WARMING) {
          handed.push(took)
          sent.push(sendTook)
        }
        await client.messages.acknowledge(task.id, { ids: messages.map(({ id }) => id) })
      }
      const times = spread(handed)
      return {
        ok: times.p50Ms < 10,
        values: { handed: times, bothAnswered: spread(sent) },
        // Two commits, one after the other, are the least that it can take.
        limit: { durableAppends: measureSyncs(join(folder, 'syncs')) },
      }
    } finally {
      await server.stop()
    }
  },
}
