import { expect, test } from 'bun:test'
import type { Usage } from '../../../src/domain/cost/usage'
import { UTC } from '../../../src/domain/cost/zone-days'
import { readTreeId, treeId } from '../../../src/domain/overview/tree-id'
import type { TreeFilter, TreeRollup } from '../../../src/domain/overview/tree-level'
import type { Subagent } from '../../../src/domain/session/session'
import { sessionStatus } from '../../../src/domain/session/session-status'
import type { StoredSession } from '../../../src/domain/session/session-store'
import type { Store } from '../../../src/domain/store'
import { openStore } from '../../../src/store/open'
import { failureOf, make, onEachDatabase } from '../databases'
import {
  freshId,
  sampleEvent,
  sampleSession,
  sampleSubagent,
  sampleToolUse,
  sampleUsage,
  sessionChange,
} from '../sample'
import { addTask } from '../tasks-sample'
import { makeWorld, type World } from '../tree-world'
import { all, NO_NEEDS, readAll, SETTINGS, type Walked, walk } from '../walk-tree'

const PLAIN = { settings: SETTINGS, needs: NO_NEEDS }

const totalTokens = (usage: Usage): number =>
  usage.inputTokens + usage.outputTokens + usage.cacheReadTokens + usage.cacheCreationTokens

const LOST = ['lost', 'session silent, no end seen', null]
const fail = (): never => {
  throw new Error('it is not there')
}
const isOf = (node: Walked, ...kinds: string[]) => kinds.includes(node.entry.kind)

/** What a session shows as, worked out here from single reads. */
async function shownStatus(
  store: Store,
  { id, signals, lastEventAt }: StoredSession,
  agents: readonly Subagent[],
  now: number,
): Promise<string> {
  const { status } = sessionStatus(signals, now)
  const open = await store.tasks.questions({ status: 'open' }, { limit: 100 })
  for (const { taskId } of open.rows) {
    const attempts = await store.tasks.attempts(taskId)
    const isHere = attempts.some((one) => one.isLive && one.conversation?.sessionId === id)
    if (isHere && status !== 'ended' && status !== 'lost') return 'waiting'
  }
  const isSilent = now - Date.parse(lastEventAt ?? '') >= SETTINGS.stuckAfterMs
  const hasWork = agents.some((one) => one.status === 'running')
  return status === 'running' && isSilent && !hasWork ? 'stuck' : status
}

/** What entries come to, added up here from what single reads say of single things. */
async function expectedRollups(store: Store, { now }: World, roots: readonly Walked[]) {
  const sessions = new Map<string, { own: Sum; agents: Map<string, Subagent> }>()
  for (const { entry } of all(roots).filter((node) => isOf(node, 'session'))) {
    const id = entry.sessionId
    if (id === null || sessions.has(id)) continue
    const session = await store.sessions.find(id)
    if (session === undefined) throw new Error(`no session ${id}`)
    const agents = await store.subagents.list(id)
    const status = await shownStatus(store, session, agents, now)
    const isAlive = status !== 'ended' && status !== 'lost'
    const running = isAlive ? agents.filter((one) => one.status === 'running').length : 0
    sessions.set(id, {
      agents: new Map(agents.map((one) => [one.id, one])),
      own: {
        running: running + (status === 'running' ? 1 : 0),
        blocked: status === 'waiting' ? 1 : 0,
        needs: 0,
        tokens: totalTokens(session.usage),
        lastEventAt: session.lastEventAt ?? '',
        isRunning: status === 'running',
      },
    })
  }
  const tasks = new Map<string, Sum & { live: (string | null)[] }>()
  for (const { entry } of all(roots).filter((node) => isOf(node, 'task'))) {
    if (entry.taskId === null || tasks.has(entry.taskId)) continue
    const task = await store.tasks.find(entry.taskId)
    const attempts = await store.tasks.attempts(entry.taskId)
    const isBlocked = task?.status === 'paused' || (task?.status === 'pending' && task.waitingFor !== null)
    tasks.set(entry.taskId, {
      running: 0,
      blocked: isBlocked ? 1 : 0,
      needs: 0,
      tokens: 0,
      lastEventAt: task?.updatedAt ?? '',
      live:
        task?.status === 'waiting'
          ? []
          : attempts.filter(({ isLive }) => isLive).map(({ conversation }) => conversation?.sessionId ?? null),
    })
  }
  return (node: Walked): Sum => {
    const below = all([node])
    const sum: Sum = { running: 0, blocked: 0, needs: 0, tokens: 0, lastEventAt: '' }
    for (const id of new Set(below.flatMap(({ entry }) => (entry.kind === 'session' ? (entry.sessionId ?? []) : []))))
      add(sum, sessions.get(id)?.own)
    for (const id of new Set(below.flatMap(({ entry }) => (entry.kind === 'task' ? (entry.taskId ?? []) : [])))) {
      const task = tasks.get(id)
      add(sum, task)
      for (const live of task?.live ?? [])
        if (live === null || sessions.get(live)?.own.isRunning !== true) sum.running++
    }
    return sum
  }
}

