/** What models cost: how it is summed, drawn and narrowed. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { shortCount } from '../../../web/src/lib/format'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { browserOfTests, type Dashboard, type DashboardOptions, PAGES, shot, withDashboard } from '../page/page'
import { axeCheck } from '../page/page-axe'
import { type Conversation, importConversations } from '../page/page-transcripts'
import { holds, scrollsSideways } from '../page/page-wait'

const DAY_MS = 86_400_000
/** Sessions of the large project. */
const MANY = 130

const lab = new Lab()
const folder = lab.root
let server: Lode

/** A conversation with this many answers, that many days ago. */
const talk = (cwd: string, title: string, daysAgo: number, answers: number, model?: string): Conversation => ({
  cwd,
  title,
  startedAt: Date.now() - daysAgo * DAY_MS - 60_000,
  ...(model !== undefined && { model }),
  lines: (write) => Array.from({ length: answers }, (_, n) => write.say(`${title}, ${n}`)),
})

/** One with an answer at a time that is given with its offset. */
const talkAt = (title: string, time: string): Conversation => ({
  cwd: '/srv/night',
  title,
  startedAt: Date.parse(time),
  lines: (write) => [write.say(title)],
})

beforeAll(async () => {
  await browserOfTests()
  server = lab.addLode('l', PAGES)
  await server.up()
  await importConversations(server, folder, [
    talk('/srv/harbour', 'Dredge the channel', 0, 30),
    talk('/srv/harbour', 'Paint the buoys', 3, 10),
    talk('/srv/shop', 'Sort the parcels', 3, 5),
    talk('/srv/shop', 'Long ago', 400, 1),
    talk('/srv/shop', 'Ask the oracle', 0, 2, 'oracle-<b>1</b>'),
    talkAt('Before the change', '2025-03-29T23:30:00+01:00'),
    talkAt('After the change', '2025-03-30T23:30:00+02:00'),
    talkAt('The day after', '2025-03-31T00:30:00+02:00'),
    ...Array.from({ length: MANY }, (_, n) => talk('/srv/fleet', `Ship ${n}`, 20, 1)),
  ])
})
afterAll(() => lab.stop())

const withCosts = (path: string, work: (dashboard: Dashboard) => Promise<void>, options: DashboardOptions = {}) =>
  withDashboard({ server, path, ...options }, async (dashboard) => {
    await dashboard.page.getByRole('heading', { level: 1, name: 'Costs' }).waitFor()
    await work(dashboard)
  })

const rows = (page: Page) => page.getByTestId('cost-row')
const rowOf = (page: Page, text: string) => rows(page).filter({ hasText: text })
const chart = (page: Page) => page.getByRole('slider', { name: 'Costs by' })
const dayOf = (page: Page) => chart(page).getAttribute('aria-valuetext')

test('says what to do first where nothing is recorded', async () => {
  await withDashboard({ path: '/costs?since=all' }, async ({ page }) => {
    await page.getByText('lode import ~/.claude').waitFor()
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'costs/empty-light')
  })
})

test('sums by project, the dearest first, with the share of each and all tokens', async () => {
  await withCosts('/costs', async ({ page, client }) => {
    const { total, rows: told } = await client.costs({
      by: 'project',
      since: new Date(Date.now() - 29 * DAY_MS).toISOString(),
    })
    await rowOf(page, 'shop').waitFor()
    expect(await rows(page).count()).toBe(told.length)
    expect(await rows(page).getByRole('link').allTextContents()).toEqual(told.map(({ label }) => label))
    const shares = await rows(page).locator('[title="Share of total cost"]').allTextContents()
    const sum = shares.map((text) => Number.parseInt(text, 10)).reduce((a, b) => a + b, 0)
    expect(Math.abs(sum - 100)).toBeLessThanOrEqual(2)
    const head = await page.locator('main header').first().textContent()
    expect(head).toContain(`${shortCount(total.usage.inputTokens)} in`)
    expect(head).toContain(`${total.messages} messages`)
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'costs/typical-light')
  })
})

