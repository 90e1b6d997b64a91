import { beforeAll, expect, test } from 'bun:test'
import { address, sessionId, type TaskId, toolUseId } from '../../src/domain/ids'
import type { Caller } from '../../src/domain/task/worker-protocol'
import { createTaskService } from '../../src/engine/tasks/task-service'
import { failureOf, onEachDatabase } from '../store-contract/databases'
import { Crew, callerOf, OPERATOR } from '../tasks/crew'

onEachDatabase((database) => {
  let crew: Crew
  beforeAll(() => {
    crew = new Crew(database.store)
  })

  /** A run at work on a task of its own, or on this one. */
  async function run(id?: TaskId): Promise<{ id: TaskId; caller: Caller }> {
    const worker = await crew.worker(`w-${crypto.randomUUID()}`)
    const task = id ?? (await crew.create({})).id
    const assignment = await crew.service.claim(worker.caller, task, { leaseMs: 20_000 })
    if (assignment === null) throw new Error(`${task} could not be claimed`)
    return { id: task, caller: callerOf(assignment, worker) }
  }
  const limited = (spawnLimits: { depth: number; children: number; tree: number }) =>
    createTaskService({ store: database.store, now: () => crew.now, spawnLimits, hasFolder: true })
  const some = (task: string) => ({ task, requiredCapabilities: [crew.word] })

  test('what a run makes is bounded in its levels, and the answer names the limit', async () => {
    let here = await run()
    for (let level = 1; level <= 5; level++)
      here = await run((await crew.create({ task: `level ${level}` }, here.caller)).id)
    expect(await failureOf(crew.create({ task: 'level 6' }, here.caller))).toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('the limit of 5 levels (tasks.maxDepth)'),
      hint: expect.stringContaining('finish-task'),
    })
    // A parent of another tree does not make it a shallow one: a run puts nothing there.
    const other = await crew.create({})
    expect(await failureOf(crew.create({ task: 'aside', parentTaskId: other.id }, here.caller))).toMatchObject({
      code: 'forbidden',
    })
    // A person may go on.
    await crew.create({ parentTaskId: here.id })
  })

  test('open children of a task and of its tree are bounded; those that are over make room', async () => {
    const service = limited({ depth: 5, children: 3, tree: 4 })
    const top = await run()
    const made = []
    for (const n of [1, 2, 3]) made.push((await service.create(top.caller, some(`child ${n}`), null)).task.id)
    expect(await failureOf(service.create(top.caller, some('child 4'), null))).toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('the limit of 3 open tasks (tasks.maxChildren)'),
    })
    const [first, second] = made as [TaskId, TaskId]
    const below = await run(first)
    await service.create(below.caller, some('grandchild 1'), null)
    expect(await failureOf(service.create(below.caller, some('grandchild 2'), null))).toMatchObject({
      code: 'too_large',
      message: expect.stringContaining(`Task ${top.id} has`),
    })
    await service.cancel(OPERATOR, second, {})
    expect((await service.create(below.caller, some('grandchild 2'), null)).isRepeat).toBe(false)
  })

  test('units at once keep the limit together', async () => {
    const service = limited({ depth: 5, children: 5, tree: 5 })
    const top = await run()
    const all = await Promise.allSettled(
      Array.from({ length: 12 }, (_, n) => service.create(top.caller, some(`at once ${n}`), null)),
    )
    expect(all.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
  })

  test('a task below waits for none above it', async () => {
    const top = await run()
    const child = await run((await crew.create({ task: 'child' }, top.caller)).id)
    for (const id of [child.id, top.id])
      expect(await failureOf(crew.create({ task: 'loop', dependsOn: [id] }, child.caller))).toMatchObject({
        code: 'invalid',
        message: expect.stringContaining(`can't depend on ${id}`),
      })
    const sibling = await crew.create({ task: 'sibling' }, top.caller)
    expect((await crew.create({ task: 'after it', dependsOn: [sibling.id] }, child.caller)).waitingFor).toBe(
      'dependency',
    )
  })

  test('the same text by the same run is the running task, also when asked at once; once it is over, it is a new one', async () => {
    const top = await run()
    const made = await Promise.all(Array.from({ length: 5 }, () => crew.make({ task: 'the same' }, null, top.caller)))
    const ids = new Set(made.map(({ task }) => task.id))
    expect([ids.size, made.filter(({ isRepeat }) => isRepeat).length]).toEqual([1, 4])
    const [id] = [...ids] as [TaskId]
    expect((await crew.make({ task: 'the same', dir: '/elsewhere' }, null, top.caller)).isRepeat).toBe(false)
    await crew.service.cancel(OPERATOR, id, {})
    const again = await crew.make({ task: 'the same' }, null, top.caller)
    expect([again.isRepeat, again.task.id === id]).toEqual([false, false])
    const other = await run()
    expect((await crew.make({ task: 'the same' }, null, other.caller)).isRepeat).toBe(false)
  })

  test('so it is for a session whose agent calls; what a person makes twice is two', async () => {
    const session = sessionId(crypto.randomUUID())
    const spawnedBy = { sessionId: session, toolUseId: toolUseId('toolu_1') }
    const first = await crew.make({ task: 'of a session', sessionId: session, spawnedBy })
    const second = await crew.make({ task: 'of a session', sessionId: session, spawnedBy })
    expect([second.isRepeat, second.task.id]).toEqual([true, first.task.id])
    expect((await crew.make({ task: 'of a session', sessionId: session })).isRepeat).toBe(false)
  })

  test('what a run makes reports to its task, whatever its words say', async () => {
    const top = await run()
    const pretended = crew.make({ task: 'x', sessionId: sessionId(crypto.randomUUID()) }, null, top.caller)
    expect(await failureOf(pretended)).toMatchObject({ code: 'forbidden' })
    const { task } = await crew.make({ task: 'x' }, null, top.caller)
    const row = await database.store.write(async (tx) => await tx.tasks.task(task.id))
    expect(row?.replyTo).toBe(address(top.id))
  })
})
