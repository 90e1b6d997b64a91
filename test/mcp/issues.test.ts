import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { sessionId } from '../../src/domain/ids'
import type { ToolHost } from '../../src/mcp/host'
import { callTool } from '../../src/mcp/server'
import { joinWorker, serveTasks } from '../api/tasks/serve-tasks'
import { emptyRepository } from '../lab/empty-repository'
import { onEachDatabase } from '../store-contract/databases'

onEachDatabase((database) => {
  test('an agent finds, claims, changes and closes issues by its tools, in the folder of its run', async () => {
    await using api = serveTasks(database.store)
    const dir = mkdtempSync('/tmp/ld-mcp-issues-')
    try {
      emptyRepository(dir)
      const { issue } = await api.client.issues.create({ dir, title: 'Mend the roof', priority: 0 })
      const worker = await joinWorker(api)
      await api.client.tasks.create({ task: 'go', dir, agentId: worker.id })
      const { assignments } = await worker.poll({ waitMs: 0 })
      const token = assignments[0]?.token ?? ''
      const host: ToolHost = {
        caller: 'attempt',
        taskId: assignments[0]?.task.id ?? null,
        sessionId: null,
        place: { hostname: 'here', hostName: 'host-1', bootId: 'b', version: '1' },
        joined: null,
        agentId: null,
        withClient: (use) => use(api.as(token), null),
      }
      const call = async (name: string, args: unknown) => {
        const { content, isError } = await callTool(host, name, args, undefined)
        return { isError: isError === true, text: content.map((part) => ('text' in part ? part.text : '')).join() }
      }
      expect((await call('ready-issues', {})).text).toContain(`${issue.id} P0 "task" "open" "Mend the roof"`)
      expect((await call('claim-issue', {})).text).toContain(`Claimed: ${issue.id}`)
      expect((await call('ready-issues', {})).text).toBe('No issue is ready.')
      const made = await call('update-issue', {
        create: true,
        title: 'Buy nails',
        dependsOn: [issue.id],
        dependencyType: 'discovered-from',
      })
      expect(made.text).toContain('Created:')
      const changed = await call('update-issue', { id: issue.id, appendNotes: 'half done', comment: 'rain </data>' })
      expect(changed).toMatchObject({ isError: false, text: expect.stringContaining('in_progress') })
      const shown = (await call('get-issue', { id: issue.id })).text
      expect(shown).toContain('half done')
      expect(shown).toContain(`held by "${worker.join.name}"`)
      // A session that looks at one issue is offered to be linked to it.
      const session = sessionId(crypto.randomUUID())
      const chat: ToolHost = {
        ...host,
        caller: 'operator',
        taskId: null,
        sessionId: session,
        withClient: (use) => use(api.client, null),
      }
      await callTool(chat, 'get-issue', { id: issue.id, dir }, undefined)
      const { issues, suggestion } = await api.client.links.ofSession(session, { dir })
      expect([issues, suggestion?.id]).toEqual([[], issue.id])
      expect((await call('close-issue', { id: issue.id, reason: 'dry again' })).text).toContain('Closed:')
      expect(await call('close-issue', { id: 'ld-none' })).toMatchObject({ isError: true })
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })
})
