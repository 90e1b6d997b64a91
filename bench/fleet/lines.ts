import { appendFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createRemoteRecorder } from '../../src/collector/remote-recorder'
import type { JournalRef } from '../../src/domain/harness/harness'
import type { Figure } from '../common/figure'
import { round, spread } from '../common/measure'
import { Random } from '../common/random'
import { makeConversation } from '../record/conversation'
import type { WorkServer } from '../tasks/work-server'
import { World } from './world'

const HOSTS = 16
const SECONDS = 8
const LINES_BYTES = 8_000_000

/** Transcripts that grow a line at a time on several machines without a server, and what each of them sends. */
export const linesFigure: Figure = {
  name: 'lines',
  target: 'live lines of 16 hosts, each in a request of its own, recorded by one server: ≥ 500 a second',
  async measure({ lode, folder }) {
    const world = await World.start(lode, join(folder, 'l'), 1)
    try {
      const hosts = await Promise.all(
        Array.from({ length: HOSTS }, (_, at) => joinHost(world.first, join(folder, `h${at}`), at)),
      )
      for (const grow of hosts) await grow()
      const times: number[] = []
      const end = performance.now() + SECONDS * 1_000
      const before = await world.spent()
      await Promise.all(
        hosts.map(async (grow) => {
          while (performance.now() < end) times.push(await grow())
        }),
      )
      const after = await world.spent()
      const perSecond = times.length / SECONDS
      return {
        ok: perSecond >= 500,
        values: {
          perSecond: round(perSecond),
          recorded: spread(times),
          serverMsPerLine: round((after.serversMs - before.serversMs) / times.length),
          databaseMsPerLine: round((after.databaseMs - before.databaseMs) / times.length),
        },
        limit: {},
      }
    } finally {
      await world.stop()
    }
  },
}

/** @returns writes the next line, waits until it is recorded, and gives the milliseconds that it took */
async function joinHost(server: WorkServer, folder: string, at: number): Promise<() => Promise<number>> {
  const name = `${at}`.padStart(32, '0')
  const { client } = await server.join(`host-${at}`, name)
  const recorder = createRemoteRecorder({ client, host: { name, hostname: 'bench' } })
  const random = new Random(at)
  const session = random.uuid()
  const { main } = makeConversation(random, { session, bytes: LINES_BYTES, agent: null })
  const path = join(folder, 'projects', '-home-user-project', `${session}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  const ref: JournalRef = { agent: 'claude-code', kind: 'transcript', path, sessionId: session, subagentId: null }
  let next = 0
  return async () => {
    appendFileSync(path, `${main[next++ % main.length]}\n`)
    const began = performance.now()
    await recorder.recordFile(ref)
    return performance.now() - began
  }
}
