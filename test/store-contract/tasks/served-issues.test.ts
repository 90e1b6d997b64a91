/** Which tracker's issue a task serves, where several have its id. */
import { expect, test } from 'bun:test'
import { type IssueId, issueId, sessionId, type TrackerKey } from '../../../src/domain/ids'
import type { Store } from '../../../src/domain/store'
import type { NewTask } from '../../../src/domain/task/task-store'
import { onEachDatabase } from '../databases'
import { anIssue, saved } from '../issues-sample'
import { freshId, sampleHost, sampleSession } from '../sample'
import { addAgent, addTask, sampleTask } from '../tasks-sample'

let projects = 0

/** A project's folder with a tracker that has an issue with this id. */
async function project(store: Store, id: IssueId): Promise<{ dir: string; tracker: TrackerKey }> {
  const dir = `/served/${++projects}`
  const tracker = await store.write(async (tx) => {
    const key = await tx.issues.insertTracker({
      hostName: 'h',
      path: `${dir}/.lodeline/issues.jsonl`,
      prefix: 'x',
      style: null,
      stamp: null,
      hash: null,
      formerStamp: null,
      statuses: [],
    })
    await tx.issues.save(key, [saved(anIssue({ id, title: `of ${dir}` }))])
    return key
  })
  return { dir, tracker }
}

const addAtWork = (store: Store, row: Partial<NewTask>) => addTask(store, { status: 'in_progress', ...row })

/** A task's conversation in a project's folder. */
async function conversationIn(store: Store, dir: string) {
  const id = freshId('conversation')
  await store.write(async (tx) => {
    const session = await sampleSession(tx, { id })
    const key = await tx.record.project(await sampleHost(tx.record), dir, null, 'served')
    await tx.record.setSessionProject(session.key, key as never)
  })
  return sessionId(id)
}

onEachDatabase((database) => {
  test('each of two issues with the same id has the tasks of its own project', async () => {
    const { store } = database
    const id = issueId(freshId('twin'))
    const [one, other] = [await project(store, id), await project(store, id)]
    const worker = await addAgent(store)
    await addAtWork(store, { issueId: id, dir: one.dir })
    const newest = await addAtWork(store, { issueId: id, dir: `${one.dir}/deep`, agentKey: worker.key })
    const theirs = await addAtWork(store, { issueId: id, lastSessionId: await conversationIn(store, other.dir) })
    const over = await addTask(store, { issueId: id, dir: other.dir, status: 'completed' })
    const nobodys = await addAtWork(store, { issueId: id, dir: '/elsewhere' })

    const atWork = async (tracker: TrackerKey) => (await store.issues.shown(tracker, [id]))[0]?.taskAtWork
    expect(await atWork(one.tracker)).toEqual({ id: newest.id, agentName: worker.name })
    expect(await atWork(other.tracker)).toEqual({ id: theirs.id, agentName: null })
    const listed = await store.issues.list(null, { text: id }, { limit: 10 })
    expect(listed.rows.map(({ title, taskAtWork }) => [title, taskAtWork?.id ?? null]).sort()).toEqual([
      [`of ${one.dir}`, newest.id],
      [`of ${other.dir}`, theirs.id],
    ])

    expect(await store.issues.tasks(other.tracker, id, 10)).toEqual([
      { id: over.id, title: 'do it', status: 'completed' },
      { id: theirs.id, title: 'do it', status: 'in_progress' },
    ])
    expect((await store.issues.tasks(one.tracker, id, 1)).map((task) => task.id)).toEqual([newest.id])
    const open = await store.write(({ tasks }) => tasks.openOfIssue(other.tracker, id))
    expect(open).toEqual([expect.objectContaining({ key: theirs.key, id: theirs.id, tags: [], isWorktree: false })])
    expect(open[0]).not.toHaveProperty('project')

    const serves = async (task: { id: typeof over.id }) => {
      const found = await store.tasks.find(task.id)
      return found && (await store.tasks.issueOf(found))?.title
    }
    expect(await serves(newest)).toBe(`of ${one.dir}`)
    expect(await serves(theirs)).toBe(`of ${other.dir}`)
    expect(await serves(nobodys)).toBeUndefined()
  })

  test('an id of one tracker alone is meant wherever the task works, and a task without an issue means its epic', async () => {
    const { store } = database
    const id = issueId(freshId('only'))
    const { tracker } = await project(store, id)
    const task = await addAtWork(store, { issueId: id, dir: '/elsewhere' })
    expect((await store.issues.shown(tracker, [id]))[0]?.taskAtWork?.id).toBe(task.id)
    const [issue] = await store.issues.find(tracker, id)
    const place = { dir: null, project: null }
    expect(await store.tasks.issueOf({ ...place, issueId: null, epicId: id })).toMatchObject({ id, key: issue?.key })
    expect(await store.tasks.issueOf({ ...place, issueId: issueId('ld-none'), epicId: id })).toBeUndefined()
    expect(await store.tasks.issueOf({ ...place, issueId: null, epicId: null })).toBeUndefined()
    await store.write((tx) => tx.tasks.updateTask(task.key, { status: 'completed' }))
    expect((await store.issues.shown(tracker, [id]))[0]?.taskAtWork).toBeNull()
  })

  test('of all that is at work none is overlooked, however much there is', async () => {
    const { store } = database
    const id = issueId(freshId('busy'))
    const { tracker, dir } = await project(store, id)
    const first = await addAtWork(store, { issueId: id, dir })
    await store.write(async ({ tasks }) => {
      for (let i = 0; i < 250; i++)
        await tasks.insertTask(sampleTask({ status: 'in_progress', issueId: issueId(`ld-other${i}`) }))
    })
    expect((await store.issues.list(tracker, {}, { limit: 10 })).rows[0]?.taskAtWork?.id).toBe(first.id)
  })

  test('an epic is found behind an older issue of another type with its id', async () => {
    const { store } = database
    const id = issueId(freshId('mixed'))
    const [, other] = [await project(store, id), await project(store, id)]
    await store.write(async (tx) => {
      const before = await tx.issues.find(other.tracker, id)
      await tx.issues.save(other.tracker, [
        saved(anIssue({ id, title: 'all of it', issueType: 'epic' }), { key: before?.key ?? null }),
      ])
      expect((await tx.tasks.issue(id, 'epic'))?.title).toBe('all of it')
      expect((await tx.tasks.issue(id))?.type).toBe('task')
    })
  })
})
