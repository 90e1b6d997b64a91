/** Whether all is recorded and understood, as a person sees it. */
import { beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { Lab } from '../lab/lab'
import { until } from '../lab/until'
import { browserOfTests, type Dashboard, type DashboardOptions, PAGES, shot, withDashboard } from './page/page'
import { axeCheck } from './page/page-axe'
import { scrollsSideways } from './page/page-wait'

beforeAll(async () => void (await browserOfTests()))

/** A server that follows a folder of the test's own. */
async function withDoctor(
  prepare: (folder: string) => void,
  work: (dashboard: Dashboard, folder: string) => Promise<void>,
  { settings = () => ({}), ...options }: DashboardOptions & { settings?: (folder: string) => object } = {},
): Promise<void> {
  await using lab = new Lab()
  const folder = lab.root
  mkdirSync(join(folder, 'agent/projects/-srv-harbour'), { recursive: true })
  prepare(folder)
  const server = lab.addLode('l', {
    ...PAGES,
    claudeRoots: [join(folder, 'agent')],
    settings: { ...PAGES.settings, ...settings(folder) },
  })
  await server.up()
  await until('the first look', async () => {
    const { collector } = await server.client.doctor()
    return collector === null || (collector.lastScanAt !== null && collector.filesBehind === 0)
  })
  await withDashboard({ server, path: '/doctor', ...options }, async (dashboard) => {
    await dashboard.page.getByTestId('doctor-page').waitFor()
    await work(dashboard, folder)
  })
}

const finding = (page: Page, name: string) => page.locator(`[data-finding="${name}"]`)
const transcript = (folder: string) =>
  join(folder, 'agent/projects/-srv-harbour/22222222-2222-4222-8222-222222222222.jsonl')

const ODD_LINES = [
  '{"type":"ship\\u202e<b>log</b>","uuid":"11111111-1111-4111-8111-111111111111","sessionId":"22222222-2222-4222-8222-222222222222","version":"9.9.9","timestamp":"2026-11-22T01:00:00Z"}',
  'no JSON at all {{{',
  '',
].join('\n')

test('says in a line that all is well, and on what it stands', async () => {
  await withDoctor(
    () => {},
    async ({ page, client }) => {
      await page.getByText('Healthy: all files are recorded completely, and all lines are understood.').waitFor()
      const { storage, runtime } = await client.doctor()
      for (const text of [storage.location, runtime]) await page.getByText(text).first().waitFor()
      expect(await page.locator('[data-finding]').count()).toBe(0)
      expect(await axeCheck(page)).toEqual([])
      await shot(page, 'doctor/healthy-light')
    },
  )
})

test('tells what is not understood, what that means and what to do, and looks again by a key', async () => {
  await withDoctor(
    (folder) => writeFileSync(transcript(folder), ODD_LINES),
    async ({ page }, folder) => {
      await page.getByText('2 problems found. No data is lost').waitFor()
      const unknown = page.locator('section', { has: finding(page, 'unknown') })
      await unknown.getByText('ship⟨U+202E⟩<b>log</b>').waitFor()
      await unknown.getByText('lode rebuild', { exact: true }).waitFor()
      const malformed = page.locator('section', { has: finding(page, 'malformed') })
      await malformed.getByText(transcript(folder)).waitFor()
      expect(await axeCheck(page)).toEqual([])
      await shot(page, 'doctor/odd-light')

      writeFileSync(transcript(folder), `${ODD_LINES}more of no JSON\n`)
      await until('the second line to be seen', async () => {
        await page.keyboard.press('r')
        await page.waitForTimeout(200)
        return await page.getByText('2 malformed lines').isVisible()
      })
    },
  )
})

test('what the record does not have is a gap, and nobody says then that nothing is lost', async () => {
  await withDoctor(
    () => {},
    async ({ page }) => {
      await page.getByText('Healthy: all files').waitFor()
      // Root can read everything: the server's answer is as it is, and one gap more.
      await page.route('**/api/doctor', async (route) => {
        const response = await route.fetch()
        const told = await response.json()
        await route.fulfill({ response, json: { ...told, gaps: [{ path: "/srv/it's here", reason: 'EACCES' }] } })
      })
      await until('the gap to be shown', async () => {
        await page.keyboard.press('r')
        await page.waitForTimeout(200)
        return await page.getByText('1 problem found.', { exact: true }).isVisible()
      })
      const gaps = page.locator('section', { has: finding(page, 'gaps') })
      await gaps.getByText('EACCES').waitFor()
      expect(await finding(page, 'gaps').locator('code').textContent()).toBe(`lode import '/srv/it'\\''s here'`)
      expect(await axeCheck(page)).toEqual([])
    },
  )
})

test('a server that follows nothing says so', async () => {
  await withDoctor(
    () => {},
    async ({ page }) => {
      await finding(page, 'collector').waitFor()
      await finding(page, 'collector').getByText('lode up', { exact: true }).waitFor()
      expect(await axeCheck(page)).toEqual([])
      expect(await scrollsSideways(page)).toBe(false)
      await shot(page, 'doctor/nothing-phone-dark')
    },
    { settings: () => ({ 'collector.enabled': false }), size: 'phone', scheme: 'dark' },
  )
})
