import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { AgentKey, TaskKey } from '../../../src/domain/ids'
import type { WriteTx } from '../../../src/domain/store'
import { chooseCli } from '../../../src/domain/task/agent-choice'
import type { AgentRow, NewTask, TaskRow } from '../../../src/domain/task/task-store'
import { onEachDatabase } from '../databases'
import { addAgent, addTask, sampleAgent, sampleTask } from '../tasks-sample'

const NOW = 1_000
const CAPABILITIES = ['bun', 'gpu', 'zß "quoted"']

/** A task as the plain definition sees it. */
interface Plain {
  row: TaskRow
  offeredTo: AgentKey | undefined
  rejectedBy: Set<AgentKey>
}

/** `TaskTx.claimable`, word for word. */
function plainClaimable(tasks: Plain[], agent: AgentRow, isAssignedOnly: boolean): TaskKey | undefined {
  const may = tasks.filter(
    ({ row, offeredTo, rejectedBy }) =>
      (row.status === 'unassigned' || row.status === 'pending') &&
      row.waitingFor === null &&
      row.unmetCount === 0 &&
      (row.notBefore === null || row.notBefore <= NOW) &&
      (row.agentKey === agent.key || row.agentKey === null) &&
      (offeredTo === undefined || offeredTo === agent.key) &&
      !(isAssignedOnly && row.agentKey === null && offeredTo === undefined) &&
      row.requiredCapabilities.every((needed) => agent.capabilities.includes(needed)) &&
      chooseCli(row.neededClis, agent, NOW) !== undefined &&
      !rejectedBy.has(agent.key),
  )
  const isOwn = ({ row, offeredTo }: Plain) => Number(row.agentKey === agent.key || offeredTo === agent.key)
  may.sort((a, b) => b.row.priority - a.row.priority || isOwn(b) - isOwn(a) || a.row.key - b.row.key)
  return may[0]?.row.key
}

const someCapabilities = fc.subarray(CAPABILITIES).map((some) => some.toSorted())
const CLIS = ['claude-code', 'codex', 'opencode']
const someClis = fc.shuffledSubarray(CLIS, { maxLength: 2 })
/** What a worker says of its agent CLIs: nothing, none, or some of them, one of which may be at its limit. */
const someHolder = fc.record({
  clis: fc.option(fc.shuffledSubarray(CLIS).map((names) => names.map((name) => ({ name, version: '1' })))),
  cliLimits: fc.constantFrom<Record<string, number>>(
    {},
    { codex: NOW },
    { codex: NOW + 1 },
    { 'claude-code': NOW + 1 },
  ),
  fallsOver: fc.boolean(),
})
const someAgent = fc.nat({ max: 2 })
const someTask = fc.record({
  status: fc.constantFrom<NewTask['status']>('unassigned', 'unassigned', 'pending', 'pending', 'backlog', 'paused'),
  priority: fc.constantFrom(0, 50, 50, 100),
  agent: fc.option(someAgent, { freq: 2 }),
  waitingFor: fc
    .option(fc.constantFrom<NonNullable<NewTask['waitingFor']>>('dependency', 'retry', 'time'), {
      freq: 4,
    })
    .map((wait) => (wait === null ? null : wait)),
  unmetCount: fc.constantFrom(0, 0, 0, 1),
  notBefore: fc.constantFrom(null, null, NOW - 1, NOW, NOW + 1),
  requiredCapabilities: someCapabilities,
  neededClis: someClis,
  offeredTo: fc.option(someAgent, { freq: 4 }),
  rejectedBy: fc.subarray([0, 1, 2]),
  /** What it is changed to after it was stored. */
  later: fc.option(
    fc.record({
      ...{ unmetCount: fc.nat({ max: 1 }), waitingFor: fc.constant(null), agent: fc.option(someAgent) },
      neededClis: someClis,
    }),
  ),
  isOfferRemoved: fc.boolean(),
})

