/** Home where tasks wait that nobody may take. Time passed before the server began: its rows are an hour old. */

import { afterAll, beforeAll, expect, setSystemTime, test } from 'bun:test'
import { join } from 'node:path'
import type { Answers } from '../../../src/api/contract/operations'
import { openStore } from '../../../src/store/open'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { addAgent, addTask } from '../../store-contract/tasks-sample'
import { browserOfTests, PAGES, shot, withDashboard } from '../page/page'
import { axeCheck } from '../page/page-axe'
import { scrollsSideways, titled } from '../page/page-wait'

type Need = Answers['overview']['needs'][number]

const HOUR_MS = 3_600_000
const lab = new Lab()
const _folder = lab.root
let server: Lode
let hull: string

beforeAll(async () => {
  await browserOfTests()
  server = lab.addLode('l', PAGES)
  const store = await openStore({ path: join(server.home, 'lodeline.db'), mode: 'read-write', migrate: true })
  const lastHeard = Date.now() - HOUR_MS
  setSystemTime(lastHeard)
  try {
    const desk = await addAgent(store, { name: 'desk', lastSeenAt: lastHeard })
    hull = (
      await addTask(store, { title: 'Paint the hull', status: 'pending', agentKey: desk.key, assignedBy: 'caller' })
    ).id
    await addTask(store, { title: 'Weigh the anchor' })
    await addTask(store, { title: 'Ring the bell' })
  } finally {
    setSystemTime()
    await store.close()
  }
  await server.up()
})
afterAll(() => lab.stop())

test('what nobody takes is told with why, and leads to the task or to the fleet', async () => {
  await withDashboard({ server }, async ({ page, client }) => {
    const rows = page.getByTestId('need-row')
    await rows.nth(1).waitFor()
    expect(await rows.count()).toBe(2)
    expect(await page.locator('[data-testid=need-row] > div [data-status=untaken]').count()).toBe(2)
    await titled(page, '(2) Home · Lodeline')
    await page.getByRole('link', { name: 'Home 2 need you' }).waitFor()
    const open = async (title: string) => {
      const row = rows.filter({ hasText: title })
      await row.click({ position: { x: 60, y: 12 } })
      await row.getByRole('link', { name: 'Open' }).waitFor()
      return row
    }
    const one = (await open('Paint the hull')).filter({ hasText: 'desk is offline, last seen' })
    expect(await one.getByRole('link').first().getAttribute('href')).toBe(`/tasks/${hull}`)
    const several = await open('2 tasks wait')
    expect(await several.textContent()).toContain('no worker is online')
    expect(await several.textContent()).toContain('the first is Weigh the anchor')
    // Times are this reader's.
    for (const row of await rows.allTextContents()) expect(row).not.toMatch(/\dT\d\d:/)
    await several.getByRole('button', { name: 'Copy command: lode work' }).waitFor()
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'home/untaken')
    const { needs } = await server.json<{ needs: Need[] }>('status')
    expect(needs.map(({ kind }) => kind)).toEqual(['untaken', 'untaken'])
    expect((await client.status()).needsYou.untaken).toBe(2)
    await several.getByRole('link', { name: 'Open' }).click()
    await page.waitForURL('**/fleet')
    await page.getByTestId('queue-row').filter({ hasText: 'Ring the bell' }).waitFor()
  })
})

test('it goes away, dismissed or once somebody who may take it is online', async () => {
  await withDashboard({ server, size: 'phone', scheme: 'dark' }, async ({ page, client }) => {
    const rows = page.getByTestId('need-row')
    await rows.nth(1).waitFor()
    expect(await scrollsSideways(page)).toBe(false)
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'home/untaken-phone-dark')
    await rows.filter({ hasText: 'Paint the hull' }).click({ position: { x: 60, y: 12 } })
    await rows.filter({ hasText: 'Paint the hull' }).getByRole('button', { name: 'Dismiss' }).click()
    await rows.filter({ hasText: 'Paint the hull' }).waitFor({ state: 'detached' })
    await client.agents.join({
      name: 'second',
      kind: 'worker',
      capabilities: [],
      concurrency: 1,
      hostname: 'harbour',
      hostName: 'harbour',
      bootId: 'boot-1',
      isFormerGone: false,
      version: '1.0.0',
    })
    await page.getByText('Nothing needs you.').waitFor()
    await titled(page, 'Home · Lodeline')
  })
})
