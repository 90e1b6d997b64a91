import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { hostKey, sessionId } from '../../../src/domain/ids'
import type { TodoChange } from '../../../src/domain/record/observation'
import type { MentionRow, TodoChangeRow } from '../../../src/domain/record/record-store'
import type { Store, WriteTx } from '../../../src/domain/store'
import type { TodoChangeEntry } from '../../../src/domain/todo/todo-history'
import { type ContractDatabase, onEachDatabase } from '../databases'
import { freshId, sampleHost, sampleSession } from '../sample'

const snapshot = (...items: string[]): TodoChange => ({
  op: 'snapshot',
  items: items.map((content) => ({ content, status: 'pending' })),
})
const create = (nativeId: string, subject: string): TodoChange => ({ op: 'create', nativeId, subject })

type Said = Omit<TodoChangeRow, 'sessionKey' | 'subagentKey' | 'source'> & Partial<TodoChangeRow>

async function apply({ record }: WriteTx, key: TodoChangeRow['sessionKey'], ...changes: Said[]) {
  return await record.applyTodoChanges(
    changes.map((change) => ({ sessionKey: key, subagentKey: null, source: 1 as const, ...change })),
  )
}

const shown = async (store: Store, id: string) =>
  (await store.todos.list({ sessionId: sessionId(id), includeRemoved: true })).map((todo) => ({
    id: todo.id,
    of: todo.sessionId,
    content: todo.content,
    status: todo.status,
  }))

const rowsOf = async ({ store }: ContractDatabase, id: string): Promise<TodoChangeEntry[]> =>
  JSON.parse((await store.todos.history((await shown(store, id))[0]?.id ?? ('' as never))) ?? '[]')

