import { join } from 'node:path'
import type { Figure } from '../common/figure'
import { round, spread } from '../common/measure'
import { eventually, RunServer } from './run-server'

const ROUNDS = 25
const RULES = [{ name: 'answer', match: { who: 'main' }, steps: [{ text: 'Done.' }] }]

/** A run by a worker against the CLI alone: the same prompt, the same scripted answer, by turns. */
export const overheadFigure: Figure = {
  name: 'overhead',
  target: 'a task from its creation to completed takes < 50 ms longer than plain claude -p',
  async measure({ lode, folder }) {
    const runs = await RunServer.start(lode, join(folder, 'r'), RULES)
    try {
      runs.work('bench')
      await eventually('the worker', async () => {
        const { agents } = await runs.client.agents.list()
        return agents.find((agent) => agent.status === 'online')
      })
      const plain: number[] = []
      const tasks: number[] = []
      for (let each = -2; each < ROUNDS; each++) {
        const plainMs = await timePlain(runs)
        const taskMs = await timeTask(runs)
        // The first ones fill the system's caches.
        if (each < 0) continue
        plain.push(plainMs)
        tasks.push(taskMs)
      }
      const [alone, run] = [spread(plain), spread(tasks)]
      const differences = spread(tasks.map((ms, at) => ms - (plain[at] ?? 0)))
      return {
        ok: run.p50Ms - alone.p50Ms < 50,
        values: { overheadMs: round(run.p50Ms - alone.p50Ms), task: run, differences },
        limit: { claudeAlone: alone },
      }
    } finally {
      await runs.stop()
    }
  },
}

async function timePlain({ lab, executable }: RunServer): Promise<number> {
  const before = performance.now()
  const child = Bun.spawn([executable, '-p', 'say it', '--output-format', 'stream-json', '--verbose'], {
    cwd: lab.claude.project,
    env: lab.claude.environment(),
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  await child.stdout.text()
  if ((await child.exited) !== 0) throw new Error('the CLI alone did not end well')
  return performance.now() - before
}

async function timeTask({ client, lab }: RunServer): Promise<number> {
  const before = performance.now()
  const { task } = await client.tasks.create({ task: 'say it', dir: lab.claude.project })
  for await (const _line of client.tasks.followLog(task.id)) {
    // It ends with the task.
  }
  const took = performance.now() - before
  const { task: ended } = await client.tasks.get(task.id)
  if (ended.status !== 'completed') throw new Error(`the task is ${ended.status}: ${ended.reason}`)
  return took
}
