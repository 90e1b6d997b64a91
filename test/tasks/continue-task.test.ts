import { describe, expect, test } from 'bun:test'
import type { Rung } from '../../src/domain/task/task'
import { onEachDatabase } from '../store-contract/databases'
import { Crew, callerOf, OPERATOR, refused } from './crew'

onEachDatabase((database) => {
  const crew = () => new Crew(database.store)
  /** A worker that has begun a task, and is in a conversation. */
  const begun = async (c: Crew, name: string, rung: Rung = 'fresh') => {
    const worker = await c.worker(name, { capabilities: [name] })
    const parent = await c.create({ requiredCapabilities: [name], dir: '/work/parent' })
    const given = await worker.take()
    const conversation = await worker.converse(given, rung)
    const process = { pid: 1, startedAt: null, cwd: '/work/parent', branch: null, base: null, cliVersion: '2.1.328' }
    await c.service.report(worker.caller, given.attemptId, { process })
    return { worker, parent, given, conversation }
  }

  describe('a child that continues its parent', () => {
    test('waits while the parent is at work, then goes to the parent’s worker with its conversation', async () => {
      const c = crew()
      const { worker, parent, given, conversation } = await begun(c, 'cont')
      const { task, routed } = await c.make({ task: 'next', parentTaskId: parent.id }, null)
      expect(task).toMatchObject({
        status: 'pending',
        waitingFor: 'parent',
        continuity: 'continue',
        assignedBy: 'affinity',
      })
      expect(routed).toBe("to worker cont, which has the parent's working directory")
      expect((await worker.poll({ capacity: 1 })).assignments).toEqual([])
      await worker.end(given, 'completed')
      expect(await c.task(task.id)).toMatchObject({ status: 'pending', waitingFor: null, agentId: worker.id })
      expect((await worker.take()).conversation).toEqual({
        kind: 'parent',
        sessionId: conversation as never,
        parentTaskId: parent.id,
        cwd: '/work/parent',
        startRung: null,
        whyNot: [],
      })
    })

    test('is for any other worker when the parent’s worker rejected it while it waited', async () => {
      const c = crew()
      const { worker, parent, given } = await begun(c, 'unwilling')
      const child = await c.create({ parentTaskId: parent.id, requiredCapabilities: ['unwilling'] })
      const agentId = worker.id
      await c.service.offer(OPERATOR, child.id, { agentId })
      await c.service.reject(OPERATOR, child.id, { agentId })
      await worker.end(given, 'completed')
      expect(await c.task(child.id)).toMatchObject({ status: 'unassigned', agentId: null })
      const other = await c.worker('willing', { capabilities: ['unwilling'] })
      expect((await other.take()).task.id).toBe(child.id)
    })

    test('waits for the end of the run, not only for the word of its agent', async () => {
      const c = crew()
      const { worker, parent, given } = await begun(c, 'word')
      const child = await c.create({ parentTaskId: parent.id })
      await c.service.finish(callerOf(given, worker), parent.id, { status: 'completed', output: 'done' })
      expect((await c.task(parent.id)).status).toBe('completed')
      expect(await c.task(child.id)).toMatchObject({ waitingFor: 'parent' })
      const later = await c.create({ parentTaskId: parent.id })
      expect(later.waitingFor).toBe('parent')
      await worker.end(given, 'completed', { output: 'other' })
      expect(await c.task(parent.id)).toMatchObject({ output: 'done', finishedBy: 'agent' })
      for (const { id } of [child, later]) expect((await c.task(id)).waitingFor).toBeNull()
    })

    test('begins beside the parent when told to', async () => {
      const c = crew()
      const { worker, parent } = await begun(c, 'beside')
      const child = await c.create({ parentTaskId: parent.id, continueNow: true })
      const other = await c.create({ parentTaskId: parent.id })
      expect((await worker.take()).task.id).toBe(child.id)
      await c.service.patch(OPERATOR, other.id, { continueNow: true })
      expect((await worker.take()).task.id).toBe(other.id)
    })

    test('waits as long as the parent is tried again by itself, and no longer when a person paused it', async () => {
      const c = crew()
      const { worker, parent, given } = await begun(c, 'tried')
      await c.service.sweep()
      const child = await c.create({ parentTaskId: parent.id })
      await worker.end(given, 'failed', { failureClass: 'crash' })
      expect((await c.task(parent.id)).waitingFor).toBe('retry')
      expect((await c.task(child.id)).waitingFor).toBe('parent')
      await c.pass(3_000)
      const again = await worker.take()
      expect(again).toMatchObject({ generation: 2, task: { id: parent.id } })
      await c.service.pause(OPERATOR, parent.id, {})
      await worker.end(again, 'paused')
      expect((await c.task(child.id)).waitingFor).toBeNull()
    })

    test('starts fresh, and says so, of a parent that is unknown or was never begun', async () => {
      const c = crew()
      const worker = await c.worker('fresh', { capabilities: ['fresh'] })
      const requiredCapabilities = ['fresh']
      const unknown = await c.make({ task: 'x', parentTaskId: 't-99999999', requiredCapabilities }, null)
      expect(unknown.routed).toBe('for any worker: the parent t-99999999 is unknown, so the task starts fresh')
      expect(unknown.task).toMatchObject({ status: 'unassigned', parentTaskId: 't-99999999' })
      expect((await worker.take()).conversation).toEqual({ kind: 'none', reason: 'parent_not_found' })
      const parent = await c.create({ status: 'backlog' })
      const child = await c.make({ task: 'x', parentTaskId: parent.id, requiredCapabilities }, null)
      expect(child.routed).toBe('for any worker: no agent has the parent')
      expect((await worker.take()).conversation).toEqual({ kind: 'none', reason: 'parent_has_no_session' })
      await c.create({ parentTaskId: parent.id, continuity: 'fresh', requiredCapabilities })
      expect((await worker.take()).conversation).toEqual({ kind: 'none', reason: 'fresh_asked' })
      await c.create({ requiredCapabilities })
      expect((await worker.take()).conversation).toEqual({ kind: 'none', reason: 'first' })
    })

    test('goes to the agent that is named, and to any when the parent’s worker is away or can not do it', async () => {
      const c = crew()
      const { worker, parent, given } = await begun(c, 'away')
      const other = await c.worker('away-2', { capabilities: ['away', 'more'] })
      await worker.end(given, 'completed')
      expect(await c.create({ parentTaskId: parent.id, agentId: 'away-2' })).toMatchObject({
        agentId: other.id,
        assignedBy: 'caller',
      })
      const more = await c.make({ task: 'x', parentTaskId: parent.id, requiredCapabilities: ['more'] }, null)
      expect(more.routed).toBe('for any worker: away, which has the parent, lacks more')
      await c.service.sweep()
      const kept = await c.create({ parentTaskId: parent.id })
      expect(kept.agentId).toBe(worker.id)
      await c.pass(20_000)
      expect(await c.task(kept.id)).toMatchObject({
        status: 'unassigned',
        agentId: null,
        reason: 'away is away; queued',
      })
      const late = await c.make({ task: 'x', parentTaskId: parent.id }, null)
      expect(late.routed).toBe('for any worker: away, which has the parent, is away')
    })

    test('and its own child are a chain: each continues the one above it', async () => {
      const c = crew()
      const { worker, parent, given } = await begun(c, 'chain')
      await worker.end(given, 'completed')
      const b = await c.create({ parentTaskId: parent.id })
      const runB = await worker.take()
      const ofB = await worker.converse(runB)
      await worker.end(runB, 'completed')
      await c.create({ parentTaskId: b.id })
      expect((await worker.take()).conversation).toMatchObject({ kind: 'parent', sessionId: ofB, parentTaskId: b.id })
    })
  })

  describe('a further attempt', () => {
    test('continues the task’s own conversation, a rung further down after it was refused', async () => {
      const c = crew()
      const { worker, parent, given, conversation } = await begun(c, 'rungs', 'native')
      await worker.end(given, 'failed', { failureClass: 'resume_refused', reason: 'No conversation found' })
      const second = await worker.take()
      expect(second.conversation).toMatchObject({ kind: 'own', sessionId: conversation, startRung: 'preamble' })
      expect(second.conversation).toMatchObject({
        whyNot: [{ rung: 'native', reason: 'resume_refused', detail: 'No conversation found' }],
      })
      const next = await worker.converse(second)
      await worker.end(second, 'failed', { failureClass: 'overloaded' })
      await c.service.sweep()
      await c.pass(5_000)
      expect((await worker.take()).conversation).toMatchObject({
        kind: 'own',
        sessionId: next,
        startRung: null,
        whyNot: [],
      })
      expect((await c.task(parent.id)).attemptCount).toBe(3)
    })

    test('is told where the conversation ran, though the attempts since were over before they began', async () => {
      const c = crew()
      const { worker, given, conversation } = await begun(c, 'place')
      await worker.end(given, 'released')
      await worker.end(await worker.take(), 'released')
      const told = { kind: 'own', sessionId: conversation, cwd: '/work/parent', hostName: 'host-1' }
      const third = await worker.take()
      expect(third).toMatchObject({ generation: 3, conversation: told })
      worker.held.clear()
      expect(await worker.take()).toMatchObject({ generation: 3, conversation: told })
    })

    test('resumes what an operator chose, once', async () => {
      const c = crew()
      const worker = await c.worker('chosen', { capabilities: ['chosen'] })
      const task = await c.create({ requiredCapabilities: ['chosen'] })
      const chosen = crypto.randomUUID()
      expect(await c.service.setConversation(OPERATOR, task.id, chosen.toUpperCase())).toMatchObject({
        claudeSessionId: chosen,
      })
      expect((await refused(c.service.setConversation(OPERATOR, task.id, 'no uuid'))).code).toBe('invalid')
      const given = await worker.take()
      expect(given.conversation).toMatchObject({ kind: 'own', sessionId: chosen, cwd: null })
      const own = await worker.converse(given)
      await worker.end(given, 'released')
      expect((await worker.take()).conversation).toMatchObject({
        kind: 'own',
        sessionId: own,
        cwd: null,
        hostName: 'host-1',
      })
    })
  })
})
