/**
 * Every page by the rules of WCAG 2.2 A and AA: light and dark, wide and on a phone, with much to show and with nothing. And every page at
 * every width, in the letters of other systems. To bring a page up costs more than most looks at it, so one way through all pages does all.
 */
import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { Lab } from '../../lab/lab'
import { FONTS, type Fonts } from '../page/fonts'
import { emptyServer, shot, withDashboard } from '../page/page'
import { axeCheck, axeInBoth } from '../page/page-axe'
import type { Everything, World } from '../world/world'
import { EMPTY_STOPS, eachStop, nameOf, stopsOf } from './pages-stops'
import { atEveryWidth } from './pages-widths'

/** What is wrong on all pages, by what was looked for; none is what it should be. */
interface Wrong {
  rules: string[]
  chosen: string[]
  letters: string[]
  widths: Record<Fonts, string[]>
}

/** What scrolls far and has no ground of its own: it would be drawn anew at each step. */
const GROUNDLESS = `[...document.querySelectorAll('main *')].filter((one) => {
  const { overflowY, backgroundColor } = getComputedStyle(one)
  return overflowY === 'auto' && one.scrollHeight > 2 * one.clientHeight && one.clientHeight > 300 && backgroundColor === 'rgba(0, 0, 0, 0)'
}).map((one) => one.className)`

/** Rows of a height that the list decides, whose words do not fit into it. */
const CUT_ROWS = `[...document.querySelectorAll('[data-testid=issue-row]')]
  .filter((one) => one.scrollHeight > one.clientHeight + 1)
  .map((one) => one.textContent)`

/** What is current or chosen on the page and has no outline that says so. */
const UNMARKED = `[...document.querySelectorAll('[aria-current]:not([aria-current=false]), [aria-selected=true], [aria-pressed=true]')]
  .filter((one) => one.checkVisibility() && getComputedStyle(one).outlineStyle === 'none')
  .map((one) => one.outerHTML.slice(0, 100))`

/** By the rules, in light and in dark. */
async function rulesBroken(page: Page, path: string, name: string): Promise<string[]> {
  const broken = await axeInBoth(page, {}, (scheme) => shot(page, `axe/${name}-${scheme}${nameOf(path)}`))
  const scrollers = await page.evaluate<string[]>(GROUNDLESS)
  const tooWide = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
  return [
    ...broken,
    ...scrollers.map((scroller) => `scrolls without a ground: ${scroller}`),
    ...(tooWide > 0 ? [`wider than the screen by ${tooWide}`] : []),
  ].map((words) => `${path} ${words}`)
}

/** Where the system's colours replace ours. */
async function unmarked(page: Page, path: string): Promise<string[]> {
  await page.emulateMedia({ forcedColors: 'active' })
  const found = await page.evaluate<string[]>(UNMARKED)
  await page.emulateMedia({ forcedColors: 'none' })
  return found.map((words) => `${path} ${words}`)
}

/** Letters twice as large, as the person told the browser before the page came, where 20 of them fill the screen. */
async function withLargeLetters(page: Page): Promise<void> {
  await page.setViewportSize({ width: 640, height: 800 })
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Page.setFontSizes', { fontSizes: { standard: 32, fixed: 26 } })
  await page.reload()
}

async function brokenByLetters(page: Page, path: string): Promise<string[]> {
  await shot(page, `axe/letters${nameOf(path)}`)
  const [size, fits, cut] = await page.evaluate<[string, boolean, string[]]>(
    `[getComputedStyle(document.body).fontSize, document.documentElement.scrollWidth <= innerWidth, ${CUT_ROWS}]`,
  )
  return [
    ...(size === '26px' ? [] : [`letters of ${size}`]),
    ...(fits ? [] : ['wider than the screen']),
    ...cut.map((words) => `cut: ${words}`),
  ].map((words) => `${path} ${words}`)
}

async function lookAtAll(world: World, parts: Everything): Promise<Wrong> {
  const wrong: Wrong = { rules: [], chosen: [], letters: [], widths: { usual: [], narrow: [], wide: [], tall: [] } }
  await withDashboard({ server: world.server }, async ({ page }) => {
    await eachStop(page, stopsOf(parts), async (path) => {
      wrong.rules.push(...(await rulesBroken(page, path, 'wide')))
      wrong.chosen.push(...(await unmarked(page, path)))
      const widths = await atEveryWidth(page, path)
      for (const fonts of Object.keys(FONTS) as Fonts[]) wrong.widths[fonts].push(...widths[fonts])
    })
    await withLargeLetters(page)
    await eachStop(page, stopsOf(parts), async (path) => wrong.letters.push(...(await brokenByLetters(page, path))))
  })
  return wrong
}

export function lookTests(world: () => World, parts: () => Everything): void {
  let looked: Promise<Wrong> | undefined
  const wrong = (): Promise<Wrong> => {
    looked ??= lookAtAll(world(), parts())
    return looked
  }

  test('with much to show, wide, no page breaks a rule', async () => {
    expect((await wrong()).rules).toEqual([])
  })

  test('what is chosen is seen where the system’s colours replace ours', async () => {
    expect((await wrong()).chosen).toEqual([])
  })

  test('letters twice as large, as the person told the browser, where 20 of them fill the screen', async () => {
    expect((await wrong()).letters).toEqual([])
  })

  for (const fonts of Object.keys(FONTS) as Fonts[])
    test(`every page can be read at every width, and every control can be hit: ${fonts} letters`, async () => {
      expect((await wrong()).widths[fonts]).toEqual([])
    })

  test('with much to show, on a phone, no page breaks a rule', async () => {
    const broken: string[] = []
    await withDashboard({ server: world().server, size: 'phone' }, ({ page }) =>
      eachStop(page, stopsOf(parts()), async (path) => broken.push(...(await rulesBroken(page, path, 'phone')))),
    )
    expect(broken).toEqual([])
  })

  test('with nothing to show, wide and on a phone, no page breaks a rule', async () => {
    await using lab = new Lab()
    const server = await emptyServer(lab)
    const broken: string[] = []
    for (const size of ['wide', 'phone'] as const)
      await withDashboard({ server, size }, ({ page }) =>
        eachStop(page, EMPTY_STOPS, async (path) => broken.push(...(await rulesBroken(page, path, `empty-${size}`)))),
      )
    expect(broken).toEqual([])
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
