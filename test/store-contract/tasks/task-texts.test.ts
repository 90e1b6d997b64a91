/** Lists of tasks with texts that are cut. */
import { expect, test } from 'bun:test'
import { sessionId } from '../../../src/domain/ids'
import type { Task, TaskNode } from '../../../src/domain/task/task'
import { onEachDatabase } from '../databases'
import { freshId } from '../sample'
import { addTask } from '../tasks-sample'

const textsOf = ({ task, progress, output, reason, failureReason }: Task) => ({
  task,
  progress,
  output,
  reason,
  failureReason,
})

onEachDatabase((database) => {
  test('a list gives of each long text so many characters as are asked for, and all else whole', async () => {
    const { store } = database
    const session = sessionId(freshId('of-texts'))
    const long = { text: 'x'.repeat(200_000), progress: 'p'.repeat(20_000), output: 'o'.repeat(500_000) }
    const { id } = await addTask(store, {
      ...long,
      title: 'a title that is longer than that',
      reason: 'because',
      failureReason: 'it broke',
      sessionId: session,
    })
    const list = async (textLimit?: number) =>
      (await store.tasks.list({ sessionId: session }, { limit: 10 }, 'newest', textLimit)).rows[0] as Task
    const whole = (await store.tasks.find(id)) as Task
    expect(whole.output).toBe(long.output)
    expect(await list()).toEqual(whole)
    expect(await list(3)).toEqual({
      ...whole,
      ...{ task: 'xxx', progress: 'ppp', output: 'ooo', reason: 'bec', failureReason: 'it ' },
    })
    expect(textsOf(await list(0))).toEqual({ task: '', progress: '', output: '', reason: '', failureReason: '' })
    expect(await list(500_000)).toEqual(whole)
  })

  test('a text that is not there stays so, and no character is cut in two', async () => {
    const { store } = database
    const session = sessionId(freshId('of-texts'))
    await addTask(store, { text: '\u{1f600}é\u{1f680}!', sessionId: session })
    const texts = async (textLimit: number) =>
      textsOf((await store.tasks.list({ sessionId: session }, { limit: 10 }, 'queue', textLimit)).rows[0] as Task)
    expect(await texts(1)).toMatchObject({ task: '\u{1f600}', progress: null, output: null, failureReason: null })
    expect((await texts(3)).task).toBe('\u{1f600}é\u{1f680}')
  })

  test('a page with texts that are cut goes on where it ended, found by words beyond the cut', async () => {
    const { store } = database
    const word = freshId('word')
    const ids = []
    for (let i = 0; i < 3; i++) ids.unshift((await addTask(store, { text: `${'-'.repeat(100)} ${word}` })).id)
    const first = await store.tasks.list({ text: word }, { limit: 2 }, 'newest', 4)
    const cursor = first.nextCursor ?? ''
    const rest = await store.tasks.list({ text: word }, { limit: 2, cursor }, 'newest', 4)
    expect([...first.rows, ...rest.rows].map(({ id, task }) => [id, task])).toEqual(ids.map((id) => [id, '----']))
    expect(rest.nextCursor).toBeNull()
  })

  test('a tree and the queue of the fleet are cut as lists are', async () => {
    const { store } = database
    const root = await addTask(store, { text: 'the root', priority: 100 })
    const child = await addTask(store, { text: 'the child', parentTaskId: root.id, parentKey: root.key })
    const tree = async (textLimit?: number) => (await store.tasks.tree(root.id, textLimit))?.root as TaskNode
    const texts = ({ task, children }: TaskNode) => [task.task, ...children.map((one) => [one.task.id, one.task.task])]
    expect(texts(await tree(5))).toEqual(['the r', [child.id, 'the c']])
    expect(texts(await tree())).toEqual(['the root', [child.id, 'the child']])
    const queued = async (textLimit?: number) =>
      (await store.fleet.show(Date.now(), textLimit)).queue.next.find(({ id }) => id === root.id)?.task
    expect([await queued(3), await queued()]).toEqual(['the', 'the root'])
  })
})
