/** The filter by agent CLI: the same in the overview, the digest, and the lists of tasks, questions and messages. */
import { expect, test } from 'bun:test'
import { address, messageId, sessionId } from '../../src/domain/ids'
import { readDigest } from '../../src/engine/overview/digest'
import { readOverview } from '../../src/engine/overview/overview'
import { onEachDatabase } from '../store-contract/databases'
import { addTask } from '../store-contract/tasks-sample'
import { addRequest, addRun, addSession, addWork, ago, DAY, inSession, MINUTE, NOW, SETTINGS } from './scene'

onEachDatabase((database) => {
  const PAGE = { limit: 200 }
  const overview = (agent?: string) =>
    readOverview(database.store, NOW, SETTINGS, { since: ago(DAY), limit: 200, ...(agent && { agent }) })

  test('what needs a person, runs and is over is told of one agent CLI alone, and counted so', async () => {
    const { store } = database
    const world = async (agent: string) => {
      const waiting = await addSession(store, { agent, activity: 'waiting', at: ago(MINUTE), process: 'alive' })
      const over = await addSession(store, { agent, activity: 'ended', at: ago(2 * MINUTE) })
      await addRun(store, over, { startedAt: ago(40 * MINUTE), endedAt: ago(30 * MINUTE) })
      const at = await addSession(store, { agent, activity: 'working', at: ago(MINUTE), process: 'alive' })
      const asking = await addWork(
        store,
        { status: 'in_progress', lastSessionId: sessionId(at.id) },
        { agentCli: agent, conversation: inSession(at) },
      )
      await asking.ask(NOW + 5 * MINUTE)
      const failed = await addWork(
        store,
        { status: 'failed', finishedAt: ago(10 * MINUTE), failureClass: 'crash' },
        { agentCli: agent, endedAt: ago(10 * MINUTE), outcome: 'failed', leaseExpiresAt: null },
      )
      return { sessions: [waiting.id, over.id, at.id], tasks: [asking.id, failed.id], waiting, over, asking, failed }
    }
    const codex = await world('codex')
    const pi = await world('pi')
    await addRequest(store, 'nobody of an agent CLI sent this')
    const [all, ofCodex, ofPi] = [await overview(), await overview('codex'), await overview('pi')]
    const named = ({ needs }: Awaited<ReturnType<typeof overview>>) =>
      needs.map(({ kind, taskId, sessionId: session }) => `${kind} ${taskId ?? session}`).sort()
    const expected = ({ waiting, over, asking, failed }: typeof codex) =>
      [`failure ${failed.id}`, `question ${asking.id}`, `unread ${over.id}`, `waiting ${waiting.id}`].sort()
    expect(named(ofCodex)).toEqual(expected(codex))
    expect(named(ofPi)).toEqual(expected(pi))
    expect(named(all)).toEqual(expect.arrayContaining([...expected(codex), ...expected(pi)]))
    expect(all.needs.some(({ kind }) => kind === 'request')).toBe(true)
    expect(ofCodex.counts).toMatchObject({
      needs: { question: 1, waiting: 1, failure: 1, unread: 1 },
      running: ofCodex.running.length,
      finished: ofCodex.finished.length,
    })
    for (const { agentCli } of [...ofCodex.running, ...ofCodex.finished]) expect(agentCli).toBe('codex')
    expect(ofCodex.running.map(({ taskId, sessionId: session }) => String(taskId ?? session)).sort()).toEqual(
      [codex.asking.id, codex.waiting.id].map(String).sort(),
    )
    expect((await overview('qwen')).needs).toEqual([])

    const digest = await readDigest(store, NOW, SETTINGS, { since: ago(DAY), agent: 'codex' })
    const told = digest.projects.flatMap(({ done, failed }) => [...done, ...failed])
    expect(told.map(({ agentCli }) => agentCli)).toEqual(told.map(() => 'codex'))
    expect(digest.total).toMatchObject({ failed: 1, needs: 4 })
  })

  test('tasks, questions and messages are listed of one agent CLI: that at work, else that asked for first', async () => {
    const { store } = database
    const at = await addSession(store, { agent: 'copilot', activity: 'working', at: ago(MINUTE), process: 'alive' })
    const began = await addWork(
      store,
      { status: 'in_progress', neededClis: ['codex'], lastSessionId: sessionId(at.id) },
      { agentCli: 'copilot', conversation: inSession(at) },
    )
    const question = await began.ask(NOW + 5 * MINUTE)
    const asked = await addTask(store, { neededClis: ['copilot', 'codex'] })
    const second = await addTask(store, { neededClis: ['copilot-next', 'copilot'] })
    const tasks = async (agent: string) => (await store.tasks.list({ agent }, PAGE)).rows.map(({ id }) => id)
    expect((await tasks('copilot')).sort()).toEqual([began.id, asked.id].sort())
    expect(await tasks('copilot-next')).toEqual([second.id])
    const questions = async (agent: string) => (await store.tasks.questions({ agent }, PAGE)).rows.map(({ id }) => id)
    expect((await questions('copilot')).map(String)).toEqual([question])
    expect((await questions('codex')).map(String)).not.toContain(question)

    const send = (from: string | null, to: string) =>
      store.write(async ({ messages }) => {
        const id = messageId(crypto.randomUUID())
        await messages.insert({
          ...{ id, to: address(to), cause: id, taskId: null, replyTo: null, chain: 0, wantsReply: false },
          from: { kind: 'person', address: from === null ? null : address(from), name: 'somebody' },
          ...{ kind: 'message', text: 'well', isCut: false, fullAt: null },
        })
        return id
      })
    const other = await addSession(store, { agent: 'opencode', activity: 'idle', at: ago(MINUTE), process: 'alive' })
    const toTask = await send(null, asked.id)
    const toSession = await send(null, at.id)
    const between = await send(other.id, at.id)
    const elsewhere = await send(null, other.id)
    const messages = async (agent: string) => (await store.messages.list({ agent }, PAGE)).rows.map(({ id }) => id)
    expect(await messages('copilot')).toEqual([toTask, toSession, between])
    expect(await messages('opencode')).toEqual([between, elsewhere])
    expect(await messages('pi')).toEqual([])
  })
})
