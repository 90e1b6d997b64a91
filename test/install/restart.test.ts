/** What a restart of `lode up` in a terminal does to the runs of tasks. In a service they go on: `test/e2e/hosts/handover.test.ts`. */
import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from '../lab/free-port'
import { openLab } from '../lab/lab'
import { isAlive, processTree } from '../lab/processes'
import { until } from '../lab/until'

interface Shown {
  attempts: { conversation: { rung: string; resumedSessionId: string | null; sessionId: string } | null }[]
}

test('a run that a restart of lode up ended goes on in its conversation with the new one', async () => {
  await using lab = await openLab({
    claude: { version: '2.1.328', script: 'tasks' },
    lode: { settings: { 'listen.port': freePort() } },
  })
  const first = await lab.lode.up()
  const { task } = await lab.lode.json<{ task: { id: string } }>(
    'task',
    'create',
    'work slowly',
    '--permission-mode',
    'bypassPermissions',
  )
  await until('the slow command', () => existsSync(join(lab.claude.project, 'slow.txt')))
  const tree = processTree(first.pid)
  first.signal('SIGTERM')
  expect((await first.exited).exitCode).toBe(0)
  await until('its processes to be gone', () => !tree.some(isAlive))
  const second = await lab.lode.up()
  expect((await lab.lode.lode('task', 'wait', task.id, '--timeout', '50s')).exitCode).toBe(0)
  const { attempts } = await lab.lode.json<Shown>('task', 'show', task.id)
  const [before, after] = attempts.map(({ conversation }) => conversation)
  expect([attempts.length, before?.rung, after?.rung]).toEqual([2, 'fresh', 'native'])
  expect(after?.resumedSessionId).toBe(before?.sessionId ?? '')
  second.signal('SIGTERM')
  expect((await second.exited).exitCode).toBe(0)
})
