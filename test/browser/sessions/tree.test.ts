/** The tree of all work: opened, filtered and walked by keys, at an address that shows the same again. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { SessionId } from '../../../src/domain/ids'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { until } from '../../lab/until'
import { browserOfTests, PAGES, withDashboard } from '../page/page'
import { axeCheck } from '../page/page-axe'
import { importConversations } from '../page/page-transcripts'
import { scrollsSideways } from '../page/page-wait'
import type { TranscriptLines } from '../world/world-lines'

/** More than one page of a level. */
const MANY = 130

const lab = new Lab()
const folder = lab.root
let server: Lode
let newest: SessionId

beforeAll(async () => {
  await browserOfTests()
  server = lab.addLode('l', PAGES)
  await server.up()
  const hour = 3_600_000
  const ids = await importConversations(server, folder, [
    {
      cwd: '/srv/harbour',
      title: 'Mend the hawser',
      startedAt: Date.now() - hour,
      lines: (write) => [write.prompt('Splice it.'), ...write.call('Bash', { command: 'measure' }, '40 m')],
    },
    ...Array.from({ length: MANY }, (_, n) => ({
      cwd: '/srv/lighthouse',
      title: `Lamp ${n}`,
      startedAt: Date.now() - (n + 10) * hour,
      lines: (write: TranscriptLines) => [write.say(`Lamp ${n} is lit.`)],
    })),
  ])
  const [first] = ids
  if (first === undefined) throw new Error('nothing was imported')
  newest = first
  await server.client.tasks.create({ task: 'Paint the quay', dir: '/srv/harbour', status: 'backlog' })
})
afterAll(() => lab.stop())

const row = (page: Page, name: string | RegExp) => page.getByRole('treeitem', { name })
const current = (page: Page) => page.locator('[data-testid=tree-row][data-current=true]')

test('opens the newest project, and says of each entry where it stands', async () => {
  await withDashboard({ server, path: '/tree' }, async ({ page }) => {
    const session = row(page, /Mend the hawser/)
    await session.waitFor()
    expect(await row(page, /project harbour/).getAttribute('aria-expanded')).toBe('true')
    expect(await row(page, /project lighthouse/).getAttribute('aria-expanded')).toBe('false')
    expect(await session.getAttribute('aria-level')).toBe('2')
    expect(await session.getAttribute('aria-posinset')).toBe('2')
    expect(await session.getAttribute('aria-setsize')).toBe('2')
    await session.click()
    await page.waitForURL((url) => url.pathname === `/sessions/${newest}`)
    await page.goBack()
    await row(page, /Mend the hawser/).waitFor()
  })
})

test('is walked by keys, and its address shows the same again', async () => {
  await withDashboard({ server, path: '/tree' }, async ({ page }) => {
    await row(page, /Mend the hawser/).waitFor()
    await page.keyboard.press('h')
    await row(page, /Mend the hawser/).waitFor({ state: 'detached' })
    await page.keyboard.press('j')
    expect(await current(page).textContent()).toContain('lighthouse')
    expect(await current(page).evaluate((element) => element.matches(':focus'))).toBe(true)
    await page.keyboard.press('l')
    await row(page, /Lamp 0\b/).waitFor()
    await page.keyboard.press('l')
    expect(await current(page).getAttribute('aria-level')).toBe('2')
    await page.keyboard.press('h')
    expect(await current(page).textContent()).toContain('lighthouse')
    const url = page.url()
    await page.reload()
    await row(page, /Lamp 0\b/).waitFor()
    expect(page.url()).toBe(url)
    expect(await row(page, /project harbour/).getAttribute('aria-expanded')).toBe('false')
  })
})

test('reads a long level on as its end comes into view', async () => {
  await withDashboard({ server, path: '/tree' }, async ({ page }) => {
    await row(page, /project lighthouse/).focus()
    await page.keyboard.press('l')
    await row(page, /Lamp 0\b/).waitFor()
    const last = row(page, new RegExp(`Lamp ${MANY - 1}\\b`))
    // The first end is that of the first page; in view it brings the next.
    await until('the last session', async () => {
      await page.keyboard.press('End')
      return last.isVisible()
    })
    expect(await page.getByTestId('tree-row').count()).toBeLessThan(MANY)
  })
})

test('shows what fits a filter with what stands above it', async () => {
  await withDashboard({ server, path: '/tree?q=hawser' }, async ({ page }) => {
    await row(page, /Mend the hawser/).waitFor()
    expect(await page.getByTestId('tree-row').count()).toBe(2)
    await page.getByRole('searchbox', { name: 'Filter by title' }).fill('nothing of the kind')
    await page.getByText('Nothing matches these filters.').waitFor()
    expect(new URL(page.url()).searchParams.get('q')).toBe('nothing of the kind')
  })
})

test('opens the way to an entry that an address names', async () => {
  await withDashboard({ server, path: `/tree?at=session:${newest}` }, async ({ page }) => {
    await current(page).filter({ hasText: 'Mend the hawser' }).waitFor()
    await page.waitForURL((url) => !url.searchParams.has('at'))
  })
})

for (const size of ['wide', 'phone'] as const)
  test(`can be used by everybody (${size})`, async () => {
    await withDashboard({ server, path: '/tree', size }, async ({ page }) => {
      await row(page, /Mend the hawser/).waitFor()
      expect(await axeCheck(page)).toEqual([])
      expect(await scrollsSideways(page)).toBe(false)
    })
  })
