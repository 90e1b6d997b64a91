import { describe, expect, test } from 'bun:test'
import type { JoinInput } from '../../src/domain/task/worker-protocol'
import { onEachDatabase } from '../store-contract/databases'
import { Crew, OPERATOR, refused } from './crew'

const BOTH: JoinInput['clis'] = [
  { name: 'claude-code', version: '2.1.330' },
  { name: 'codex', version: '0.169.0' },
]
const CLAUDE = BOTH.slice(0, 1)
const LIMIT = { failureClass: 'usage_limit' as const, reason: 'limit reached' }

onEachDatabase((database) => {
  const crew = () => new Crew(database.store)

  describe('the agent CLI of a task', () => {
    test('is the best of its list, and a task that nobody here can run is left to others', async () => {
      const c = crew()
      const one = await c.worker(`${c.word}-1`, { clis: CLAUDE })
      const task = await c.create({ agentClis: ['codex', 'opencode'] })
      expect(task).toMatchObject({ agentClis: ['codex', 'opencode'], neededClis: ['codex', 'opencode'] })
      expect((await one.poll({ capacity: 1 })).assignments).toEqual([])
      expect((await refused(c.service.claim(one.caller, task.id, {}))).message).toContain(
        'lacks the agent CLI codex or opencode',
      )
      const [group] = (await c.store.overview.untaken(c.now, [])).filter(({ requiredCapabilities }) =>
        requiredCapabilities.includes(c.word),
      )
      expect(group).toMatchObject({ neededClis: ['codex', 'opencode'], lacksClis: true, missing: [] })
      const other = await c.worker(`${c.word}-2`, { clis: BOTH })
      const given = await other.take()
      expect(given).toMatchObject({ agentCli: 'codex', task: { id: task.id, neededClis: ['codex'] } })
      expect((await c.attempts(task.id))[0]?.agentCli).toBe('codex')
      expect([task.agentCli, (await c.store.tasks.find(task.id))?.agentCli]).toEqual([null, 'codex'])
    })

    test('is what the worker names first when the task names none, and stays so', async () => {
      const c = crew()
      const one = await c.worker(`${c.word}-1`, { clis: BOTH })
      const task = await c.create()
      expect((await one.take()).agentCli).toBe('claude-code')
      const next = await c.worker(`${c.word}-1`, { clis: BOTH.toReversed() })
      await c.pass(2_000)
      expect((await next.take()).agentCli).toBe('claude-code')
      expect((await c.task(task.id)).attemptCount).toBe(2)
    })

    test("is the parent's for a child that continues, and the parent's list for one that begins anew", async () => {
      const c = crew()
      const one = await c.worker(`${c.word}-1`, { clis: BOTH })
      const parent = await c.create({ agentClis: ['codex', 'claude-code'] })
      const given = await one.take()
      const waiting = await c.create({ parentTaskId: parent.id })
      expect(waiting).toMatchObject({ waitingFor: 'parent', neededClis: ['codex'] })
      await one.end(given, 'completed')
      const again = await c.task(waiting.id)
      expect(again).toMatchObject({ agentClis: [], neededClis: ['codex'] })
      const anew = await c.create({ parentTaskId: parent.id, continuity: 'fresh' })
      expect(anew).toMatchObject({ agentClis: ['codex', 'claude-code'] })
      const elsewhere = await c.create({ parentTaskId: parent.id, agentClis: ['claude-code'] })
      expect(elsewhere).toMatchObject({ neededClis: ['claude-code'] })
    })

    test('changes with the list of a task that rests, unless its conversation may stay', async () => {
      const c = crew()
      const one = await c.worker(`${c.word}-1`, { clis: BOTH })
      const { id } = await c.create()
      const given = await one.take()
      expect((await refused(c.service.patch(OPERATOR, id, { agentClis: ['codex'] }))).code).toBe('conflict')
      await c.service.pause(OPERATOR, id, {})
      await one.end(given, 'paused')
      expect(await c.service.patch(OPERATOR, id, { agentClis: ['codex', 'claude-code'] })).toMatchObject({
        neededClis: ['claude-code'],
      })
      expect(await c.service.patch(OPERATOR, id, { agentClis: ['codex'] })).toMatchObject({ neededClis: ['codex'] })
      await c.service.resume(OPERATOR, id)
      expect((await one.take()).agentCli).toBe('codex')
    })

    test('at its limit stops its own tasks alone', async () => {
      const c = crew()
      const one = await c.worker(`${c.word}-1`, { clis: BOTH })
      const task = await c.create({ agentClis: ['codex', 'claude-code'] })
      await one.end(await one.take(), 'failed', { ...LIMIT, resetAt: new Date(c.now + 3_600_000).toISOString() })
      expect(await c.task(task.id)).toMatchObject({ status: 'paused', pausedBy: 'limit' })
      await c.create({ agentClis: ['codex'] })
      const free = await c.create({ agentClis: ['claude-code'] })
      expect((await one.take()).task.id).toBe(free.id)
      expect((await one.poll({ capacity: 1 })).assignments).toEqual([])
    })

    test('gives over to the next of the list at its limit, where the person of the worker allows it', async () => {
      const c = crew()
      const one = await c.worker(`${c.word}-1`, { clis: BOTH, fallsOver: true })
      const task = await c.create({ agentClis: ['codex', 'claude-code'] })
      await one.end(await one.take(), 'failed', { ...LIMIT, resetAt: new Date(c.now + 3_600_000).toISOString() })
      expect(await c.task(task.id)).toMatchObject({ status: 'pending', neededClis: ['claude-code'] })
      await c.pass(1_000)
      expect(await one.take()).toMatchObject({ agentCli: 'claude-code', task: { id: task.id } })
      expect((await c.moves(task.id)).join('\n')).toContain(
        'attempt 1 reached the usage limit of codex; it continues in claude-code',
      )
      expect((await c.attempts(task.id)).map(({ agentCli }) => agentCli)).toEqual(['codex', 'claude-code'])
    })

    test('has a name of a CLI', async () => {
      const c = crew()
      expect(await refused(c.create({ agentClis: ['Codex; rm -rf'] }))).toMatchObject({ code: 'invalid' })
      const many = Array.from({ length: 21 }, (_, n) => `cli-${n}`)
      expect(await refused(c.create({ agentClis: many }))).toMatchObject({ code: 'too_large' })
    })
  })
})
