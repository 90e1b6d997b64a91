/** One cost of a task in every place, what a killed attempt used included: the real CLI, on both databases. */
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Attempt, Task, TaskNode } from '../../../src/domain/task/task'
import { openLab } from '../../lab/lab'
import { until } from '../../lab/until'

interface Shown {
  task: Task
  attempts: Attempt[]
}

test.each(['sqlite', 'postgres'] as const)(
  'a task costs the same wherever it is shown, with what its killed attempt used: %s',
  async (kind) => {
    await using lab = await openLab({
      database: kind,
      claude: { version: '2.1.328', script: 'tasks' },
      lode: { settings: { 'worker.allow': ['Bash'] } },
      server: true,
    })
    const { task } = await lab.lode.json<{ task: Task }>('task', 'create', 'work slowly')
    await until('the slow command', () => existsSync(join(lab.claude.project, 'slow.txt')))
    const show = () => lab.lode.json<Shown>('task', 'show', task.id)
    process.kill((await show()).attempts[0]?.process?.pid ?? 0, 'SIGKILL')
    await until('its end', async () => (await show()).task.status === 'completed')

    const listed = async () =>
      (await lab.lode.json<{ tasks: Task[] }>('task', 'list')).tasks.find(({ id }) => id === task.id)?.costUsd
    const summed = async () =>
      (await lab.lode.json<{ rows: { costUsd: number | null }[] }>('cost', 'list', '--by', 'task', '--task', task.id))
        .rows[0]?.costUsd
    const tree = async () => (await lab.lode.json<{ tree: TaskNode }>('task', 'tree', task.id)).tree.task.costUsd
    const { task: done, attempts } = await show()
    const [killed, second] = attempts
    expect(killed?.costUsd).toBeNull()
    expect(done.costUsd).toBeGreaterThan(second?.costUsd ?? Number.POSITIVE_INFINITY)
    expect([await listed(), await summed(), await tree()]).toEqual([done.costUsd, done.costUsd, done.costUsd])
  },
)