/** Tokens and costs of what a filter shows are those of all sessions below it. */
async function expectUsed(
  store: Store,
  world: World,
  filter: TreeFilter,
  used: ReadonlyMap<string, { tokens: number; usd: number }>,
): Promise<void> {
  const below = new Map(
    all(await walk(store, world.now)).map((node) => [
      node.entry.id,
      new Set(all([node]).flatMap(({ entry }) => (entry.kind === 'session' ? (entry.sessionId ?? []) : []))),
    ]),
  )
  const shown = all(await walk(store, world.now, filter))
  for (const { entry } of shown.filter((node) => isOf(node, 'project', 'task', 'session'))) {
    const parts = [...(below.get(entry.id) ?? [])].map((id) => used.get(id) ?? fail())
    const tokens = parts.reduce((sum, one) => sum + one.tokens, 0)
    expect([filter, entry.id, entry.rollup?.tokens]).toEqual([filter, entry.id, tokens])
    expect(entry.rollup?.costUsd ?? 0).toBeCloseTo(
      parts.reduce((sum, one) => sum + one.usd, 0),
      9,
    )
  }
}

interface Sum {
  running: number
  blocked: number
  needs: number
  tokens: number
  lastEventAt: string
  isRunning?: boolean
}

function add(to: Sum, part: Sum | undefined): void {
  if (part === undefined) return
  to.running += part.running
  to.blocked += part.blocked
  to.needs += part.needs
  to.tokens += part.tokens
  if (part.lastEventAt > to.lastEventAt) to.lastEventAt = part.lastEventAt
}

