import { expect, test } from 'bun:test'
import type { TaskId } from '../../src/domain/ids'
import type { Caller } from '../../src/domain/task/worker-protocol'
import { onEachDatabase } from '../store-contract/databases'
import { Crew, OPERATOR } from './crew'

const person = (name: string): Caller => ({ kind: 'operator', user: { key: 1 as never, name } }) as Caller
const remote = (name: string) => `https://host/${name}.git`

onEachDatabase((database) => {
  test('people have equal parts whatever each has queued, and so have the projects of each', async () => {
    const c = new Crew(database.store)
    const worker = await c.worker(`${c.word}-1`)
    const [ada, bob] = [`${c.word}-ada`, `${c.word}-bob`]
    const made = new Map<string, string>()
    const make = async (user: string, project: string) => {
      const task = await c.create({ repository: remote(`${c.word}-${project}`) }, person(user))
      made.set(task.id, `${user === ada ? 'ada' : 'bob'} ${project}`)
    }
    for (let at = 0; at < 5; at++) await make(ada, 'one')
    for (let at = 0; at < 2; at++) await make(ada, 'two')
    for (let at = 0; at < 2; at++) await make(bob, 'one')
    const taken: string[] = []
    for (let at = 0; at < 9; at++) taken.push(made.get((await worker.take()).task.id) ?? '')
    // The older of equal ones goes first. "one" runs for bob too: the parts of a project are counted over all people.
    expect(taken.slice(0, 4).map((one) => one.split(' ')[0])).toEqual(['ada', 'bob', 'ada', 'bob'])
    expect(taken.filter((one) => one === 'ada two').length).toBe(2)
    expect(taken.indexOf('ada two')).toBeLessThan(3)
    expect(taken.slice(4).every((one) => one.startsWith('ada'))).toBe(true)
  })

  test('a worker prefers what it has the repository of, and a limit holds tasks back until something ends', async () => {
    const c = new Crew(database.store, { limits: { perUser: 0, perProject: 2, perAgent: 0 } })
    const machine = {
      platform: 'linux',
      arch: 'x64',
      cores: 1,
      memoryBytes: 1,
      gpus: [],
      repositories: [remote(`${c.word}-b`)],
    }
    const worker = await c.worker(`${c.word}-1`, { machine })
    const tasks: TaskId[] = []
    for (const name of ['a', 'b', 'a', 'a'])
      tasks.push((await c.create({ repository: remote(`${c.word}-${name}`) })).id)
    const first = await worker.take()
    expect(first.task.id).toBe(tasks[1] as TaskId)
    const rest = (await worker.poll({ capacity: 9 })).assignments
    expect(rest.map(({ task }) => task.id)).toEqual([tasks[0] as TaskId, tasks[2] as TaskId])
    expect(await c.service.claim(worker.caller, null, {})).toBeNull()
    expect(await c.service.behind(OPERATOR, tasks[3] as TaskId)).toContain('2 of at most 2 tasks of project')
    await worker.end(rest[0] as never, 'completed')
    expect((await worker.take()).task.id).toBe(tasks[3] as TaskId)
  })

  test('claims at the same moment do not pass a limit together', async () => {
    const c = new Crew(database.store, { limits: { perUser: 0, perProject: 3, perAgent: 0 } })
    const repository = remote(`${c.word}-a`)
    const numbers = Array.from({ length: 8 }, (_, n) => n)
    const workers = await Promise.all(numbers.map((n) => c.worker(`${c.word}-${n}`)))
    for (const _ of numbers) await c.create({ repository })
    const claimed = await Promise.all(workers.map(({ caller }) => c.service.claim(caller, null, {})))
    expect(claimed.filter((one) => one !== null)).toHaveLength(3)
  })

  test("an account's usage limit holds for all its workers, and its tasks say that they wait for it", async () => {
    const c = new Crew(database.store)
    const clis = [{ name: 'codex', version: '1' }]
    const account = `${c.word}-team`
    const one = await c.worker(`${c.word}-1`, { clis, account })
    const two = await c.worker(`${c.word}-2`, { clis, account })
    const alone = await c.worker(`${c.word}-3`, { clis })
    await c.create()
    const given = await one.take()
    const task = await c.create()
    expect(await c.service.behind(OPERATOR, task.id)).toBeNull()
    const resetAt = new Date(c.now + 3_600_000).toISOString()
    await one.end(given, 'failed', { failureClass: 'usage_limit', reason: 'limit reached', resetAt })
    expect((await two.poll({ capacity: 1 })).assignments).toEqual([])
    await alone.poll({ isLeaving: true })
    expect(await c.service.behind(OPERATOR, task.id)).toBe(`the usage limit of ${account}, until ${resetAt}`)
    await c.pass(1_000)
    const again = await c.worker(`${c.word}-3`, { clis })
    expect(await c.service.behind(OPERATOR, task.id)).toBeNull()
    expect((await again.take()).task.id).toBe(task.id)
  })

  test('a task that no worker takes says why, in the order in which a person would mend it', async () => {
    const c = new Crew(database.store)
    const task = await c.create({ permissionMode: 'acceptEdits', dir: '/srv/quay', requiredCapabilities: ['gpu'] })
    const why = () => c.service.behind(OPERATOR, task.id)
    const worker = await c.worker(`${c.word}-1`, { capabilities: [] })
    expect(await why()).toBe('no online worker has gpu')
    await worker.poll({ isLeaving: true })
    await c.worker(`${c.word}-2`, { capabilities: ['gpu'], maxPermissionMode: 'default', dirs: ['/srv/mill'] })
    expect(await why()).toStartWith(
      'no online worker may run tasks with acceptEdits; the highest mode allowed is default. To let tasks do so, run',
    )
    await c.worker(`${c.word}-3`, { capabilities: ['gpu'], dirs: ['/srv/mill'] })
    expect(await why()).toStartWith('no online worker that may run it does so in /srv/quay.')
    // One that runs there may not, and the one that may does not run there.
    await c.worker(`${c.word}-4`, { capabilities: ['gpu'], maxPermissionMode: 'default' })
    expect(await why()).toStartWith('no online worker that may run it does so in /srv/quay.')
    const last = await c.worker(`${c.word}-5`, { capabilities: ['gpu'] })
    expect(await why()).toBeNull()
    await c.service.patch(OPERATOR, task.id, { agentId: last.id })
    await last.poll({ isLeaving: true })
    expect(await why()).toBe(`${c.word}-5 is offline, last seen ${new Date(c.now).toISOString()}`)
  })
})
