/** What is removed by age, and what stays however old it is, on both databases. */
import { expect, test } from 'bun:test'
import { address, feedSeq, messageId } from '../../src/domain/ids'
import type { Task } from '../../src/domain/task/task'
import { Crew, OPERATOR } from '../tasks/crew'
import { onEachDatabase } from './databases'

const DAY_MS = 86_400_000
const TASKS = { feedDays: null, taskDays: 30 }

onEachDatabase((database) => {
  test('tasks that ended long ago go with all that is theirs; those that something open needs stay', async () => {
    const crew = new Crew(database.store, { now: Date.now() - 365 * DAY_MS })
    const worker = await crew.worker('old')
    const done = async (input: Parameters<Crew['create']>[0] = {}): Promise<Task> => {
      const task = await crew.create(input)
      await worker.end(await worker.take(), 'completed', { output: 'done' })
      return task
    }
    const parent = await done()
    const child = await done({ parentTaskId: parent.id })
    const awaited = await done()
    const lead = await done()
    const below = await done({ parentTaskId: lead.id })
    const told = await done()
    await crew.service.cancel(OPERATOR, (await crew.create()).id, {})
    // Nobody takes these: they are open.
    const waits = await crew.create({ dependsOn: [awaited.id], requiredCapabilities: ['nobody'] })
    const open = await crew.create({ parentTaskId: lead.id, requiredCapabilities: ['nobody'] })
    await database.store.write(async ({ messages }) => {
      const id = messageId(crypto.randomUUID())
      await messages.insert({
        id,
        to: address(told.id),
        from: { kind: 'person', address: null, name: 'somebody' },
        kind: 'message',
        cause: id,
        taskId: null,
        replyTo: null,
        chain: 0,
        wantsReply: false,
        text: 'nobody read this',
        isCut: false,
        fullAt: null,
      })
    })
    crew.now = Date.now()
    const young = await done()
    expect(await crew.service.dropOld({ feedDays: null, taskDays: null })).toEqual({ entries: 0, tasks: 0 })
    // The child, what lies below the lead, and the cancelled one; nobody read what the child came to.
    expect(await crew.service.dropOld(TASKS)).toEqual({ entries: 0, tasks: 3 })
    const there = async (task: Task) => (await database.store.tasks.find(task.id)) !== undefined
    expect(await Promise.all([parent, child, below].map(there))).toEqual([true, false, false])
    await database.store.write(async ({ messages }) => {
      for (const { id } of await messages.waiting(address(parent.id), 10))
        await messages.update(id, { status: 'consumed' })
    })
    expect(await crew.service.dropOld(TASKS)).toEqual({ entries: 0, tasks: 1 })
    expect(await Promise.all([awaited, lead, told, waits, open, young].map(there))).toEqual(Array(6).fill(true))
    expect(await database.store.tasks.attempts(child.id)).toEqual([])
    expect(await crew.service.dropOld(TASKS)).toEqual({ entries: 0, tasks: 0 })
  })

  test('old entries of the feed go, numbers go on behind the newest, and the first one that is left is known', async () => {
    const store = await database.open()
    try {
      for (let n = 0; n < 5; n++) await store.write((tx) => tx.appendFeed('session.updated', null, { n }))
      const settled = async () => {
        for (let head = 0, last = -1; ; last = head) {
          head = await store.feed.head()
          if (head === last && head > 4) return head
          await Bun.sleep(20)
        }
      }
      const head = await settled()
      const before = Date.now() + DAY_MS
      while ((await store.write((tx) => tx.old.dropFeed(before, 2))) === 2);
      expect([await store.feed.first(), await store.feed.head()]).toEqual([feedSeq(head), feedSeq(head)])
      await store.write((tx) => tx.appendFeed('session.updated', null, { n: 5 }))
      expect(await settled()).toBe(feedSeq(head + 1))
      expect(await store.write((tx) => tx.old.dropFeed(Date.now() - DAY_MS, 100))).toBe(0)
    } finally {
      await store.close()
    }
  })
})
