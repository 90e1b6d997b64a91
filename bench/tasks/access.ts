import { join } from 'node:path'
import type { Figure } from '../common/figure'
import { round, spread } from '../common/measure'
import { type TaskClient, WorkServer } from './work-server'

const ROUNDS = 400
const WARMING = 50
const DEPTHS = [1, 5, 20] as const

/** What the look at a caller's rights costs a request: the same task, asked for by a person and by runs of deeper and deeper trees. */
export const accessFigure: Figure = {
  name: 'access',
  target: 'a run reads a task of its tree < 1 ms (p50) slower than the operator does, 20 levels deep',
  async measure({ lode, folder }) {
    const server = await WorkServer.start(lode, join(folder, 'a'))
    try {
      const operator = server.client()
      const worker = await server.join('bench')
      const runs: { depth: number; top: string; run: TaskClient }[] = []
      for (const depth of DEPTHS) runs.push({ depth, ...(await deepRun(server, operator, worker, depth)) })
      const times: Record<string, number[]> = {}
      const take = async (name: string, call: () => Promise<unknown>, isKept: boolean) => {
        const before = performance.now()
        await call()
        const took = performance.now() - before
        if (isKept) times[name] = [...(times[name] ?? []), took]
      }
      for (let each = -WARMING; each < ROUNDS; each++)
        for (const { depth, top, run } of runs) {
          await take(`operator${depth}`, () => operator.tasks.get(top), each >= 0)
          await take(`worker${depth}`, () => worker.client.tasks.get(top), each >= 0)
          await take(`run${depth}`, () => run.tasks.get(top), each >= 0)
        }
      const p50 = (name: string): number => spread(times[name] ?? []).p50Ms
      const more = Object.fromEntries(
        DEPTHS.flatMap((depth) => [
          [`runAtDepth${depth}Ms`, round(p50(`run${depth}`) - p50(`operator${depth}`))],
          [`workerAtDepth${depth}Ms`, round(p50(`worker${depth}`) - p50(`operator${depth}`))],
        ]),
      )
      return {
        ok: p50('run20') - p50('operator20') < 1,
        values: { moreThanOperator: more, run20: spread(times.run20 ?? []) },
        limit: { operator1: spread(times.operator1 ?? []), operator20: spread(times.operator20 ?? []) },
      }
    } finally {
      await server.stop()
    }
  },
}

/** A run this many levels below the top of its tree. */
async function deepRun(
  server: WorkServer,
  operator: TaskClient,
  worker: Awaited<ReturnType<WorkServer['join']>>,
  depth: number,
): Promise<{ top: string; run: TaskClient }> {
  const make = async (more: object) =>
    (await operator.tasks.create({ task: 'deep', dir: '/', continuity: 'fresh', ...more })).task.id
  const top = await make({ status: 'backlog' })
  let above = top
  for (let level = 1; level < depth; level++) above = await make({ status: 'backlog', parentTaskId: above })
  await make({ parentTaskId: above, agentId: worker.id })
  const { assignment } = await worker.client.tasks.claimNext()
  if (assignment === null) throw new Error('there was no task to claim')
  return { top, run: server.client(assignment.token) }
}
