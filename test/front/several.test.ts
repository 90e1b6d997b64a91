/** Three servers of one record without a balancer: those that name all of them go on when one is killed. */
import { expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openLab } from '../lab/lab'
import { until } from '../lab/until'

test('a run, its tools, its worker and commands go on at the next server when one is killed, and again', async () => {
  await using lab = await openLab({
    database: 'postgres',
    claude: { version: '2.1.328', script: 'servers' },
    lode: { hasFixedPort: true },
  })
  const { lode: a, claude, workers } = lab
  const others = { databaseUrl: a.databaseUrl, hasFixedPort: true, isKilled: true }
  const [b, c] = [lab.addLode('b', others), lab.addLode('c', others)]
  for (const server of [a, b, c]) await server.up(['serve'])
  const all = [a, b, c].map(({ url }) => url).join(',')
  const { secret } = await a.client.tokens.create({ name: 'desk', role: 'operator' })
  await workers.start({ name: 'w', url: all, concurrency: 3 })
  const more = { dir: claude.project, permissionMode: 'bypassPermissions' } as const
  const { task } = await a.client.tasks.create({ task: 'cross over', ...more })
  const place = (name: string) => join(claude.project, name)
  const step = async (name: string) => until(`step ${name}`, () => existsSync(place(`${name}.begun`)))
  const go = (name: string) => writeFileSync(place(`${name}.go`), '')
  const follower = c.spawn(['task', 'wait', task.id, '--server', all, '--json'], { LODELINE_TOKEN: secret })

  await step('one')
  await a.kill()
  go('one')
  await step('two')
  expect((await b.client.tasks.list({ parentTaskId: task.id })).tasks.length).toBe(1)
  const listed = await c.spawn(['task', 'list', '--json'], { LODELINE_SERVER: all, LODELINE_TOKEN: secret }).exited
  expect([listed.exitCode, listed.stderr]).toEqual([0, ''])
  expect(listed.stdout).toContain(task.id)

  await b.kill()
  go('two')
  const { status, attempts } = await until('the task to be over', async () => {
    const { task: now, attempts: made } = await c.client.tasks.get(task.id)
    return now.status === 'completed' ? { status: now.status, attempts: made } : undefined
  })
  expect(status).toBe('completed')
  // The second attempt, if there is one, takes what the children answered: none was lost.
  expect(new Set(attempts.map(({ outcome }) => outcome))).toEqual(new Set(['completed']))
  expect((await c.client.tasks.list({ parentTaskId: task.id })).tasks.length).toBe(2)
  const [attempt] = attempts
  const words = await until('the conversation to be recorded', async () => {
    const found = await c.client.sessions.events(attempt?.conversation?.sessionId ?? '', {})
    const text = JSON.stringify(found)
    return text.includes('I am across.') ? text : undefined
  })
  for (const said of ['One.', 'Two.']) expect(words).toContain(said)
  expect((await follower.exited).exitCode).toBe(0)
})
