/** Every page on every screen, with names that no line holds: one load of each, and the window takes every width. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { browserOfTests, emptyServer, shot, withDashboard } from '../page/page'
import { type LongNames, makeLongNames } from './long-names-world'
import { LAYOUT_FAULTS } from './pages-layout'
import { eachStop, nameOf, type Stop } from './pages-stops'

/** From a phone to a large screen. Those of half the height are screens of 1,280 and 1,920 px at 200 %: half of each side is left. */
const SCREENS = [
  [390, 844],
  [480, 800],
  [640, 800],
  [640, 400],
  [768, 1024],
  [860, 800],
  [960, 800],
  [960, 540],
  [1024, 768],
  [1280, 800],
  [1920, 1080],
] as const

const lab = new Lab()
let server: Lode
let names: LongNames

beforeAll(async () => {
  await browserOfTests()
  server = await emptyServer(lab)
  names = await makeLongNames(server, lab)
})
afterAll(() => lab.stop())

/** Places of each route. A route that the router has and this does not fails the first test. */
const stopsByRoute = ({
  sessions: [one, other],
  asking,
  failed,
  issue,
  request,
}: LongNames): Record<string, Stop[]> => ({
  '/': [
    ['/', '[data-testid=need-row]'],
    [`/?request=${request}`, '[data-testid=inbox-request]'],
    ['/?list=finished', 'h1'],
  ],
  '/tree': [['/tree', '[data-testid=tree-row]']],
  '/sessions': [['/sessions', '[data-testid=listed-session]']],
  '/sessions/$id': [
    [`/sessions/${one}`, '[data-testid=session-row]'],
    [`/sessions/${one}?view=changes`, 'h1'],
    [`/sessions/${one}?view=timeline`, '[data-testid=session-timeline]'],
    [`/sessions/${one}?view=beside`, 'h1'],
  ],
  // The newest conversation began an hour ago, which just after midnight was another day.
  '/day': [[`/day?day=${new Date(Date.now() - 3_600_000).toISOString().slice(0, 10)}`, '[data-testid=day-session]']],
  '/compare': [
    [`/compare?a=${one}&b=${other}`, '[data-testid=comparison]'],
    [`/compare?a=${one}`, 'h1'],
  ],
  '/tasks': [['/tasks', '[data-testid=task-row]']],
  '/tasks/$id': [
    [`/tasks/${asking}`, '[data-testid=task-page]'],
    [`/tasks/${failed}`, '[data-testid=task-page]'],
  ],
  '/issues': [
    ['/issues', '[data-testid=issue-row]'],
    ['/issues?view=board', '[data-testid=issue-board]'],
    ['/issues?view=graph', '[data-testid=issue-graph]'],
  ],
  '/issues/$id': [[`/issues/${issue}`, '[data-testid=issue-page]']],
  '/search': [
    ['/search?q=harbour', '[data-testid=search-hit], [data-testid=session-hit]'],
    ['/search', 'h1'],
  ],
  '/costs': [
    ['/costs', '[data-testid=cost-row]'],
    ['/costs?by=session', '[data-testid=cost-row]'],
  ],
  '/fleet': [['/fleet', '[data-testid=fleet-page]']],
  '/audit': [['/audit', '[data-testid=audit-row]']],
  '/doctor': [['/doctor', '[data-testid=doctor-page]']],
})

test('every route of the router is looked at', () => {
  const router = readFileSync(join(import.meta.dir, '../../../web/src/router.tsx'), 'utf8')
  const routes = [...router.matchAll(/path: '([^']+)'/g)].map(([, path]) => path)
  expect(routes.length).toBeGreaterThan(10)
  expect(Object.keys(stopsByRoute(names)).sort()).toEqual(routes.sort() as string[])
})

/** What is wrong with a page on all screens, each fault with where it was seen. */
async function faultsOf(page: Page, path: string): Promise<string[]> {
  const seen = new Map<string, string[]>()
  for (const [width, height] of SCREENS) {
    await page.setViewportSize({ width, height })
    await standsStill(page)
    await shot(page, `long-names/${nameOf(path)}-${width}x${height}`)
    for (const fault of await page.evaluate<string[]>(LAYOUT_FAULTS))
      seen.set(fault, [...(seen.get(fault) ?? []), `${width}x${height}`])
  }
  return [...seen].map(([fault, screens]) => `${path}: ${fault} (${screens.join(', ')})`)
}

/** Lists that measure their rows are right a few frames behind a new width. */
const standsStill = (page: Page): Promise<void> =>
  page.evaluate(`(async () => {
    for (let frame = 0, same = 0, was = ''; same < 2 && frame < 30; frame++) {
      await new Promise(requestAnimationFrame)
      const now = [...document.querySelectorAll('main *')].map((one) => one.offsetTop + ' ' + one.offsetHeight).join()
      same = now === was ? same + 1 : 0
      was = now
    }
  })()`)

test('no page scrolls sideways, cuts words without a sign, covers a control, or has a scrollbar in another one', async () => {
  const wrong: string[] = []
  await withDashboard({ server }, ({ page }) =>
    eachStop(page, Object.values(stopsByRoute(names)).flat(), async (path) =>
      wrong.push(...(await faultsOf(page, path))),
    ),
  )
  expect(wrong).toEqual([])
})
