/** Random lives of a list: what happened to each item is known, and the fold has to find it out from snapshots alone. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import type { TodoStatus } from '../record/observation'
import { foldTodos } from './todo'
import { droppedCount, HISTORY_LIMIT } from './todo-history'
import type { FoldedTodo, TodoStep } from './todo-step'

type OpenStatus = Exclude<TodoStatus, 'removed'>
interface Live {
  /** Which item it is; the fold never sees it. */
  secret: number
  words: string
  version: number
  status: OpenStatus
}

type Edit =
  | { do: 'add'; at: number }
  | { do: 'remove'; at: number }
  | { do: 'move'; at: number; to: number }
  | { do: 'status'; at: number; status: OpenStatus }
  | { do: 'reword'; at: number }
  | { do: 'repeat' }

const place = fc.nat(30)
const status = fc.constantFrom<OpenStatus>('pending', 'in_progress', 'completed')
const edit: fc.Arbitrary<Edit> = fc.oneof(
  fc.record({ do: fc.constant('add' as const), at: place }),
  fc.record({ do: fc.constant('remove' as const), at: place }),
  fc.record({ do: fc.constant('move' as const), at: place, to: place }),
  fc.record({ do: fc.constant('status' as const), at: place, status }),
  fc.record({ do: fc.constant('reword' as const), at: place }),
  fc.record({ do: fc.constant('repeat' as const) }),
)

const NOUNS = [
  'parser',
  'login',
  'gateway',
  'readme',
  'migration',
  'cache',
  'printer',
  'scheduler',
  'dashboard',
  'worker',
]
/** Words that are like no other item's, whatever their version. */
const wordsOf = (secret: number): string =>
  `${NOUNS[secret % NOUNS.length]}${secret >= NOUNS.length ? `x${secret}` : ''} of section ${String.fromCodePoint(0x4e00 + secret * 7)}`
const content = ({ words, version }: Live): string =>
  version === 0 ? words : `${words}${' again'.repeat(version % 2)} please`

/** Plays the edits: the snapshots, and what became of each item by its secret. */
function play(edits: readonly Edit[]) {
  let list: Live[] = []
  let count = 0
  const steps: TodoStep[] = []
  const secrets: number[][] = []
  const snapshot = () => {
    steps.push({
      toolUseId: `toolu_${String(steps.length).padStart(4, '0')}`,
      at: 1_000 + steps.length,
      node: null,
      parts: [{ op: 'snapshot', items: list.map((item) => ({ content: content(item), status: item.status })) }],
    })
    secrets.push(list.map(({ secret }) => secret))
  }
  for (const one of edits) {
    const at = 'at' in one ? one.at % Math.max(1, list.length) : 0
    const item = list[at]
    if (one.do === 'add') {
      const secret = count++
      list = list.toSpliced(one.at % (list.length + 1), 0, {
        secret,
        words: wordsOf(secret),
        version: 0,
        status: 'pending',
      })
    } else if (one.do === 'remove') list = list.toSpliced(at, item ? 1 : 0)
    else if (one.do === 'move' && item) list = list.toSpliced(at, 1).toSpliced(one.to % list.length, 0, item)
    else if (one.do === 'status' && item) list = list.with(at, { ...item, status: one.status })
    // Only open work is reworded: done work in other words stays apart on purpose.
    else if (one.do === 'reword' && item && item.status !== 'completed')
      list = list.with(at, { ...item, version: item.version + 1 })
    snapshot()
  }
  return { steps, secrets, list }
}

const life = fc.array(edit, { minLength: 1, maxLength: 40 })

test('through additions, removals, moves, changes of status and rewordings, each item keeps its id', () => {
  fc.assert(
    fc.property(life, (edits) => {
      const { steps, secrets } = play(edits)
      const idOf = new Map<number, string>()
      for (const [at, inList] of secrets.entries()) {
        const { items } = foldTodos('list', steps.slice(0, at + 1))
        const held = lastHeld(steps, at, items)
        expect(held).toHaveLength(inList.length)
        inList.forEach((secret, ordinal) => {
          const id = held[ordinal]?.id ?? ''
          expect(idOf.get(secret) ?? id).toBe(id)
          idOf.set(secret, id)
        })
        expect(new Set(items.map(({ id }) => id)).size).toBe(items.length)
        // Nothing is lost: whatever was ever seen has its item.
        for (const id of idOf.values()) expect(items.some((item) => item.id === id)).toBe(true)
      }
    }),
    { numRuns: 300 },
  )
})