onEachDatabase((database) => {
  test('a claim gives what the plain definition gives, and a look before it says whether there is anything', async () => {
    const { store } = database
    await fc.assert(
      fc.asyncProperty(
        fc.array(someTask, { maxLength: 12 }),
        fc.tuple(someCapabilities, someCapabilities, someCapabilities),
        fc.tuple(someHolder, someHolder, someHolder),
        async (wanted, capabilities, holders) => {
          const { agents, tasks } = await store.write(async (tx) => {
            const agents: AgentRow[] = []
            for (const [at, set] of capabilities.entries())
              agents.push(await storedAgent(tx, { capabilities: set, ...holders[at] }))
            const keyOf = (n: number | null) => (n === null ? null : (agents[n]?.key ?? null))
            const tasks: Plain[] = []
            for (const task of wanted) {
              const { offeredTo, rejectedBy, later, isOfferRemoved, agent, ...fields } = task
              const { key } = await tx.tasks.insertTask(sampleTask({ ...fields, agentKey: keyOf(agent) }))
              if (offeredTo !== null)
                await tx.tasks.putOffer({ taskKey: key, agentKey: keyOf(offeredTo) as AgentKey, expiresAt: 1 })
              if (offeredTo !== null && isOfferRemoved) await tx.tasks.removeOffer(key)
              for (const by of rejectedBy) await tx.tasks.addRejection(key, keyOf(by) as AgentKey, null)
              if (later !== null) {
                const { agent: laterAgent, ...rest } = later
                await tx.tasks.updateTask(key, { ...rest, agentKey: keyOf(laterAgent) })
              }
              const row = await tx.tasks.taskByKey(key)
              if (row === undefined) throw new Error('no task')
              const offer = await tx.tasks.offer(key)
              tasks.push({
                row,
                offeredTo: offer?.agentKey,
                rejectedBy: new Set(rejectedBy.map((by) => keyOf(by) as AgentKey)),
              })
            }
            return { agents, tasks }
          })
          for (const agent of agents)
            for (const isAssignedOnly of [false, true]) {
              const expected = plainClaimable(tasks, agent, isAssignedOnly)
              const found = await store.write(async (tx) => await tx.tasks.claimable(agent, NOW, isAssignedOnly))
              expect(found?.key).toBe(expected)
              expect(await store.tasks.hasWork(agent, [], true, NOW, isAssignedOnly)).toBe(expected !== undefined)
            }
          // Out of the way of the next run.
          await store.write(async (tx) => {
            for (const { row } of tasks) await tx.tasks.updateTask(row.key, { status: 'cancelled' })
          })
        },
      ),
      { numRuns: 60 },
    )
  })

  test('tasks that nobody may take, or another agent alone, are stepped over whatever their number', async () => {
    const { store } = database
    const agent = await addAgent(store, { capabilities: ['a'] })
    const other = await addAgent(store)
    const wanted = await store.write(async (tx) => {
      for (let i = 0; i < 300; i++) {
        await tx.tasks.insertTask(
          sampleTask({ priority: 100, unmetCount: 1, status: 'pending', waitingFor: 'dependency' }),
        )
        await tx.tasks.insertTask(sampleTask({ priority: 100, requiredCapabilities: [`set ${i % 7}`] }))
        await tx.tasks.insertTask(sampleTask({ priority: 100, agentKey: other.key, status: 'pending' }))
      }
      return (await tx.tasks.insertTask(sampleTask({ priority: 1, requiredCapabilities: ['a'] }))).key
    })
    expect((await store.write(async (tx) => await tx.tasks.claimable(agent, NOW)))?.key).toBe(wanted)
    expect(await store.tasks.hasWork(agent, [], true, NOW)).toBe(true)
    expect(await store.tasks.hasWork(agent, [], false, NOW)).toBe(false)
    await store.write((tx) => tx.tasks.updateTask(wanted, { status: 'completed' }))
    expect(await store.write(async (tx) => await tx.tasks.claimable(agent, NOW))).toBeUndefined()
    expect(await store.tasks.hasWork(agent, [], true, NOW)).toBe(false)
  })

  test('many claims at once get each task once, and none goes away empty', async () => {
    const { store } = database
    const agents = await Promise.all(Array.from({ length: 4 }, () => addAgent(store, { capabilities: ['race'] })))
    const made = new Set<TaskKey>()
    for (let i = 0; i < 60; i++)
      made.add((await addTask(store, { priority: i % 3, requiredCapabilities: i % 2 === 0 ? [] : ['race'] })).key)
    const others = await database.open()
    try {
      const claims = await Promise.all(
        Array.from({ length: 60 }, (_, i) =>
          (i % 2 === 0 ? store : others).write(async (tx) => {
            const agent = agents[i % agents.length] as AgentRow
            const task = await tx.tasks.claimable(agent, NOW)
            if (task !== undefined) await tx.tasks.updateTask(task.key, { status: 'in_progress', agentKey: agent.key })
            return task?.key
          }),
        ),
      )
      expect(new Set(claims)).toEqual(made)
    } finally {
      await others.close()
    }
  })

  test('a set of capabilities may be as long as it may', async () => {
    const { store } = database
    const text = () =>
      String.fromCodePoint(...crypto.getRandomValues(new Uint16Array(100)).map((n) => 0x4e00 + (n % 20_000)))
    const long = Array.from({ length: 50 }, text).toSorted()
    const [able, other] = [
      await addAgent(store, { capabilities: long }),
      await addAgent(store, { capabilities: ['x'] }),
    ]
    const task = await addTask(store, { priority: 100, requiredCapabilities: long })
    const later = await addTask(store, { priority: 99 })
    await store.write((tx) => tx.tasks.updateTask(later.key, { requiredCapabilities: long.slice(1) }))
    const claim = (agent: AgentRow) => store.write(async (tx) => (await tx.tasks.claimable(agent, NOW))?.id)
    expect([await claim(able), await claim(other)]).toEqual([task.id, undefined])
    await store.write((tx) => tx.tasks.updateTask(task.key, { status: 'cancelled' }))
    expect([await claim(able), await claim(other)]).toEqual([later.id, undefined])
    await store.write((tx) => tx.tasks.updateTask(later.key, { status: 'cancelled' }))
  })

  test('an agent with very many sets of capabilities before it still gets the best', async () => {
    const { store } = database
    const names = Array.from({ length: 130 }, (_, i) => `set-${i}`)
    const agent = await addAgent(store, { capabilities: names })
    const best = await store.write(async (tx) => {
      for (const name of names) await tx.tasks.insertTask(sampleTask({ requiredCapabilities: [name] }))
      const row = sampleTask({ priority: 51, requiredCapabilities: ['set-129', 'set-3'].toSorted() })
      return (await tx.tasks.insertTask(row)).key
    })
    expect((await store.write(async (tx) => await tx.tasks.claimable(agent, NOW)))?.key).toBe(best)
  })
})

async function storedAgent(tx: WriteTx, row: Partial<AgentRow>): Promise<AgentRow> {
  const found = await tx.tasks.agentByKey(await tx.tasks.insertAgent(sampleAgent(row)))
  if (found === undefined) throw new Error('no agent')
  return found
}
