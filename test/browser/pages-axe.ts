/** Every page by the rules of WCAG 2.2 A and AA: light and dark, wide and on a phone, with much to show and with nothing. */
import { expect, test } from 'bun:test'
import { type Dashboard, shot, withDashboard } from './page'
import { axeCheck, axeInBoth } from './page-axe'
import { gone } from './page-wait'
import type { Everything, World } from './world'

/** Where to go and what stands there once the page is whole. */
type Stop = readonly [path: string, shows: string]

const stopsOf = (parts: Everything): readonly Stop[] => [
  ['/', '[data-testid=need-row]'],
  [`/?request=${parts.mail.request}`, '[data-testid=inbox-request]'],
  ['/tree', '[role=treeitem][aria-level="2"]'],
  ['/sessions', '[data-testid=listed-session]'],
  [`/sessions/${parts.sessions.charted}`, '[data-testid=session-row]'],
  [`/sessions/${parts.sessions.mended}`, '[data-testid=session-row]'],
  [`/sessions/${parts.sessions.unread}?view=timeline`, '[data-testid=session-timeline]'],
  [`/sessions/${parts.sessions.charted}?view=beside`, 'h1'],
  ['/tasks', '[data-testid=task-row]'],
  [`/tasks/${parts.tasks.parent}`, '[data-testid=task-page]'],
  ['/issues', '[data-testid=issue-row]'],
  ['/issues?view=board', '[data-testid=issue-board]'],
  ['/issues?view=graph', '[data-testid=issue-graph]'],
  [`/issues/${parts.issues.ready}`, '[data-testid=issue-page]'],
  ['/search?q=harbour', '[data-testid=search-hit], [data-testid=session-hit]'],
  ['/costs', '[data-testid=cost-row]'],
  ['/fleet', '[data-testid=fleet-page]'],
  ['/audit', '[data-testid=audit-row]'],
  ['/doctor', '[data-testid=doctor-page]'],
]

const EMPTY: readonly Stop[] = [
  ['/', 'text=Nothing needs you.'],
  ['/tree', 'text=Nothing is recorded yet.'],
  ['/sessions', 'text=Nothing is recorded yet.'],
  ['/tasks', 'h1'],
  ['/issues', 'h1'],
  ['/issues?view=graph', 'h1'],
  ['/search', 'h1'],
  ['/costs', 'h1'],
  ['/fleet', '[data-testid=fleet-page]'],
  ['/doctor', '[data-testid=doctor-page]'],
  ['/nowhere', 'text=This page does not exist.'],
]

/** What scrolls far and has no ground of its own: it would be drawn anew at each step. */
const GROUNDLESS = `[...document.querySelectorAll('main *')].filter((one) => {
  const { overflowY, backgroundColor } = getComputedStyle(one)
  return overflowY === 'auto' && one.scrollHeight > 2 * one.clientHeight && one.clientHeight > 300 && backgroundColor === 'rgba(0, 0, 0, 0)'
}).map((one) => one.className)`

/** What is wrong on the pages in light and in dark, each with where; none is what it should be. */
async function look({ page, server }: Dashboard, stops: readonly Stop[], name: string): Promise<string[]> {
  const wrong: string[] = []
  for (const [path, shows] of stops) {
    await page.goto(server.url + path)
    await page.locator(shows).first().waitFor()
    await gone(page.getByText(/^(Reading|Checking|Finding|Calculating|Searching|Loading|Drawing) .* …$/))
    const place = path.replace(/[^a-z=]+/gi, '-').slice(0, 40)
    const found = await axeInBoth(page, {}, (scheme) => shot(page, `axe/${name}-${scheme}${place}`))
    wrong.push(...found.map((violation) => `${path} ${violation}`))
    for (const scroller of await page.evaluate<string[]>(GROUNDLESS))
      wrong.push(`${path}: scrolls without a ground: ${scroller}`)
    const tooWide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
    if (tooWide > 0) wrong.push(`${path}: wider than the screen by ${tooWide}`)
  }
  return wrong
}

