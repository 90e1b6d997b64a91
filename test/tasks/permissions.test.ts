import { describe, expect, test } from 'bun:test'
import { onEachDatabase } from '../store-contract/databases'
import { Crew, callerOf, OPERATOR, refused } from './crew'

const ABOVE = ['bypassPermissions', 'acceptEdits', 'plan', 'default', 'no-such-mode']

onEachDatabase((database) => {
  const crew = () => new Crew(database.store)

  describe('the permission mode of a task', () => {
    test('is refused from a run, a worker and a lead, by every way that leads to a task, and nothing is made', async () => {
      const c = crew()
      const [worker, lead] = [await c.worker(`${c.word}-w`), await c.worker(`${c.word}-l`, { kind: 'lead' })]
      await c.create()
      const given = await worker.take()
      const epic = await c.service.createEpic(OPERATOR, { title: 'epic' }, null)
      const before = (await c.store.tasks.list({}, { limit: 200 })).rows.length
      for (const caller of [callerOf(given, worker), worker.caller, lead.caller])
        for (const permissionMode of ABOVE) {
          const task = { task: 'do it', dir: '/', permissionMode }
          for (const call of [
            () => c.service.create(caller, task, null),
            () => c.service.createInEpic(caller, epic.id, task, null),
            () => c.service.createPlan(caller, { tasks: [{ ...task, key: 'a' }] }, null),
          ]) {
            const error = await refused(call())
            expect(error).toMatchObject({ code: 'forbidden', details: { field: 'permissionMode' } })
            expect(error.message).toContain('Only an operator')
          }
        }
      expect((await c.store.tasks.list({}, { limit: 200 })).rows.length).toBe(before)
    })

    test('is not changed by whoever made the task, only by an operator', async () => {
      const c = crew()
      const worker = await c.worker(`${c.word}-w`)
      const made = await c.create({ status: 'backlog' }, worker.caller)
      for (const permissionMode of ['acceptEdits', null])
        expect(await refused(c.service.patch(worker.caller, made.id, { permissionMode }))).toMatchObject({
          code: 'forbidden',
        })
      expect((await c.service.patch(OPERATOR, made.id, { permissionMode: 'plan' })).permissionMode).toBe('plan')
    })

    test('above what every worker there takes is refused at once, with the setting that raises it', async () => {
      const c = crew()
      await c.service.sweep()
      const low = await c.worker(`${c.word}-low`, { maxPermissionMode: 'default' })
      const create = (more: object) => c.create({ permissionMode: 'acceptEdits', ...more })
      const error = await refused(create({ agentId: low.id }))
      expect(error.code).toBe('conflict')
      expect(error.message).toContain('acceptEdits')
      expect(`${error.message} ${error.hint}`).toContain('worker.maxPermissionMode')
      expect(error.hint).toContain('lode config set worker.maxPermissionMode acceptEdits')
      const task = await c.create({ permissionMode: 'plan', agentId: low.id })
      expect(await refused(c.service.patch(OPERATOR, task.id, { permissionMode: 'auto' }))).toMatchObject({
        code: 'conflict',
      })
      await c.worker(`${c.word}-low`, { maxPermissionMode: 'acceptEdits' })
      expect((await create({ agentId: low.id })).permissionMode).toBe('acceptEdits')
      expect(await refused(c.create({ permissionMode: 'no-such-mode', agentId: low.id }))).toMatchObject({
        hint: expect.stringContaining('bypassPermissions'),
      })
    })
  })
})
