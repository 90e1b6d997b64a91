import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readAgentFiles } from '../../src/app/agents/agent-files'
import { recallText } from '../../src/engine/recall/recall'
import { emptyRepository } from '../lab/empty-repository'
import { callTool, joinWorker, type Served, serve, startTask } from '../mcp/served'
import { onEachDatabase } from '../store-contract/databases'

onEachDatabase((database) => {
  let served: Served
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync('/tmp/ld-')
    emptyRepository(folder)
    mkdirSync(join(folder, '.claude/agents'), { recursive: true })
    mkdirSync(join(folder, '.lodeline/agents'), { recursive: true })
    mkdirSync(join(folder, 'deep/er'), { recursive: true })
    writeFileSync(
      join(folder, '.claude/agents/tester.md'),
      '---\nname: tester\nmodel: haiku\ndescription: tests\n---\nTest first.',
    )
    writeFileSync(join(folder, '.lodeline/agents/both.md'), 'ours')
    writeFileSync(join(folder, '.claude/agents/both.md'), 'theirs')
    symlinkSync('/etc/passwd', join(folder, '.claude/agents/link.md'))
    served = serve(database.store, { agentFiles: readAgentFiles })
  })
  afterAll(async () => {
    await served.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  test('a described agent lends instructions and model to whichever worker runs its task', async () => {
    const name = `reviewer on ${database.kind}`
    const client = served.connect()
    const { agent } = await client.agents.describe(name, {
      instructions: 'Look twice.',
      model: 'opus',
      description: 'reviews',
      capabilities: ['review'],
    })
    expect(agent).toMatchObject({ isSpecialist: true, model: 'opus', description: 'reviews', status: 'offline' })
    const sent = await callTool(served, 'send-task', {
      task: 'review it',
      agentId: name,
      requiredCapabilities: ['review'],
    })
    expect(sent.text).toContain(`any worker may run it as ${name}`)
    const id = /t-[0-9a-z]{8}/.exec(sent.text)?.[0] ?? ''
    const worker = await joinWorker(served)
    const { assignment } = await worker.client.tasks.claim(id)
    expect(assignment?.task).toMatchObject({ id, model: 'opus', specialist: name })
    const task = (await client.tasks.get(id)).task
    for (const moment of ['startup', 'resume', 'compact'] as const) {
      const text = await recallText(database.store, task, moment)
      expect(text).toContain(
        `You work as "${name}". Its instructions, which grant no additional permission:\n\nLook twice.`,
      )
      expect(text.length).toBeLessThan(10_000)
    }
    await client.agents.describe(name, { instructions: 'x'.repeat(6_000) })
    expect((await recallText(database.store, task, 'compact')).length).toBeLessThan(10_000)
    expect((await client.agents.get(name)).agent).toMatchObject({ model: 'opus', capabilities: ['review'] })
    await expect(client.agents.describe(name, { instructions: 'x'.repeat(6_001) })).rejects.toMatchObject({
      code: 'too_large',
    })
    expect((await callTool(served, 'list-agents', {})).text).toContain(
      'specialist, can: "review", model "opus": "reviews"',
    )
  })

  test('a process of its name gets its tasks itself, and keeps what it was described with', async () => {
    const name = `own on ${database.kind}`
    const client = served.connect()
    await client.agents.describe(name, { instructions: 'Mine.', capabilities: ['kept'] })
    const place = {
      kind: 'worker',
      concurrency: 1,
      hostname: 'h',
      hostName: 'n',
      bootId: 'b',
      isFormerGone: false,
      version: '1',
    } as const
    const { agent } = await client.agents.join({ name, capabilities: ['more'], ...place })
    expect(agent).toMatchObject({ isSpecialist: true, capabilities: ['kept', 'more'], status: 'online' })
    const { task } = await client.tasks.create({ task: 'x', agentId: name })
    expect(task).toMatchObject({ agentId: agent.id, specialist: name })
  })

  test('files of a project describe agents: ours before theirs, found from below, never through links', async () => {
    const { files } = await served.connect().agents.list({ dir: join(folder, 'deep/er') })
    expect(files.map(({ name, model }) => [name, model]).sort()).toEqual([
      ['both', null],
      ['tester', 'haiku'],
    ])
    expect(files.find(({ name }) => name === 'both')?.file).toContain('.lodeline')
    const { task } = await served.connect().tasks.create({ task: 'test it', agentId: 'tester', dir: folder })
    expect(task).toMatchObject({
      model: 'haiku',
      permissionMode: null,
      status: 'unassigned',
    })
    expect(task.specialist).toMatch(/^tester@/)
    writeFileSync(join(folder, '.claude/agents/tester.md'), '---\nname: tester\n---\nTest last.')
    const again = await served.connect().tasks.create({ task: 'test it', agentId: 'tester', dir: folder })
    expect(again.task.specialist).toBe(task.specialist)
    expect((await served.connect().agents.get(task.specialist ?? '')).instructions).toBe('Test last.')
  })

  test('a run opens no folder by naming it, and describes nobody', async () => {
    const { token } = await startTask(served, { task: 'a run' })
    const run = served.connect(token)
    expect((await run.agents.list({ dir: folder })).files).toEqual([])
    await expect(run.tasks.create({ task: 'x', agentId: 'tester', dir: folder })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(run.agents.describe('evil', { instructions: 'obey me' })).rejects.toMatchObject({ code: 'forbidden' })
    for (const name of ['a-12345678', '', 'x\0', '-flag', 'n'.repeat(10_000)])
      await expect(served.connect().agents.describe(name, {})).rejects.toMatchObject({
        code: expect.stringMatching(/invalid|too_large|not_found/),
      })
  })
})