test('a project leads to its days, a day to its sessions, a session to its page', async () => {
  await withCosts('/costs', async ({ page }) => {
    await rowOf(page, 'harbour').getByRole('link').click()
    await page.waitForURL(/by=day.*project=project/)
    await chart(page).waitFor()
    await page.getByRole('button', { name: 'Remove filter: project harbour' }).waitFor()
    await holds(page, `document.querySelectorAll('[data-testid="cost-row"]').length === 2`)
    await rows(page).last().getByRole('link').click()
    await page.waitForURL(/by=session/)
    await rowOf(page, 'Paint the buoys').getByRole('link').click()
    await page.waitForURL('**/sessions/*')
    await page.goBack()
    await rowOf(page, 'Paint the buoys').waitFor()
    await page.getByRole('button', { name: 'Remove filter: project harbour' }).click()
    await rowOf(page, 'Sort the parcels').waitFor()
  })
})

test('days are told by keys and by the pointer; a part of them narrows the rows to its sessions', async () => {
  await withCosts('/costs?by=day&since=7d', async ({ page, problems }) => {
    problems.allow(/^gave a file: costs\.csv$/)
    await chart(page).waitFor()
    expect(await chart(page).getAttribute('aria-valuemax')).toBe('7')
    await page.getByRole('list', { name: 'Legend' }).getByText('oracle').waitFor()
    await chart(page).focus()
    await page.keyboard.press('ArrowLeft')
    expect(await dayOf(page)).toContain('no costs')
    await page.keyboard.press('Home')
    expect(await chart(page).getAttribute('aria-valuenow')).toBe('1')
    const box = await chart(page).locator('svg').boundingBox()
    if (box === null) throw new Error('the chart is not seen')
    await page.mouse.move(box.x + (6.5 / 7) * box.width, box.y + 50)
    await holds(page, `document.querySelector('[role=slider]').getAttribute('aria-valuenow') === '7'`)
    await shot(page, 'costs/chart-light')

    // The days before the last one, by keys.
    await page.keyboard.press('ArrowLeft')
    for (let n = 0; n < 4; n++) await page.keyboard.press('Shift+ArrowLeft')
    expect(await dayOf(page)).toContain('–')
    await page.keyboard.press('Enter')
    await page.waitForURL(/by=session.*from=.*to=/)
    await rowOf(page, 'Sort the parcels').waitFor()
    expect(await rowOf(page, 'Dredge the channel').count()).toBe(0)
    expect(await chart(page).getAttribute('aria-valuemax')).toBe('7')
    await page.getByRole('button', { name: /Remove filter: part/ }).click()
    await rowOf(page, 'Dredge the channel').waitFor()

    // A part without costs leaves the chart, from which another is chosen.
    await chart(page).focus()
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await page.getByText('This part has no costs.').waitFor()
    await page.getByRole('button', { name: /Remove filter: part/ }).click()
    await rowOf(page, 'Dredge the channel').waitFor()

    // The last day, by the pointer.
    await page.mouse.move(box.x + (6.5 / 7) * box.width, box.y + 50)
    await page.mouse.down()
    await page.mouse.up()
    await page.waitForURL(/from=/)
    await rowOf(page, 'Sort the parcels').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'hour' }).click()
    await page.waitForURL(/step=hour/)
    await page.getByRole('group', { name: 'Split by' }).getByRole('button', { name: 'project' }).click()
    await page.getByRole('list', { name: 'Legend' }).getByRole('link', { name: 'harbour' }).waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV' }).click()
    expect(await Bun.file(await (await saved).path()).text()).toMatch(/^begin,of,usd,tokens\r\n.*harbour/s)
    expect(await axeCheck(page)).toEqual([])
  })
})

test('the time it is of stands in the address, days of the own zone included', async () => {
  await withCosts('/costs?by=session', async ({ page }) => {
    await page.getByRole('button', { name: '24 h' }).click()
    await page.waitForURL(/since=24h/)
    await rowOf(page, 'Dredge the channel').waitFor()
    await rowOf(page, 'Paint the buoys').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'all', exact: true }).click()
    await page.waitForURL(/since=all/)
    await page.getByRole('button', { name: 'custom' }).click()
    await page.getByLabel('First day').fill(localDay(4))
    await page.getByLabel('Last day').fill(localDay(2))
    await page.waitForURL(new RegExp(`since=${localDay(4)}&until=${localDay(2)}`))
    await rowOf(page, 'Paint the buoys').waitFor()
    await rowOf(page, 'Dredge the channel').waitFor({ state: 'detached' })
    await page.reload()
    await rowOf(page, 'Sort the parcels').waitFor()
    expect(await rows(page).count()).toBe(2)
  })
})

