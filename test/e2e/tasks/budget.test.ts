/** A budget that is used up stops the real CLI, and the conversation goes on when more is allowed. */
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Budget } from '../../../src/domain/budget/budget'
import type { Attempt, Task } from '../../../src/domain/task/task'
import { openLab } from '../../lab/lab'
import { until } from '../../lab/until'

test('a run that uses up its budget is parked, and goes on in its conversation when more is allowed', async () => {
  await using lab = await openLab({
    database: 'sqlite',
    claude: { version: '2.1.328', script: 'tasks' },
    lode: { settings: { 'worker.allow': ['Bash'] } },
    server: true,
  })
  const { task } = await lab.lode.json<{ task: Task }>('task', 'create', 'work slowly')
  await until('the slow command', () => existsSync(join(lab.claude.project, 'slow.txt')))
  const show = () => lab.lode.json<{ task: Task; attempts: Attempt[] }>('task', 'show', task.id)
  // What its first answer used is recorded while it works: the server sees that it is too much.
  await lab.lode.json('budget', 'add', 'small', '--tokens', '1', '--action', 'park', '--task', task.id)
  await until('the pause', async () => (await show()).task.status === 'paused')
  expect((await show()).task).toMatchObject({ pausedBy: 'limit', reason: expect.stringContaining('budget small') })
  const { budgets } = await lab.lode.json<{ budgets: Budget[] }>('budget', 'list')
  expect(budgets).toMatchObject([{ name: 'small', state: 'over', heldTasks: [task.id] }])
  expect((await lab.lode.json<{ needs: { kind: string }[] }>('status')).needs).toMatchObject([{ kind: 'budget' }])
  await lab.lode.json('budget', 'allow', 'small', '--more', '100M')
  await until('its end', async () => (await show()).task.status === 'completed')
  const [first, second] = (await show()).attempts
  expect(second?.conversation).toMatchObject({ rung: 'native', sessionId: first?.conversation?.sessionId })
})