onEachDatabase((database) => {
  /** Each in a database of its own, as the tree is of all work. PostgreSQL makes worlds slowly: it gets one. */
  const onSeeds = async (seeds: readonly number[], check: (store: Store, world: World) => Promise<void>) => {
    for (const seed of database.kind === 'sqlite' ? seeds : seeds.slice(0, 1)) {
      const { place, remove } = await make(database.kind)
      const store = await openStore({ ...place, mode: 'read-write', migrate: true })
      try {
        await check(store, await makeWorld(store, seed))
      } finally {
        await store.close()
        await remove()
      }
    }
  }

  test('every project, task and session stands in the tree, and each entry comes to what stands below it', async () => {
    const seen = new Set<string>()
    await onSeeds([1, 2, 3], async (store, world) => {
      const roots = await walk(store, world.now)
      const nodes = all(roots)
      expect(new Set(nodes.flatMap(({ entry }) => (entry.kind === 'session' ? [entry.sessionId] : [])))).toEqual(
        new Set(world.sessions),
      )
      expect(nodes.flatMap(({ entry }) => (entry.kind === 'task' ? [entry.taskId] : [])).toSorted()).toEqual(
        world.tasks.toSorted(),
      )
      const expected = await expectedRollups(store, world, roots)
      for (const node of nodes.filter((one) => isOf(one, 'project', 'task', 'session'))) {
        const { running, blocked, needs, tokens, lastEventAt } = node.entry.rollup as TreeRollup
        const { isRunning: _, ...sum } = expected(node)
        expect([node.entry.id, { running, blocked, needs, tokens, lastEventAt: lastEventAt ?? '' }]).toEqual([
          node.entry.id,
          sum,
        ])
      }
      // The whole has more than nothing of each.
      expect(roots.some(({ entry }) => (entry.rollup?.running ?? 0) > 0)).toBe(true)
      expect(roots.some(({ entry }) => (entry.rollup?.blocked ?? 0) > 0)).toBe(true)
      for (const { entry } of nodes) seen.add(`${entry.kind} ${entry.status}`)
    })
    expect([seen.has('session stuck'), seen.has('session waiting')]).toEqual([true, true])
  })

  test('what an entry says is below it is what its level holds, and a session is as its other reads say', async () => {
    await onSeeds([4, 5], async (store, world) => {
      for (const { entry, below } of all(await walk(store, world.now))) {
        expect([entry.id, below.length]).toEqual([entry.id, entry.childCount])
        if (entry.kind === 'tool' || entry.kind === 'todo') expect([entry.rollup, entry.childCount]).toEqual([null, 0])
      }
      for (const id of world.sessions) {
        const inTree = all(await walk(store, world.now, {}, treeId({ kind: 'session', sessionId: id })))
        const session = await store.sessions.find(id)
        const { status } = sessionStatus(session?.signals ?? fail(), world.now)
        // In a session that is over by its silence nothing runs.
        const isSilent = (one: Subagent) =>
          (status === 'lost' || status === 'ended') && (one.status === 'running' || one.status === 'unknown')
        const agents = await store.subagents.list(id)
        const shown = inTree.filter((node) => isOf(node, 'subagent', 'shell', 'monitor'))
        expect(
          new Map(
            shown.map(({ entry }) => [entry.subagentId as string, [entry.status, entry.statusEvidence, entry.endedAt]]),
          ),
        ).toEqual(
          new Map(
            agents.map((one) => [
              one.id as string,
              isSilent(one) ? LOST : [one.status, one.statusEvidence, one.endedAt],
            ]),
          ),
        )
        // Each stands below the one that launched it.
        for (const { entry, below } of shown)
          for (const child of below.filter((node) => isOf(node, 'subagent', 'shell', 'monitor')))
            expect(agents.find((one) => one.id === child.entry.subagentId)?.parentId).toBe(entry.subagentId)
        const ownTokens = new Map(
          agents.map((one) => [one.id as string, one.usage === null ? 0 : totalTokens(one.usage)]),
        )
        for (const node of shown) {
          const sum = all([node]).reduce(
            (tokens, { entry }) => tokens + (ownTokens.get(entry.subagentId ?? '') ?? 0),
            0,
          )
          expect(node.entry.rollup?.tokens).toBe(sum)
        }
        const todos = await store.todos.list({ sessionId: id })
        expect(inTree.flatMap(({ entry }) => (entry.kind === 'todo' ? [entry.label] : [])).toSorted()).toEqual(
          todos.map(({ content }) => content).toSorted(),
        )
      }
    })
  })

  test('costs of the tree leave out what has no price, and add up', async () => {
    await onSeeds([6], async (store, world) => {
      const roots = await walk(store, world.now)
      const { total } = await store.costs.sum({ by: 'model', timeZone: UTC, limit: 10 })
      const sessions = new Map(
        all(roots).flatMap(({ entry }) => (entry.kind === 'session' ? [[entry.id, entry.rollup?.costUsd ?? 0]] : [])),
      )
      const sum = [...sessions.values()].reduce((usd, one) => usd + one, 0)
      expect(sum).toBeCloseTo(total.costUsd ?? -1, 9)
      expect(sum).toBeGreaterThan(0)
    })
  })

  test('a filter shows what fits, and what is on the way to it, and nothing else', async () => {
    await onSeeds([7, 8], async (store, world) => {
      const whole = await walk(store, world.now)
      const filters: TreeFilter[] = [
        { statuses: ['running'] },
        { statuses: ['waiting', 'paused'] },
        { statuses: ['completed'] },
        { statuses: ['lost', 'failed'] },
        { statuses: ['in_progress', 'pending'] },
        { statuses: ['idle'] },
        { statuses: ['stuck'] },
        { statuses: ['waiting', 'stuck', 'in_progress'] },
        { statuses: ['unknown', 'killed'] },
        { q: 'the' },
        { q: 'äpfel' },
        { q: '%' },
        { q: 'look', statuses: ['running', 'completed'] },
        { agent: 'codex' },
        { agent: 'codex', q: 'the' },
        { agent: 'claude-code', statuses: ['running'] },
      ]
      for (const filter of filters) {
        const shown = (nodes: readonly Walked[]): unknown => nodes.map(({ entry, below }) => [entry.id, shown(below)])
        const filtered = await walk(store, world.now, filter)
        // Projects are sorted by what they come to as a whole; the filter leaves them in that order.
        expect([filter, shown(filtered)]).toEqual([filter, shown(prune(whole, filter))])
        for (const { entry, below } of all(filtered))
          expect([entry.id, entry.childCount]).toEqual([entry.id, below.length])
      }
    })
  })

  test('since a time only what was heard of after it is shown', async () => {
    await onSeeds([9], async (store, world) => {
      const whole = all(await walk(store, world.now))
      const since = world.now - 20 * 60_000
      const late = all(await walk(store, world.now, { since }))
      const ids = new Set(late.map(({ entry }) => entry.id))
      for (const { entry } of whole.filter((node) => isOf(node, 'session', 'task'))) {
        const isLate = Date.parse(entry.rollup?.lastEventAt ?? '') > since
        expect([entry.id, ids.has(entry.id)]).toEqual([entry.id, isLate])
      }
      expect(late.length).toBeLessThan(whole.length)
    })
  })

  test('since a time tokens and costs are those since, of everything below an entry', async () => {
    await onSeeds([12, 13], async (store, world) => {
      const asked = { by: 'model', since: world.now - 30 * 3_600_000 - 12_345, timeZone: UTC, limit: 10 } as const
      const used = new Map<string, { tokens: number; usd: number }>()
      for (const id of world.sessions) {
        const { total } = await store.costs.sum({ ...asked, sessionId: id })
        used.set(id, { tokens: totalTokens(total.usage), usd: total.costUsd ?? 0 })
      }
      await expectUsed(store, world, { since: asked.since }, used)
      const { total } = await store.costs.sum(asked)
      const whole = await store.costs.sum({ ...asked, since: 0 })
      expect(total.messages).toBeGreaterThan(0)
      expect(total.messages).toBeLessThan(whole.total.messages)
      // Sub-agents, too: all of them and the main thread are the session.
      for (const id of world.sessions) {
        const level = await readAll(store, treeId({ kind: 'session', sessionId: id }), world.now, {
          since: asked.since,
        })
        const agents = level.entries.reduce((sum, { rollup }) => sum + (rollup?.tokens ?? 0), 0)
        expect(agents).toBeLessThanOrEqual(used.get(id)?.tokens ?? 0)
      }
    })
  })

  test('of an agent CLI tokens and costs are those of its sessions, also since a time', async () => {
    await onSeeds([12, 13], async (store, world) => {
      for (const since of [undefined, world.now - 30 * 3_600_000 - 12_345])
        for (const agent of ['codex', 'claude-code'] as const) {
          const used = new Map<string, { tokens: number; usd: number }>()
          for (const id of world.sessions) {
            const asked = { by: 'model', timeZone: UTC, limit: 10, sessionId: id } as const
            // Without a time, those count whose time nobody knows, too.
            const { total } = await store.costs.sum({ ...asked, ...(since !== undefined && { since }) })
            const isIts = (await store.sessions.find(id))?.agent === agent
            used.set(id, { tokens: isIts ? totalTokens(total.usage) : 0, usd: isIts ? (total.costUsd ?? 0) : 0 })
          }
          await expectUsed(store, world, { agent, ...(since !== undefined && { since }) }, used)
        }
    })
  })

  test('levels read in small pages are the levels, and what comes meanwhile drops nothing', async () => {
    await onSeeds([10], async (store, world) => {
      const ids = (nodes: readonly Walked[]): string[] => all(nodes).map(({ entry }) => entry.id)
      expect(ids(await walk(store, world.now, { limit: 1 }))).toEqual(ids(await walk(store, world.now)))
      expect(ids(await walk(store, world.now, { limit: 3, statuses: ['running', 'completed'] }))).toEqual(
        ids(await walk(store, world.now, { statuses: ['running', 'completed'] })),
      )
      const before = await readAll(store, treeId({ kind: 'project', key: null }), world.now)
      expect(before.entries.length).toBe(before.total)
      const seen: string[] = []
      let cursor: string | null | undefined
      do {
        const under = { kind: 'project', key: null } as const
        const level = await store.tree.level({ ...PLAIN, under, now: world.now, limit: 2, ...(cursor && { cursor }) })
        seen.push(...(level?.entries.map(({ id }) => id) ?? []))
        cursor = level?.nextCursor ?? null
        await addTask(store)
        await store.write((tx) => sampleSession(tx))
      } while (cursor !== null && seen.length < 500)
      expect(before.entries.filter(({ id }) => !seen.includes(id))).toEqual([])
      expect(new Set(seen).size).toBe(seen.length)
    })
  })

  test('each entry can be opened by its id alone: its path leads down to it', async () => {
    await onSeeds([11], async (store, world) => {
      const check = async (nodes: readonly Walked[], above: readonly string[]): Promise<void> => {
        for (const { entry, below } of nodes) {
          const { path } = await readAll(store, entry.id, world.now)
          const ids = path.map(({ id }) => id)
          expect(ids.at(-1)).toBe(entry.id)
          expect(path.every(({ rollup }) => rollup === null)).toBe(true)
          // A session that went through several tasks is shown with one of them.
          if (!above.some((id) => id.startsWith('task:'))) expect(ids).toEqual([...above, entry.id])
          await check(below, [...above, entry.id])
        }
      }
      await check(await walk(store, world.now), [])
    })
  })

  test('what is not there has no level, and a cursor serves its own list alone', async () => {
    const { store } = database
    const now = Date.now()
    await store.write((tx) => sampleSession(tx))
    await store.write((tx) => sampleSession(tx))
    const ids = [
      'project:nobody',
      'task:t-nobody01',
      'session:nobody',
      'subagent:nobody/none',
      'tool:nobody/none',
      'todo:nobody/none',
    ]
    for (const id of ids) {
      const under = readTreeId(id)
      if (under === undefined) throw new Error(id)
      expect([id, await store.tree.level({ ...PLAIN, under, now, limit: 10 })]).toEqual([id, undefined])
    }
    const none = { kind: 'project', key: null } as const
    const page = await store.tree.level({ ...PLAIN, under: none, now, limit: 1 })
    const cursor = page?.nextCursor ?? ''
    expect(cursor).not.toBe('')
    expect(await failureOf(store.tree.level({ ...PLAIN, under: null, now, limit: 1, cursor }))).toMatchObject({
      code: 'invalid',
    })
    expect(await failureOf(store.tree.level({ ...PLAIN, under: none, q: 'x', now, limit: 1, cursor }))).toMatchObject({
      code: 'invalid',
    })
    expect(await failureOf(store.tree.level({ ...PLAIN, under: none, now, limit: 0 }))).toMatchObject({
      code: 'invalid',
    })
  })

  test('agents stand below agents to any depth, and a task below tasks', async () => {
    const { store } = database
    const depth = 120
    const session = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      let above: number | null = null
      for (let at = 0; at < depth; at++) {
        const { key } = await tx.record.subagent(made.key, `deep-${at}`, 'agent')
        await tx.record.mergeToolUses([sampleToolUse(made, `toolu-${at}`, { subagentKey: above as never })])
        await tx.record.mergeSubagents([
          sampleSubagent(made, `deep-${at}`, { link: { toolUseId: `toolu-${at}`, evidence: 'meta' } }),
        ])
        await tx.record.mergeUsage([
          sampleUsage(made, {
            subagentKey: key,
            inputTokens: 1,
            outputTokens: 0,
            cacheReadTokens: 0,
            cacheCreationTokens: 0,
          }),
        ])
        above = key
      }
      return made
    })
    const nodes = all(await walk(store, Date.now(), {}, treeId({ kind: 'session', sessionId: session.id as never })))
    const agents = nodes.filter((node) => isOf(node, 'subagent'))
    expect(agents.length).toBe(depth)
    expect(agents[0]?.entry.rollup?.tokens).toBe(depth)
    expect(agents.at(-1)?.entry.rollup?.tokens).toBe(1)
    const { path } = await readAll(store, agents.at(-1)?.entry.id ?? '', Date.now())
    expect(path.length).toBe(depth + 2)

    let parent = await addTask(store)
    const top = parent
    for (let level = 1; level < 60; level++)
      parent = await addTask(store, { parentKey: parent.key, parentTaskId: parent.id, depth: level, status: 'paused' })
    const [found] = (await readAll(store, treeId({ kind: 'project', key: null }), Date.now())).entries.filter(
      ({ taskId }) => taskId === top.id,
    )
    expect(found).toMatchObject({ childCount: 1, rollup: { blocked: 59 } })
    expect((await readAll(store, treeId({ kind: 'task', taskId: parent.id }), Date.now())).path.length).toBe(61)
  })

  test('agents that name each other as parents stand in the tree once each', async () => {
    const { store } = database
    const session = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      for (const [id, parent] of [
        ['a', 'b'],
        ['b', 'a'],
        ['c', 'c'],
      ] as const)
        await tx.record.mergeSubagents([sampleSubagent(made, id, { parentNativeId: parent })])
      return made
    })
    const { entries } = await readAll(store, treeId({ kind: 'session', sessionId: session.id as never }), Date.now())
    const nodes = all(await walk(store, Date.now(), {}, treeId({ kind: 'session', sessionId: session.id as never })))
    expect(nodes.map(({ entry }) => entry.subagentId as string).toSorted()).toEqual(['a', 'b', 'c'])
    expect(entries.length).toBeGreaterThan(0)
  })

  test('a call that runs tells how it begins, and its name once', async () => {
    const { store } = database
    const call = freshId('toolu')
    const session = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      await tx.record.insertEvents([
        sampleEvent(made, {
          type: 'tool_call',
          toolUseId: call,
          toolName: 'Bash',
          text: `Bash\nls \u202e${'x'.repeat(900)}`,
        }),
      ])
      await tx.record.mergeToolUses([sampleToolUse(made, call, { name: 'Bash', calledAt: 5 })])
      const activity = { state: 'working', at: Date.now(), evidence: 'test', reason: null } as const
      await tx.record.mergeSession([sessionChange(made.key, { activity })])
      return made
    })
    const { entries } = await readAll(store, treeId({ kind: 'session', sessionId: session.id as never }), Date.now())
    expect(entries).toMatchObject([
      { kind: 'tool', label: 'Bash', status: 'running', toolUseId: call, startedAt: '1970-01-01T00:00:00.005Z' },
    ])
    expect(entries[0]?.detail).toStartWith('ls \u202exx')
    expect(entries[0]?.detail?.length).toBe(200 - 'Bash\n'.length)
  })
})