/** Items of the last snapshot in its order: what is not held is removed, or was completed when it went. */
function lastHeld(steps: readonly TodoStep[], at: number, items: readonly FoldedTodo[]): FoldedTodo[] {
  const part = steps[at]?.parts[0]
  if (part?.op !== 'snapshot') return []
  return part.items.map((said, ordinal) => {
    const found = items.filter(
      (item) => item.ordinal === ordinal && item.content === said.content && item.status === said.status,
    )
    expect(found.length).toBeGreaterThan(0)
    return found.at(-1) as FoldedTodo
  })
}

test('the order of arrival, doubled steps and steps that say nothing new change nothing', () => {
  fc.assert(
    fc.property(life, fc.infiniteStream(fc.nat()), (edits, keys) => {
      const { steps } = play(edits)
      const mixed = steps
        .map((step) => [keys.next().value as number, step] as const)
        .sort(([a], [b]) => a - b)
        .map(([, step]) => step)
      expect(foldTodos('list', mixed)).toEqual(foldTodos('list', steps))
    }),
    { numRuns: 300 },
  )
})

test('a history tells how the item became what it is', () => {
  fc.assert(
    fc.property(life, (edits) => {
      const { steps } = play(edits)
      for (const item of foldTodos('list', steps).items) {
        expect(item.history[0]).toMatchObject({ number: 1, change: 'created', at: item.createdAt })
        expect(item.history.map(({ number }) => number)).toEqual(item.history.map((_, at) => at + 1))
        const statuses = item.history.filter(({ change }) => change !== 'reworded' && change !== 'moved')
        for (const [at, entry] of statuses.entries()) if (at > 0) expect(entry.from).toBe(statuses[at - 1]?.to ?? '')
        expect(statuses.at(-1)?.to).toBe(item.status)
        expect(item.completedAt === null).toBe(item.status !== 'completed')
        const completed = statuses.findLastIndex(({ from, to }) => to === 'completed' && from !== 'completed')
        if (item.status === 'completed') expect(item.completedAt).toBe(statuses[completed]?.at ?? -1)
      }
    }),
    { numRuns: 300 },
  )
})

test('a limit keeps what the list holds first, and counts the rest', () => {
  fc.assert(
    fc.property(life, fc.integer({ min: 1, max: 8 }), (edits, maxItems) => {
      const { steps, list } = play(edits)
      const { items, leftOut } = foldTodos('list', steps, { maxItems, onReplace: 'merge' })
      expect(items.length).toBeLessThanOrEqual(maxItems)
      expect(leftOut).toBe(Math.max(0, list.length - maxItems))
      const replaced = foldTodos('list', steps, { maxItems, onReplace: 'replace' })
      expect(replaced.items.map((item) => item.content)).toEqual(
        replaced.items.map((item) => content(list[item.ordinal] ?? ({} as Live))),
      )
      expect(replaced.items).toHaveLength(Math.min(maxItems, list.length))
    }),
    { numRuns: 300 },
  )
})

test('a long history keeps its end, and says how much went before', () => {
  const steps = Array.from({ length: 500 }, (_, at): TodoStep => {
    const status = at % 2 === 0 ? 'pending' : 'in_progress'
    return { toolUseId: `t${at}`, at, node: null, parts: [{ op: 'snapshot', items: [{ content: 'a', status }] }] }
  })
  const [item] = foldTodos(
    'list',
    steps.toSorted((a, b) => (a.at ?? 0) - (b.at ?? 0)),
  ).items
  expect(item?.history).toHaveLength(HISTORY_LIMIT)
  expect(droppedCount(item?.history ?? [])).toBe(400)
  expect(item?.history.at(-1)).toMatchObject({ number: 500, at: 499 })
})

test('what comes back with the same words is the same item; done work that is to be done once more is another', () => {
  const say = (at: number, ...items: [string, OpenStatus][]): TodoStep => ({
    toolUseId: `t${at}`,
    at,
    node: null,
    parts: [{ op: 'snapshot', items: items.map(([words, status]) => ({ content: words, status })) }],
  })
  const { items } = foldTodos('list', [
    say(1, ['dropped', 'pending'], ['done', 'completed']),
    say(2),
    say(3, ['dropped', 'in_progress'], ['done', 'completed']),
    say(4),
    say(5, ['done', 'pending']),
  ])
  expect(items.map((item) => [item.content, item.status, item.completedAt])).toEqual([
    ['dropped', 'removed', null],
    ['done', 'completed', 1],
    ['done', 'pending', null],
  ])
  expect(items[0]?.history.map(({ change, to }) => `${change} ${to}`)).toEqual([
    'created pending',
    'removed removed',
    'returned in_progress',
    'removed removed',
  ])
})