/** Rows of a height that the list decides, whose words do not fit into it. */
const CUT_ROWS = `[...document.querySelectorAll('[data-testid=issue-row]')]
  .filter((one) => one.scrollHeight > one.clientHeight + 1)
  .map((one) => one.textContent)`

/** What is current or chosen on the page and has no outline that says so. */
const UNMARKED = `[...document.querySelectorAll('[aria-current]:not([aria-current=false]), [aria-selected=true], [aria-pressed=true]')]
  .filter((one) => one.checkVisibility() && getComputedStyle(one).outlineStyle === 'none')
  .map((one) => one.outerHTML.slice(0, 100))`

export function axeTests(world: () => World, parts: () => Everything): void {
  const full = () => stopsOf(parts())

  for (const size of ['wide', 'phone'] as const) {
    test(`with much to show, ${size}`, async () => {
      await withDashboard({ server: world().server, size }, async (dashboard) => {
        expect(await look(dashboard, full(), size)).toEqual([])
      })
    })

    test(`with nothing to show, ${size}`, async () => {
      await withDashboard({ size }, async (dashboard) => {
        expect(await look(dashboard, EMPTY, `empty-${size}`)).toEqual([])
      })
    })
  }

  test('letters twice as large, as the person told the browser, where 20 of them fill the screen', async () => {
    await withDashboard({ server: world().server }, async ({ page, server }) => {
      await page.setViewportSize({ width: 640, height: 800 })
      const devtools = await page.context().newCDPSession(page)
      await devtools.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } })
      for (const [path, shows] of full()) {
        await page.goto(server.url + path)
        await page.locator(shows).first().waitFor()
        await gone(page.getByText(/^(Reading|Checking|Finding|Calculating|Searching|Loading|Drawing) .* …$/))
        await shot(page, `axe/letters${path.replace(/[^a-z=]+/gi, '-').slice(0, 40)}`)
        const measured = await page.evaluate<unknown[]>(
          `[getComputedStyle(document.body).fontSize, document.documentElement.scrollWidth <= innerWidth, ${CUT_ROWS}]`,
        )
        expect([path, ...measured]).toEqual([path, '26px', true, []])
      }
    })
  })

  test('what is chosen is seen where the system’s colours replace ours', async () => {
    await withDashboard({ server: world().server }, async ({ page, server }) => {
      await page.emulateMedia({ forcedColors: 'active' })
      for (const [path, shows] of full()) {
        await page.goto(server.url + path)
        await page.locator(shows).first().waitFor()
        expect([path, await page.evaluate(UNMARKED)]).toEqual([path, []])
      }
    })
  })

  test('dialogs: the keys, the command bar, a new task', async () => {
    for (const [size, scheme] of [
      ['wide', 'light'],
      ['phone', 'dark'],
    ] as const)
      await withDashboard({ server: world().server, path: '/tasks', size, scheme }, async ({ page }) => {
        await page.getByTestId('task-row').first().waitFor()
        for (const [key, name] of [
          ['?', 'Keyboard shortcuts'],
          ['/', 'Command bar'],
          ['n', 'New task'],
        ] as const) {
          await page.keyboard.press(key)
          await page.getByRole('dialog', { name }).waitFor()
          expect([name, ...(await axeCheck(page))]).toEqual([name])
          await page.keyboard.press('Escape')
          await page.getByRole('dialog').waitFor({ state: 'detached' })
        }
      })
  })

  test('the way in', async () => {
    await withDashboard(
      { server: world().server, isLoggedIn: false, scheme: 'dark' },
      async ({ page, server, problems }) => {
        problems.allow(/\/api\/me 401$/, / 401 .*\/api\/me$/)
        await page.goto(server.url)
        await page.getByLabel('Code').waitFor()
        expect(await axeCheck(page)).toEqual([])
      },
    )
  })
}
