import { expect, test } from 'bun:test'
import type { WorkCopy, WorkCopyPart } from '../../../src/domain/task/work-copy'
import { onEachDatabase } from '../databases'
import { addTask } from '../tasks-sample'

onEachDatabase((database) => {
  const part = (commit: string, offset: number, text: string, size: number): WorkCopyPart => ({
    commit,
    head: 'h',
    base: 'b',
    remote: 'https://host/app.git',
    hostName: 'one',
    size,
    leftOut: ['.env'],
    offset,
    bytes: new TextEncoder().encode(text),
  })
  const textOf = async (copy: Pick<WorkCopy, 'taskId' | 'commit'>, offset: number) => {
    const bytes = await database.store.workCopies.part(copy, offset)
    return bytes && new TextDecoder().decode(bytes)
  }

  test('a copy of a worktree counts once it is whole, and takes the place of those before it', async () => {
    const { store } = database
    const task = await addTask(store)
    const add = (attempt: number, given: WorkCopyPart) =>
      store.write((tx) => tx.workCopies.append(task.key, attempt, given))
    expect(await add(1, part('c1', 0, 'abc', 5))).toBe(3)
    // Sent again, or after a gap: nothing is kept, and the answer says what is.
    expect(await add(1, part('c1', 0, 'abc', 5))).toBe(3)
    expect(await add(1, part('c1', 4, 'e', 5))).toBe(3)
    expect(await add(1, part('c1', 3, 'too long', 5))).toBe(3)
    expect(await store.workCopies.newest(task.id)).toBeUndefined()
    expect(await add(1, part('c1', 3, 'de', 5))).toBe(5)
    const first = await store.workCopies.newest(task.id)
    expect(first).toMatchObject({
      commit: 'c1',
      attemptId: `${task.id}.1`,
      size: 5,
      leftOut: ['.env'],
      hostName: 'one',
    })
    if (first === undefined) throw new Error('no copy')
    expect([await textOf(first, 0), await textOf(first, 3), await textOf(first, 5)]).toEqual(['abc', 'de', undefined])

    await add(2, part('c2', 0, 'xyz', 3))
    expect(await store.workCopies.newest(task.id)).toMatchObject({ commit: 'c2' })
    expect(await textOf(first, 0)).toBeUndefined()
    // A worker that lost the task sends what it has: it is older, whenever it comes.
    await add(1, part('c3', 0, 'late', 4))
    expect(await store.workCopies.newest(task.id)).toMatchObject({ commit: 'c2' })

    const child = await addTask(store, { parentKey: task.key, parentTaskId: task.id })
    expect(await store.workCopies.newest(child.id)).toMatchObject({ commit: 'c2', taskId: task.id })
  })
})
