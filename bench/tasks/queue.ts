import { join } from 'node:path'
import { openDatabase } from '../../src/app/threads/database'
import { createTaskService } from '../../src/engine/tasks/task-service'
import type { Figure } from '../common/figure'
import { prepareHome } from '../common/lode'
import { type Spread, spread } from '../common/measure'
import { WorkServer } from './work-server'

const TASKS = 100_000
const AT_ONCE = 500
const CLAIMS = 500

/** Claims from a long queue most of which nobody may take. */
export const queueFigure: Figure = {
  name: 'queue',
  target: 'a claim with 100,000 queued tasks of which 90 % are blocked by dependencies: p50 < 3 ms',
  async measure({ lode, folder, note }) {
    const home = prepareHome(join(folder, 'h'))
    await fillQueue({ home, databaseUrl: null })
    note(`${TASKS} tasks queued`)
    const server = await WorkServer.start(lode, home)
    try {
      const { claim, progress } = await claimFrom(server)
      return { ok: claim.p50Ms < 3, values: { claim }, limit: { progress } }
    } finally {
      await server.stop()
    }
  },
}

/** Times of claims, and those of the same request, commit and answer without anything to look for. */
export async function claimFrom(server: WorkServer): Promise<{ claim: Spread; progress: Spread }> {
  const worker = await server.join('bench')
  const times: number[] = []
  const alone: number[] = []
  for (let claim = 0; claim < CLAIMS; claim++) {
    const before = performance.now()
    const { assignment } = await worker.client.tasks.claimNext()
    times.push(performance.now() - before)
    if (assignment === null) throw new Error('there was no task to claim')
    const began = performance.now()
    await server.client(assignment.token).tasks.progress(assignment.task.id, { progress: 'x' })
    alone.push(performance.now() - began)
  }
  return { claim: spread(times), progress: spread(alone) }
}

/** Queues 100,000 tasks. Nine of ten wait for another one that is in the queue itself. */
export async function fillQueue(place: { home: string; databaseUrl: string | null }): Promise<void> {
  const store = await openDatabase(place, { mode: 'read-write', migrate: true })
  const tasks = createTaskService({ store, hasFolder: true })
  const operator = { kind: 'operator' } as const
  try {
    const free: string[] = []
    for (let made = 0; made < TASKS; made += AT_ONCE) {
      const isFree = made < TASKS / 10
      const created = await Promise.all(
        Array.from({ length: AT_ONCE }, (_, at) =>
          tasks.create(
            operator,
            {
              task: `task ${made + at}`,
              priority: at % 101,
              ...(isFree ? {} : { dependsOn: [free[(made + at) % free.length] ?? ''] }),
            },
            null,
          ),
        ),
      )
      if (isFree) free.push(...created.map(({ task }) => task.id))
    }
  } finally {
    await store.close()
  }
}
