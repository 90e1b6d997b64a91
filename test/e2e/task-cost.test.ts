/** One cost of a task in every place, what a killed attempt used included: the real CLI, on both databases. */
import { afterEach, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Attempt, Task, TaskNode } from '../../src/domain/task/task'
import { until } from '../lab/until'
import { make } from '../store-contract/databases'
import { cleanUp } from './clean-up'
import { TaskLab } from './task-lab'

interface Shown {
  task: Task
  attempts: Attempt[]
}

let world: TaskLab | undefined
let database: Awaited<ReturnType<typeof make>> | undefined
afterEach(async () => {
  await cleanUp(
    () => world?.stop(),
    () => database?.remove(),
  )
  world = undefined
  database = undefined
}, 30_000)

test.each(['sqlite', 'postgres'] as const)(
  'a task costs the same wherever it is shown, with what its killed attempt used: %s',
  async (kind) => {
    if (kind === 'postgres') database = await make(kind)
    const place = database?.place
    const databaseUrl = place !== undefined && 'url' in place ? String(place.url) : undefined
    const lab = await TaskLab.start({ version: '2.1.328', settings: { 'worker.allow': ['Bash'] }, databaseUrl })
    world = lab
    await lab.up()
    const { task } = await lab.json<{ task: Task }>('task', 'create', 'work slowly')
    await until('the slow command', () => existsSync(join(lab.lab.project, 'slow.txt')), 60_000)
    const show = () => lab.json<Shown>('task', 'show', task.id)
    process.kill((await show()).attempts[0]?.process?.pid ?? 0, 'SIGKILL')
    await until('its end', async () => (await show()).task.status === 'completed', 90_000)

    const listed = async () =>
      (await lab.json<{ tasks: Task[] }>('task', 'list')).tasks.find(({ id }) => id === task.id)?.costUsd
    const summed = async () =>
      (await lab.json<{ rows: { costUsd: number | null }[] }>('cost', 'list', '--by', 'task', '--task', task.id))
        .rows[0]?.costUsd
    const tree = async () => (await lab.json<{ tree: TaskNode }>('task', 'tree', task.id)).tree.task.costUsd
    const { task: done, attempts } = await show()
    const [killed, second] = attempts
    expect(killed?.costUsd).toBeNull()
    expect(done.costUsd).toBeGreaterThan(second?.costUsd ?? Number.POSITIVE_INFINITY)
    expect([await listed(), await summed(), await tree()]).toEqual([done.costUsd, done.costUsd, done.costUsd])
  },
  150_000,
)
