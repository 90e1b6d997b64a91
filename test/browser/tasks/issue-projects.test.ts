/** Issues of several projects in the page, where ids may be the same. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { AgentId } from '../../../src/domain/ids'
import type { Task } from '../../../src/domain/task/task'
import { emptyRepository } from '../../lab/empty-repository'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { browserOfTests, PAGES, withDashboard } from '../page/page'

const lab = new Lab()
const folder = lab.root
const north = join(folder, 'north')
const south = join(folder, 'south')
let server: Lode
let worker: AgentId

beforeAll(async () => {
  await browserOfTests()
  for (const project of [north, south]) emptyRepository(project)
  server = lab.addLode('l', PAGES)
  await server.up()
  const { agent } = await server.client.agents.join({
    ...{ name: 'pilot', kind: 'worker', capabilities: [], concurrency: 4, version: '1.0.0' },
    ...{ hostname: 'far', hostName: 'far', bootId: 'boot-1', isFormerGone: false },
  })
  worker = agent.id
})
afterAll(() => lab.stop())

/** A task that its worker has begun. */
async function begin(issueId: string, dir: string, title: string): Promise<Task> {
  const { tasks } = server.client
  const { task } = await tasks.create({ task: 'Do it', title, dir, issueId, agentId: worker })
  await tasks.claim(task.id, { agentId: worker, leaseMs: 600_000 })
  return task
}

const go = (page: Page, path: string, search: Record<string, string>) =>
  page.goto(new URL(`${path}?${new URLSearchParams(search)}`, server.url).href)

test('of two issues with the same id each shows the task of its own project, as it begins and as it ends', async () => {
  const { client } = server
  await client.issues.create({ dir: north, id: 'twin-1', title: 'In the north' })
  await client.issues.create({ dir: south, id: 'twin-1', title: 'In the south' })
  await withDashboard({ server, path: '/issues' }, async ({ page }) => {
    const rowOf = (title: string) => page.getByTestId('issue-row').filter({ hasText: title })
    const markOf = (title: string) => rowOf(title).getByText('pilot', { exact: true }).filter({ visible: true })
    await rowOf('In the north').waitFor()
    expect(await page.getByText('pilot', { exact: true }).count()).toBe(0)
    const southern = await begin('twin-1', south, 'Take soundings')
    await markOf('In the south').waitFor()
    expect(await markOf('In the north').count()).toBe(0)

    await go(page, '/issues', { view: 'board' })
    await markOf('In the south').waitFor()
    expect(await markOf('In the north').count()).toBe(0)
    await rowOf('In the north').waitFor()

    const tasks = page.getByRole('region', { name: 'Tasks' })
    await go(page, '/issues/twin-1', { project: south })
    await tasks.getByText('Take soundings').waitFor()
    await go(page, '/issues/twin-1', { project: north })
    await page.getByRole('heading', { name: 'In the north' }).waitFor()
    const northern = await begin('twin-1', north, 'Light the fires')
    await tasks.getByText('Light the fires').waitFor()
    expect(await tasks.getByText('Take soundings').count()).toBe(0)

    await go(page, '/issues', { view: 'board' })
    await markOf('In the north').waitFor()
    await client.tasks.cancel(southern.id)
    await markOf('In the south').waitFor({ state: 'detached' })
    expect(await markOf('In the north').count()).toBe(1)
    await client.tasks.cancel(northern.id)
  })
})
