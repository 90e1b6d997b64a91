import { join } from 'node:path'
import type { Figure } from '../common/figure'
import { spread } from '../common/measure'
import { eventually, RunServer } from './run-server'

const ROUNDS = 7
const RULES = [
  {
    name: 'long',
    match: { who: 'main' },
    steps: [{ tools: [{ name: 'Bash', input: { command: 'sleep 600; echo slept', description: 'Long work' } }] }],
  },
]

/** A worker that is killed and started again. */
export const restartFigure: Figure = {
  name: 'restart',
  target:
    'a worker that was killed and is started again: its task runs again in its conversation < 2 s after the start',
  async measure({ lode, folder, note }) {
    const runs = await RunServer.start(lode, join(folder, 'r'), RULES)
    try {
      let worker = runs.work('bench')
      const { task } = await runs.client.tasks.create({
        task: 'something long',
        dir: runs.lab.claude.project,
        permissionMode: 'bypassPermissions',
        retryPolicy: { maximumAttempts: 100 },
      })
      const runningAttempt = (number: number) =>
        eventually(`attempt ${number} to run`, async () => {
          const { attempts } = await runs.client.tasks.get(task.id)
          return attempts.find((one) => one.number === number && one.isLive && one.process !== null)
        })
      /** Its conversation is worth going on with once the model has answered. */
      const workingAttempt = (number: number) =>
        eventually(`attempt ${number} to call its tool`, async () => {
          const { lines } = await runs.client.tasks.log(task.id, { limit: 1_000 })
          return lines.find((line) => line.attempt === number && line.kind === 'tool')
        })
      await workingAttempt(1)
      const times: number[] = []
      const rungs: string[] = []
      for (let round = 1; round <= ROUNDS; round++) {
        worker.kill('SIGKILL')
        await worker.exited
        const startedAt = performance.now()
        worker = runs.work('bench')
        const { conversation } = await runningAttempt(round + 1)
        times.push(performance.now() - startedAt)
        rungs.push(conversation?.rung ?? 'unknown')
        note(`attempt ${round + 1}: ${conversation?.rung} after ${Math.round(times.at(-1) ?? 0)} ms`)
        await workingAttempt(round + 1)
      }
      await runs.client.tasks.cancel(task.id)
      const restarted = spread(times)
      return {
        ok: restarted.maxMs < 2_000 && rungs.every((rung) => rung === 'native'),
        values: { restarted, rungs },
        limit: {},
      }
    } finally {
      await runs.stop()
    }
  },
}
