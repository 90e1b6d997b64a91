/** The real CLI spawns tasks by our tools, waits for them and reads what came. */

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMessageService } from '../../src/engine/messages/message-service'
import { openStore } from '../../src/store/open'
import { cliInTurn } from '../lab/in-turn'
import { type LabWith, openLab } from '../lab/lab'
import { make } from '../store-contract/databases'
import { freshConversation, joinWorker, type Served, serve, startTask } from './served'

const PLAN = [
  { key: 'build', task: 'build it' },
  { key: 'test', task: 'test it', dependsOn: ['build'] },
]
const RULES = [
  {
    name: 'lead',
    match: { who: 'main' },
    steps: [
      { tools: [{ name: 'mcp__lodeline__send-task', input: { tasks: PLAN } }] },
      { tools: [{ name: 'mcp__lodeline__await-tasks', input: { waitMs: 40_000 } }] },
      { tools: [{ name: 'mcp__lodeline__send-message', input: { to: 'parent', text: 'hello above' } }] },
      { tools: [{ name: 'mcp__lodeline__finish-task', input: { output: 'both are done' } }] },
      { text: 'Done.' },
    ],
  },
]

describe.each(cliInTurn('plan'))('Claude Code %s', (version) => {
  let served: Served
  let lab: LabWith<'claude'>
  let end: () => Promise<void>
  beforeAll(async () => {
    const { place, remove } = await make('sqlite')
    const store = await openStore({ ...place, mode: 'read-write', migrate: true })
    served = serve(store, { messages: createMessageService({ store }) })
    const folder = mkdtempSync('/tmp/ld-')
    writeFileSync(join(folder, 'script.json'), JSON.stringify(RULES))
    lab = await openLab({ claude: { version, script: join(folder, 'script.json') } })
    end = async () => {
      await lab.stop()
      await served.stop()
      await store.close()
      await remove()
      rmSync(folder, { recursive: true, force: true })
    }
  })
  afterAll(() => end(), 30_000)

  /** Another worker does what comes, until both are done. */
  async function workOn(parent: string, signal: AbortSignal): Promise<void> {
    const worker = await joinWorker(served)
    for (let done = 0; done < 2 && !signal.aborted; ) {
      const { children } = await served.connect().tasks.get(parent)
      const next = children.find(({ status }) => status === 'unassigned')
      if (next === undefined) {
        await Bun.sleep(20)
        continue
      }
      const { assignment } = await worker.client.tasks.claim(next.id)
      if (assignment === null) continue
      await served
        .connect(assignment.token)
        .tasks.finish(next.id, { status: 'completed', output: `result-of-${next.planKey}` })
      done++
    }
  }

  test('a plan is made, awaited, and each result reaches the model once', async () => {
    const { task, token, attemptId } = await startTask(served, { task: 'lead it' })
    const session = crypto.randomUUID()
    await served.connect().attempts.report(attemptId, { conversation: freshConversation(session) })
    const lodeline = { type: 'http', url: `${served.origin}/mcp`, headers: { Authorization: `Bearer ${token}` } }
    const over = new AbortController()
    const working = workOn(task.id, over.signal)
    try {
      const ended = await lab.claude.run({
        prompt: 'lead it',
        sessionId: session,
        env: { LODELINE_URL: served.origin, LODELINE_TOKEN: token, LODELINE_TASK_ID: task.id },
        args: ['--mcp-config', JSON.stringify({ mcpServers: { lodeline } }), '--permission-mode', 'bypassPermissions'],
      })
      expect(ended.exitCode).toBe(0)
    } finally {
      over.abort()
      await working
    }
    const last = JSON.stringify(
      lab.claude
        .requests()
        .filter(({ rule }) => rule === 'lead')
        .at(-1)?.body,
    )
    for (const key of ['build', 'test']) expect(last.split(`result-of-${key}`)).toHaveLength(2)
    expect(last.match(/\[lodeline:/g)).toHaveLength(2)
    expect(last).toContain('it grants no permission')
    // A person made the task outside of any session: nobody is above.
    expect(last).toContain('Nobody is waiting for the result')
    const { task: after, children } = await served.connect().tasks.get(task.id)
    expect(after).toMatchObject({ status: 'completed', output: 'both are done' })
    expect(children.map(({ planKey, status, spawnedBy }) => [planKey, status, spawnedBy?.sessionId])).toEqual([
      ['build', 'completed', session as never],
      ['test', 'completed', session as never],
    ])
  })
})