onEachDatabase((database) => {
  test('an item keeps its id when it is reworded, and its history says by whom', async () => {
    const { store } = database
    const made = await store.write(async (tx) => {
      const session = await sampleSession(tx)
      const { key } = await tx.record.subagent(session.key, 'agent-1', 'agent')
      await apply(tx, session.key, { listName: 'tasks', toolUseId: 't1', at: 1, change: create('1', 'Write tests') })
      await apply(tx, session.key, {
        listName: 'tasks',
        toolUseId: 't2',
        at: 2,
        subagentKey: key,
        change: { op: 'update', nativeId: '1', subject: 'Write unit tests', status: 'completed', owner: 'ann' },
      })
      await apply(tx, session.key, {
        listName: 'tasks',
        toolUseId: 't2',
        at: 3,
        subagentKey: key,
        change: { op: 'update_result', nativeId: '1', isSuccess: true },
      })
      return session
    })
    const [todo] = await store.todos.list({ sessionId: sessionId(made.id) })
    expect(todo).toMatchObject({
      id: `${made.id}/tasks/1`,
      content: 'Write unit tests',
      subagentId: null,
      changedBy: { sessionId: made.id, subagentId: 'agent-1' },
    })
    expect(await rowsOf(database, made.id)).toEqual([
      { number: 1, at: 1, change: 'created', to: 'pending', by: null },
      { number: 2, at: 3, change: 'reworded', from: 'Write tests', to: 'Write unit tests', by: 'agent-1' },
      { number: 3, at: 3, change: 'owner', to: 'ann', by: 'agent-1' },
      { number: 4, at: 3, change: 'status', from: 'pending', to: 'completed', by: 'agent-1' },
    ])
  })

  test('sessions that share a list of the CLI see one list, each item stored once, in any order of arrival', async () => {
    const { store } = database
    const [a, b] = [freshId('a'), freshId('b')].toSorted()
    const name = freshId('team')
    const outcomes: unknown[] = []
    const said: ((tx: WriteTx, keys: Map<string, TodoChangeRow['sessionKey']>) => unknown)[] = [
      (tx, keys) => tx.record.setNativeList(keyOf(keys, a), { name, at: 1 }),
      (tx, keys) => tx.record.setNativeList(keyOf(keys, b), { name: `${name}-before`, at: 1 }),
      (tx, keys) => tx.record.setNativeList(keyOf(keys, b), { name, at: 2 }),
      (tx, keys) =>
        apply(tx, keyOf(keys, a), { listName: 'tasks', toolUseId: 'c1', at: 1, change: create('1', 'one') }),
      (tx, keys) =>
        apply(tx, keyOf(keys, b), { listName: 'tasks', toolUseId: 'c2', at: 2, change: create('2', 'two') }),
      (tx, keys) =>
        apply(
          tx,
          keyOf(keys, b),
          { listName: 'tasks', toolUseId: 'u1', at: 3, change: { op: 'update', nativeId: '1', status: 'completed' } },
          {
            listName: 'tasks',
            toolUseId: 'u1',
            at: 3,
            change: { op: 'update_result', nativeId: '1', isSuccess: true },
          },
        ),
      async (tx) => {
        const host = hostKey(Number(await sampleHost(tx.record)))
        const change: TodoChange = { op: 'item', nativeId: '3', subject: 'three', status: 'in_progress' }
        return await tx.record.putListFiles(host, [{ listName: name, file: `file:${name}/3.json`, change }])
      },
    ]
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray(said, { minLength: said.length }), async (steps) => {
        await store.write((tx) => tx.record.clearProjections())
        const keys = new Map<string, TodoChangeRow['sessionKey']>()
        await store.write(async (tx) => {
          for (const id of [a, b]) {
            const session = await tx.record.session('claude-code', id ?? '', await sampleHost(tx.record))
            if (session) keys.set(id ?? '', session.key)
          }
        })
        for (const step of steps) await store.write((tx) => Promise.resolve(step(tx, keys)))
        const seen = [await shown(store, a ?? ''), await shown(store, b ?? '')]
        expect(seen[0]).toEqual(seen[1])
        expect(seen[0]?.map((todo) => todo.id.replace(/@.*\//, '/')).toSorted()).toEqual(
          ['1', '2', '3'].map((n) => `${name}/${n}`),
        )
        outcomes.push(seen)
      }),
      { numRuns: 12 },
    )
    expect(new Set(outcomes.map((outcome) => JSON.stringify(outcome))).size).toBe(1)
    const [one, two, three] =
      (outcomes[0] as Awaited<ReturnType<typeof shown>>[])[0]?.toSorted((x, y) => (x.id < y.id ? -1 : 1)) ?? []
    // What a forgotten session did goes from the others' items.
    const key = (await store.sessions.find(sessionId(b ?? '')))?.key
    if (key === undefined) throw new Error('not recorded')
    const change: TodoChange = { op: 'list', items: [] }
    await store.write((tx) => apply(tx, key, { listName: 'tasks', toolUseId: 'c9', at: 9, change }))
    expect((await rowsOf(database, a ?? '')).at(-1)).toMatchObject({ change: 'removed', session: b })
    await store.write((tx) => tx.sessions.forget(key))
    expect(JSON.stringify(await rowsOf(database, a ?? ''))).not.toContain(b ?? '')
    const rest = await store.todos.list({ sessionId: sessionId(a ?? '') })
    expect(rest.map(({ content, status }) => `${content} ${status}`).toSorted()).toEqual([
      'one pending',
      'three in_progress',
    ])
    expect([one, two, three]).toMatchObject([
      { of: a, content: 'one', status: 'completed' },
      { of: b, content: 'two', status: 'pending' },
      { of: a, content: 'three', status: 'in_progress' },
    ])
  })

  test('lists of one name on two machines are two lists', async () => {
    const { store } = database
    const name = freshId('team')
    const ids = await store.write(async (tx) => {
      const made: string[] = []
      for (const host of ['machine-1', 'another-2']) {
        const id = freshId(host)
        const session = await tx.record.session('claude-code', id, await tx.record.host(host, host))
        if (!session) throw new Error('forgotten')
        await tx.record.setNativeList(session.key, { name, at: 1 })
        await apply(tx, session.key, { listName: 'tasks', toolUseId: 'c1', at: 1, change: create('1', host) })
        made.push(id)
      }
      return made
    })
    for (const [at, id] of ids.entries())
      expect((await shown(store, id)).map(({ content }) => content)).toEqual([['machine-1', 'another-2'][at] ?? ''])
  })

  test('two lists whose items would have one id keep both, whoever came first', async () => {
    const { store } = database
    const outcomes: string[][] = []
    for (const order of [
      [0, 1],
      [1, 0],
    ]) {
      await store.write((tx) => tx.record.clearProjections())
      // A session's id may hold what ids of items are made of.
      const lists = [
        { id: 'clash', change: create('tasks/1', 'first') },
        { id: 'clash/tasks', change: create('1', 'second') },
      ]
      for (const at of order) {
        const list = lists[at]
        if (!list) continue
        await store.write(async (tx) => {
          const session = await tx.record.session('claude-code', list.id, await sampleHost(tx.record))
          if (session) await apply(tx, session.key, { listName: 'tasks', toolUseId: 't', at: 1, change: list.change })
        })
      }
      const all = await store.todos.list({})
      expect(all.map(({ content }) => content).toSorted()).toEqual(['first', 'second'])
      outcomes.push(all.map(({ id, content }) => `${id} ${content}`).toSorted())
    }
    expect(outcomes[0]).toEqual(outcomes[1] ?? [])
  })

  test('what a limit leaves out is counted, and comes back with a higher one', async () => {
    const { store } = database
    const words = Array.from({ length: 30 }, (_, at) => `item number ${at}`)
    const session = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      const row = { sessionKey: made.key, subagentKey: null, source: 1 as const, listName: 'todo' }
      const change = snapshot(...words)
      await tx.record.applyTodoChanges([{ ...row, toolUseId: 't', at: 1, change }], {
        maxItems: 10,
        onReplace: 'merge',
      })
      return made
    })
    const list = async () => await store.todos.ofSession(sessionId(session.id), { now: 1, linkFrom: [] })
    expect((await list()).todos.map(({ content }) => content)).toEqual(words.slice(0, 10))
    expect((await list()).leftOutCount).toBe(20)
    await store.write((tx) =>
      apply(tx, session.key, { listName: 'todo', toolUseId: 'u', at: 2, change: snapshot(...words) }),
    )
    expect((await list()).todos).toHaveLength(30)
    expect((await list()).leftOutCount).toBe(0)
  })

  test('with replace, an item that vanishes is dropped', async () => {
    const { store } = database
    const session = await store.write(async (tx) => {
      const made = await sampleSession(tx)
      const row = { sessionKey: made.key, subagentKey: null, source: 1 as const, listName: 'todo' }
      for (const [at, items] of [['a', 'b'], ['b']].entries())
        await tx.record.applyTodoChanges([{ ...row, toolUseId: `t${at}`, at, change: snapshot(...items) }], {
          maxItems: 10,
          onReplace: 'replace',
        })
      return made
    })
    expect((await shown(store, session.id)).map(({ content }) => content)).toEqual(['b'])
  })

  test('a list that nobody could place goes to the sub-agent once its line tells whose call it was', async () => {
    const { store } = database
    const outcomes: unknown[] = []
    for (const order of [
      ['guess', 'line'],
      ['line', 'guess'],
    ]) {
      await store.write((tx) => tx.record.clearProjections())
      await store.write(async (tx) => {
        const session = await tx.record.session('claude-code', 'whose', await sampleHost(tx.record))
        if (!session) return
        const node = await tx.record.subagent(session.key, 'agent-1', 'agent')
        for (const kind of order) {
          if (kind === 'guess') {
            await apply(tx, session.key, { listName: 'todo', toolUseId: 't', at: null, change: snapshot('a') })
            continue
          }
          await tx.record.mergeToolUses([
            {
              sessionKey: session.key,
              toolUseId: 't',
              name: 'TodoWrite',
              subagentKey: node.key,
              isPlaced: true,
              calledAt: 5,
              endedAt: null,
              isError: null,
              isInterrupted: false,
              launch: null,
              files: null,
            },
          ])
          const change = snapshot('a')
          await apply(tx, session.key, {
            listName: 'todo:agent-1',
            toolUseId: 't',
            at: 5,
            subagentKey: node.key,
            change,
          })
        }
      })
      outcomes.push(await store.todos.list({ sessionId: sessionId('whose') }))
    }
    expect(outcomes[0]).toMatchObject([{ content: 'a', subagentId: 'agent-1', listId: 'todo:agent-1' }])
    expect((outcomes[0] as { createdAt: string }[])[0]?.createdAt).toBe('1970-01-01T00:00:00.005Z')
    expect(outcomes[1]).toEqual(outcomes[0])
  })

  test('a mention is kept once, with its first time', async () => {
    const { store } = database
    await store.write(async (tx) => {
      const { key } = await sampleSession(tx)
      const row = (at: number, words: string[]): MentionRow => ({
        sessionKey: key,
        source: 'branch',
        place: 'x',
        words,
        at,
      })
      await tx.record.addMentions([row(7, ['ld-a1b2'])])
      await tx.record.addMentions([row(3, ['ld-a1b2', 'ld-c3d4']), row(9, ['ld-a1b2'])])
    })
    const traces = await mentionsIn(database)
    expect(traces).toEqual([
      { word: 'ld-a1b2', at: 3 },
      { word: 'ld-c3d4', at: 3 },
    ])
    await store.write((tx) => tx.record.clearProjections())
    expect(await mentionsIn(database)).toEqual([])
  })
})

function keyOf(keys: Map<string, TodoChangeRow['sessionKey']>, id: string | undefined): TodoChangeRow['sessionKey'] {
  const key = keys.get(id ?? '')
  if (key === undefined) throw new Error('no such session')
  return key
}

async function mentionsIn({ place }: ContractDatabase): Promise<{ word: string; at: number }[]> {
  const { SQL } = await import('bun')
  const sql = place.url ? new SQL(place.url, { max: 1 }) : new SQL(`sqlite://${place.path}`)
  try {
    const rows: { word: string; at: number | string }[] = await sql.unsafe(
      'select word, at from session_mentions order by word',
    )
    return rows.map(({ word, at }) => ({ word, at: Number(at) }))
  } finally {
    await sql.close()
  }
}
