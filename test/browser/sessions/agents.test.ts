/** Sessions of several agent CLIs on the pages: a filter shows those of one. */

import { expect, test } from 'bun:test'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { until } from '../../lab/until'
import { PAGES, shot, withDashboard } from '../page/page'

const FIXTURES = join(import.meta.dir, '../../fixtures')

/** A worker that has this agent CLI alone. */
const joinWorker = async ({ client }: Lode, cli: string): Promise<void> =>
  void (await client.agents.join({
    ...{ name: 'w', kind: 'worker', capabilities: [], concurrency: 1, hostname: 'harbour', hostName: 'harbour' },
    ...{ bootId: 'boot-1', isFormerGone: false, version: '1.0.0', clis: [{ name: cli, version: '1.0.0' }] },
  }))

test('search and tree offer the agent CLIs that there are, and show the sessions of the one that is chosen; a session offers what its CLI can do', async () => {
  await using lab = new Lab()
  const roots = { gemini: lab.folder('gemini'), qwen: lab.folder('qwen') }
  cpSync(join(FIXTURES, 'gemini/0.61.0/plan'), roots.gemini, { recursive: true })
  cpSync(join(FIXTURES, 'qwen/0.24.4/plan'), roots.qwen, { recursive: true })
  const server = lab.addLode('l', {
    ...PAGES,
    // The worker of this test says a word once.
    settings: { ...PAGES.settings, 'tasks.leaseSeconds': 600 },
    homes: { gemini: [roots.gemini], qwen: [roots.qwen] },
  })
  await server.up()
  await until('both', async () => Object.keys((await server.client.status()).sessions.byAgent).length === 2)
  await withDashboard({ server, path: '/search?q=bug' }, async ({ page }) => {
    const hits = page.getByTestId('search-hit')
    await hits.first().waitFor()
    const all = await hits.count()
    const sessions = page.getByTestId('search-session')
    expect(await sessions.first().textContent()).toMatch(/gemini|qwen/)
    await shot(page, 'search-agents')
    await page.getByLabel('Agent CLI').selectOption('qwen')
    await until('fewer hits', async () => (await hits.count()) > 0 && (await hits.count()) < all)
    for (const text of await sessions.allTextContents()) expect(text).not.toContain('gemini')
    expect(new URL(page.url()).searchParams.get('agent')).toBe('qwen')
  })
  await withDashboard({ server, path: '/tree?agent=gemini' }, async ({ page }) => {
    await page.getByLabel('Agent CLI').waitFor()
    await page.getByText('x @@plan').first().waitFor()
    await shot(page, 'tree-agents')
    expect(await page.getByLabel('Agent CLI').inputValue()).toBe('gemini')
    const row = page.getByRole('treeitem').filter({ hasText: 'x @@plan' })
    expect(await row.count()).toBe(1)
    expect(await row.getByTestId('agent-cli').textContent()).toBe('gemini')
  })
  await withDashboard({ server, path: '/sessions/81196d75-29c0-4198-8d5e-ef858ead8bb6' }, async ({ page }) => {
    await page.getByText('Stopped with one step done.').first().waitFor()
    const text = (await page.locator('main').textContent()) ?? ''
    for (const words of ['I will plan first.', 'write_todos', 'README.md', 'Hello again.'])
      expect(text).toContain(words)
    await shot(page, 'gemini-session')
    expect(await page.locator('main').getByTestId('agent-cli').first().textContent()).toBe('gemini')
    // Nothing runs it, and no worker here has another CLI.
    for (const name of ['Message', 'Terminal', 'Resume', /^Continue in/])
      expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
    await joinWorker(server, 'codex')
    await page.reload()
    await page.getByRole('button', { name: 'Continue in Codex' }).click()
    await page.getByRole('dialog', { name: 'Continue in Codex' }).waitFor()
    await shot(page, 'gemini-continue')
    await page.getByRole('button', { name: 'Continue', exact: true }).click()
    await page.waitForURL(/\/tasks\/t-/)
    const { tasks } = await server.client.tasks.list({})
    expect(tasks.map(({ neededClis }) => neededClis)).toEqual([['codex']])
  })
  await withDashboard({ server, path: '/tasks?cli=codex' }, async ({ page }) => {
    const agent = page.getByLabel('Agent CLI')
    await page.getByTestId('task-row').waitFor()
    expect(await agent.inputValue()).toBe('codex')
    await shot(page, 'tasks-agents')
    await agent.selectOption('qwen')
    await page.getByText('No tasks match these filters.').waitFor()
    expect(new URL(page.url()).searchParams.get('cli')).toBe('qwen')
  })
  await withDashboard({ server, path: '/?agent=gemini' }, async ({ page }) => {
    const agent = page.getByLabel('Agent CLI')
    await agent.waitFor()
    expect(await agent.inputValue()).toBe('gemini')
    await page.getByText('Nothing of gemini needs you.').waitFor()
    await shot(page, 'home-agents')
    await page.getByRole('link', { name: /^Running/ }).click()
    await page.waitForURL(/tab=running/)
    expect(new URL(page.url()).searchParams.get('agent')).toBe('gemini')
    await agent.selectOption('')
    await page.waitForURL((url) => !url.searchParams.has('agent'))
    expect(new URL(page.url()).searchParams.get('tab')).toBe('running')
  })
})
