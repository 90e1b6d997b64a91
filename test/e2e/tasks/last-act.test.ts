/** What the demonstration leaves for a person to do: an issue became a task, whose run asks for leave. Answered as the dashboard does. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ensureToken } from '../../../src/api/client/token-file'
import { findServer } from '../../../src/cli/kit/connect'
import { loadConfig } from '../../../src/config/load'
import { startDemoWorker } from '../../../src/demo/demo-worker'
import { ISSUES, type LastAct, playLastAct } from '../../../src/demo/last-act'
import { createLogger } from '../../../src/util/log'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { processTree } from '../../lab/processes'
import { until } from '../../lab/until'

const lab = new Lab()
const folder = lab.root
const claudeRoot = join(folder, 'claude')
let lodeline: Lode

beforeAll(async () => {
  lodeline = lab.addLode('home', { claudeRoots: [claudeRoot] })
  await lodeline.up()
})

afterAll(() => lab.stop(), 30_000)

/** Plays the act in a shop of its own. */
async function withLastAct(name: string, work: (act: LastAct, shop: string) => Promise<void>): Promise<void> {
  const { home, client } = lodeline
  const server = await findServer(home)
  const act = await playLastAct({
    client,
    home: join(folder, name),
    claudeRoot,
    signal: new AbortController().signal,
    startWorker: async (more) =>
      startDemoWorker(loadConfig({ env: { LODELINE_HOME: home, HOME: home }, cwd: home }), {
        ...more,
        isAsking: true,
        serverUrl: server?.url ?? '',
        token: await ensureToken(home),
        log: createLogger({ terminalLevel: 'error' }),
      }),
  })
  try {
    await work(act, join(folder, name, 'demo/shop'))
  } finally {
    await act.stop()
  }
  expect(agentsLeft()).toEqual([])
}

/**
 * What runs below this process and is the agent's CLI or of its making. A server of the test's keeps a guard for its own next run; one of
 * the demo, which runs here, would be a child of this process.
 */
function agentsLeft(): string[] {
  const below = processTree(process.pid).slice(1)
  const names = below.map((pid) => Bun.spawnSync(['ps', '-o', 'ppid=,args=', '-p', String(pid)]).stdout.toString())
  const isOfServer = (name: string) => / guard --wait\s*$/.test(name) && Number.parseInt(name, 10) !== process.pid
  return names.filter((name) => /claude|guard|published/.test(name) && !isOfServer(name))
}

/** The task once it is over. */
const ended = ({ taskId }: LastAct) =>
  until('the task to end', async () => {
    const { task } = await lodeline.client.tasks.get(taskId)
    return ['completed', 'failed', 'cancelled'].includes(task.status) ? task : undefined
  })

test('the run asks, home shows it with its issue, and what is allowed is done', async () => {
  await withLastAct('allowed', async (act, shop) => {
    const asked = await act.asked
    const { needs, running } = await lodeline.client.overview()
    const known = needs.map(({ kind, taskId, question }) => ({ kind, taskId, id: `${question?.id}` }))
    expect(known).toEqual([{ kind: 'question', taskId: act.taskId, id: asked }])
    expect(needs[0]?.text).toContain('cp prices.js published.js')
    expect(running.map(({ taskId }) => taskId)).toContain(act.taskId)
    const { issues } = await lodeline.client.issues.list({ dir: shop, all: true })
    expect(issues.map(({ title }) => title).sort()).toEqual(Object.values(ISSUES).sort())
    expect(needs[0]?.issueId).toBe(issues.find(({ title }) => title === ISSUES.publish)?.id ?? null)
    expect(existsSync(join(shop, 'published.js'))).toBe(false)

    await lodeline.client.questions.answer(asked, { behavior: 'allow' })
    const task = await ended(act)
    expect([task.status, task.output]).toEqual(['completed', 'The price list is published: published.js.'])
    expect(readFileSync(join(shop, 'published.js'), 'utf8')).toBe(readFileSync(join(shop, 'prices.js'), 'utf8'))
    expect((await lodeline.client.overview()).needs).toEqual([])
  })
})

test('what is denied is not done, and the result says so', async () => {
  await withLastAct('denied', async (act, shop) => {
    await lodeline.client.questions.answer(await act.asked, { behavior: 'deny' })
    const task = await ended(act)
    expect([task.status, task.output]).toEqual(['completed', 'Nothing is published: the copy was not allowed.'])
    expect(existsSync(join(shop, 'published.js'))).toBe(false)
  })
})

test('who ends the demonstration without an answer leaves no process behind', async () => {
  await withLastAct('left', async (act, shop) => {
    await act.asked
    expect(agentsLeft()).not.toEqual([])
    await act.stop()
    expect(agentsLeft()).toEqual([])
    expect(existsSync(join(shop, 'published.js'))).toBe(false)
  })
})
