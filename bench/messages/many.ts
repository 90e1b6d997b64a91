import { join } from 'node:path'
import type { Figure } from '../common/figure'
import { measureSyncs, round } from '../common/measure'
import { WorkServer } from '../tasks/work-server'

const ADDRESSES = 20
const MESSAGES = 2_000

/** Many senders and receivers at once: messages that are sent, handed over and acknowledged, in each second. */
export const manyFigure: Figure = {
  name: 'many',
  target: 'no target: how many messages a second go all their way, over 20 addresses',
  async measure({ lode, folder }) {
    const server = await WorkServer.start(lode, join(folder, 'h'))
    try {
      const client = server.client()
      const addresses: string[] = []
      for (let i = 0; i < ADDRESSES; i++)
        addresses.push(
          (await client.tasks.create({ task: 'wait', dir: folder, requiredCapabilities: ['nobody has it'] })).task.id,
        )
      const before = performance.now()
      await Promise.all(addresses.flatMap((at) => [send(client, at), receive(client, at)]))
      const seconds = (performance.now() - before) / 1_000
      return {
        ok: null,
        values: { messagesPerSecond: round(MESSAGES / seconds), serverCpuSeconds: server.state().cpuSeconds },
        limit: { durableAppends: measureSyncs(join(folder, 'syncs')) },
      }
    } finally {
      await server.stop()
    }
  },
}

type Client = ReturnType<WorkServer['client']>
const EACH = MESSAGES / ADDRESSES

async function send(client: Client, at: string): Promise<void> {
  for (let i = 0; i < EACH; i++) await client.messages.send({ to: at, text: `number ${i}` })
}

async function receive(client: Client, at: string): Promise<void> {
  let got = 0
  for (let call = 0; got < EACH; call++) {
    const { messages } = await client.messages.take(at, { call: `call ${call}`, waitMs: 30_000 })
    if (messages.length === 0) continue
    got += messages.length
    await client.messages.acknowledge(at, { ids: messages.map(({ id }) => id) })
  }
}