test('days are those of the own clock, also the one on which it was put forward', async () => {
  const path = '/costs?by=day&since=2025-03-29&until=2025-03-31'
  await withCosts(
    path,
    async ({ page }) => {
      await rowOf(page, '29 Mar 2025').waitFor()
      await holds(page, `document.querySelectorAll('[data-testid="cost-row"]').length === 3`)
      expect(await chart(page).getAttribute('aria-valuemax')).toBe('3')
      await rowOf(page, '30 Mar 2025').getByRole('link').click()
      await page.waitForURL(/since=2025-03-30&until=2025-03-30/)
      await page.getByRole('button', { name: 'session', exact: true }).click()
      await rowOf(page, 'After the change').waitFor()
      await holds(page, `document.querySelectorAll('[data-testid="cost-row"]').length === 1`)
    },
    { timeZone: 'Europe/Berlin' },
  )
  await withCosts(path, async ({ page }) => {
    await rowOf(page, '29 Mar 2025').waitFor()
    await holds(page, `document.querySelectorAll('[data-testid="cost-row"]').length === 2`)
  })
})

/** As the browser of this machine has it. */
function localDay(daysAgo: number): string {
  const at = new Date(Date.now() - daysAgo * DAY_MS - 60_000)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
}

test('a model without a price is named, its tokens are counted, and its name is only text', async () => {
  await withCosts('/costs?by=model', async ({ page }) => {
    await page.getByText('No price is known for oracle-<b>1</b>').waitFor()
    expect(await rowOf(page, 'oracle-<b>1</b>').textContent()).toContain('no price')
    expect(await rowOf(page, 'oracle').textContent()).toContain('240')
    await rowOf(page, 'oracle').getByRole('link').click()
    await page.waitForURL(/by=day.*model=oracle/)
    await page.getByRole('button', { name: /Remove filter: model oracle/ }).waitFor()
    await page.getByRole('list', { name: 'Legend' }).getByText('240 tokens').waitFor()
  })
})

test('keys go over hundreds of rows and open one', async () => {
  await withCosts('/costs?by=session', async ({ page }) => {
    await rows(page).first().waitFor()
    expect(await rows(page).count()).toBeLessThan(MANY)
    await page.keyboard.press('End')
    await holds(page, `document.activeElement?.getAttribute('aria-rowindex') === '${MANY + 4 + 1}'`)
    await page.keyboard.press('k')
    await holds(page, `document.activeElement?.getAttribute('aria-rowindex') === '${MANY + 4}'`)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/sessions/*')
  })
})

test('is readable narrow and dark', async () => {
  await withCosts(
    '/costs?by=day&since=30d',
    async ({ page }) => {
      await chart(page).waitFor()
      expect(await axeCheck(page)).toEqual([])
      expect(await scrollsSideways(page)).toBe(false)
      await shot(page, 'costs/days-phone-dark')
      await page.getByRole('search').getByRole('button', { name: 'sub-agent' }).click()
      await rowOf(page, 'main thread').waitFor()
      expect(await scrollsSideways(page)).toBe(false)
    },
    { size: 'phone', scheme: 'dark' },
  )
})

test('is split by person, and what is for nobody by name is told as that', async () => {
  await withCosts('/costs?since=30d', async ({ page }) => {
    const split = page.getByRole('group', { name: 'Split by' })
    await split.getByRole('button', { name: 'person', exact: true }).click()
    await page.getByRole('list', { name: 'Legend' }).getByText('nobody by name').waitFor()
    expect(new URL(page.url()).searchParams.get('stack')).toBe('person')
    for (const width of [390, 768, 1280, 1920]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await scrollsSideways(page)).toBe(false)
      await shot(page, `costs/person-${width}`)
    }
    expect(await axeCheck(page)).toEqual([])
  })
})