/** The tree as a filter has to show it, made from the whole. */
function prune(nodes: readonly Walked[], filter: TreeFilter): Walked[] {
  return nodes.flatMap((node): Walked[] => {
    const { entry } = node
    const { statuses, q, agent } = filter
    const isTitled = entry.kind === 'task' || entry.kind === 'session'
    const hasTitle = q === undefined || (isTitled && titleOf(entry).includes(q.toLowerCase()))
    const hasStatus =
      statuses === undefined || (entry.status !== null && entry.kind !== 'todo' && statuses.includes(entry.status))
    if (entry.kind === 'session') {
      // Titles are those of tasks and sessions: within a session only the status counts.
      const below = prune(node.below, statuses === undefined ? {} : { statuses })
      const isOfAgent = agent === undefined || entry.agentCli === agent
      return isOfAgent && hasTitle && (hasStatus || below.length > 0) ? [{ entry, below }] : []
    }
    const below = prune(node.below, filter)
    // Only its sessions tell which agent CLI worked on a task.
    const fits = entry.kind !== 'project' && agent === undefined && hasTitle && hasStatus
    const isWithinSession = entry.kind !== 'project' && entry.kind !== 'task'
    if (isWithinSession) return statuses === undefined || hasStatus || below.length > 0 ? [{ entry, below }] : []
    return fits || below.length > 0 ? [{ entry, below }] : []
  })
}

/** A session without a title is shown by its id, which is none. */
const titleOf = ({ label, sessionId, kind }: Walked['entry']): string =>
  kind === 'session' && label === sessionId ? '' : label.toLowerCase()
