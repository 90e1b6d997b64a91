/** Acts with their authors: how they are listed, narrowed, checked and taken along. */
import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { Lab } from '../lab/lab'
import type { Lode } from '../lab/lode'
import { until } from '../lab/until'
import { browserOfTests, type Dashboard, type DashboardOptions, PAGES, shot, withDashboard } from './page/page'
import { axeCheck } from './page/page-axe'
import { scrollsSideways } from './page/page-wait'

/** More than a page of lines. */
const MANY = 230

const lab = new Lab()
let server: Lode

beforeAll(async () => {
  await browserOfTests()
  server = lab.addLode('l', PAGES)
  await server.up()
  for (let n = 0; n < MANY; n++) await server.client.inbox.putSource(`source-${n % 10}`, { callback: null })
  const { task } = await server.client.tasks.create({ task: 'Mend the net', permissionMode: 'acceptEdits' })
  expect(task.permissionMode).toBe('acceptEdits')
})
afterAll(() => lab.stop())

const withAudit = (path: string, work: (dashboard: Dashboard) => Promise<void>, options: DashboardOptions = {}) =>
  withDashboard({ server, path, ...options }, async (dashboard) => {
    await dashboard.page.getByRole('heading', { level: 1, name: 'Audit' }).waitFor()
    await work(dashboard)
  })

const rows = (page: Page) => page.getByTestId('audit-row')

test('lists the newest first, loads older ones on the way down, and says that none is missing', async () => {
  await withAudit('/audit', async ({ page, client }) => {
    await rows(page).first().waitFor()
    const { lines } = await client.audit.list({ limit: 1 })
    expect(await rows(page).first().textContent()).toContain(String(lines[0]?.number))
    await page.getByTestId('audit-check').getByText('none changed or missing').waitFor()
    const { head } = await client.audit.verify()
    expect(await page.getByTestId('audit-check').textContent()).toContain(head.hash.slice(0, 16))
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'audit/typical-light')
    await rows(page).first().focus()
    await until('the first line', async () => {
      await page.keyboard.press('End')
      return await rows(page)
        .filter({ hasText: /^1(?!\d)/ })
        .count()
    })
  })
})

test('is narrowed by act, by who and by time, in the address', async () => {
  await withAudit('/audit', async ({ page, server: { url } }) => {
    await page.getByLabel('Act').selectOption('task.permission')
    await page.waitForURL(`${url}/audit?act=task.permission`)
    await until('one line', async () => (await rows(page).count()) === 1)
    await rows(page).getByRole('link').click()
    await page.waitForURL(`${url}/tasks/*`)
    await page.goBack()
    await page.getByLabel('Act').selectOption('')
    await page.getByLabel('Who: a kind, or a name').fill('nobody')
    await page.waitForURL(/who=nobody/)
    await until('the lines of those without a token', async () =>
      (await rows(page).allTextContents()).every((text) => text.includes('nobody')),
    )
    await page.getByRole('button', { name: '24 h' }).click()
    await page.waitForURL(/since=24h/)
    await page.goto(`${url}/audit?act=source.remove`)
    await page.getByText('No lines match these filters.').waitFor()
    expect(await axeCheck(page)).toEqual([])
  })
})

test('what is shown is taken along as JSON lines and as a table', async () => {
  await withAudit('/audit?act=source.save', async ({ page, client, problems }) => {
    problems.allow(/^gave a file: lodeline-audit\.(jsonl|csv)$/)
    await rows(page).first().waitFor()
    const taken = async (name: string) => {
      const waiting = page.waitForEvent('download')
      await page.getByRole('button', { name, exact: true }).click()
      const download = await waiting
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'utf8') }
    }
    const json = await taken('JSON lines')
    expect(json.name).toBe('lodeline-audit.jsonl')
    const { lines } = await client.audit.list({ act: 'source.save', limit: 1_000 })
    expect(lines).toHaveLength(MANY)
    expect(
      json.text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(lines)
    const csv = await taken('CSV')
    expect(csv.name).toBe('lodeline-audit.csv')
    expect(csv.text.trim().split('\r\n')).toHaveLength(MANY + 1)
  })
})

test.each([390, 900, 1280, 1920])('can be read on a screen of %d px, in the dark', async (width) => {
  await withAudit(
    '/audit',
    async ({ page }) => {
      await page.setViewportSize({ width, height: 900 })
      await rows(page).first().waitFor()
      expect(await scrollsSideways(page)).toBe(false)
      expect(await axeCheck(page)).toEqual([])
      await shot(page, `audit/dark-${width}`)
    },
    { scheme: 'dark' },
  )
})

test('a line that somebody changed is named', async () => {
  await using own = new Lab()
  const changed = own.addLode('l', PAGES)
  await changed.up()
  await changed.client.inbox.putSource('quay', {})
  await withDashboard({ server: changed, path: '/audit' }, async ({ page, home }) => {
    await page.getByText('none changed or missing').waitFor()
    const database = new Database(join(home, 'lodeline.db'))
    database.run('pragma busy_timeout = 5000')
    database.run("update audit_lines set target = 'other' where act = 'source.save'")
    database.close()
    await page.keyboard.press('r')
    const alert = page.getByTestId('audit-check').filter({ hasText: 'The log was changed' })
    await alert.getByText(/^Line \d+ was changed\.$/).waitFor()
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'audit/changed-light')
  })
})
