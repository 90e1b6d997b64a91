/** The pages on screens of every width, with the fonts of other systems: nothing is squeezed, cut to nothing, or too small to hit. */
import { expect, test } from 'bun:test'
import { FONTS, type Fonts } from './fonts'
import { shot, withDashboard } from './page'
import { axeCheck } from './page-axe'
import { gone } from './page-wait'
import type { Everything, World } from './world'

/** Where to go and what stands there once the page is whole. */
const stopsOf = (parts: Everything): readonly (readonly [path: string, shows: string])[] => [
  ['/', '[data-testid=need-row]'],
  ['/tree', '[role=treeitem][aria-level="2"]'],
  ['/sessions', '[data-testid=listed-session]'],
  [`/sessions/${parts.sessions.charted}`, '[data-testid=session-row]'],
  [`/sessions/${parts.sessions.unread}?view=timeline`, '[data-testid=session-timeline]'],
  [`/sessions/${parts.sessions.charted}?view=beside`, 'h1'],
  ['/tasks', '[data-testid=task-row]'],
  [`/tasks/${parts.tasks.parent}`, '[data-testid=task-page]'],
  ['/issues', '[data-testid=issue-row]'],
  ['/issues?view=board', '[data-testid=issue-board]'],
  [`/issues/${parts.issues.ready}`, '[data-testid=issue-page]'],
  ['/search?q=harbour', '[data-testid=search-hit], [data-testid=session-hit]'],
  ['/costs', '[data-testid=cost-row]'],
  ['/fleet', '[data-testid=fleet-page]'],
  ['/audit', '[data-testid=audit-row]'],
  ['/doctor', '[data-testid=doctor-page]'],
]

/** From a phone to half of a large screen, and what lies between: a tablet upright, and a screen of 1,536 px at 200 %. */
const WIDTHS = [390, 640, 768, 900, 960, 1024, 1280]

/**
 * What no person could read: words that stand letter below letter, and words of which an ellipsis leaves next to nothing.
 *
 * A line of fewer than 4 letters counts as squeezed when the words have 12 and more; what is cut must keep 40 px.
 */
const UNREADABLE = `(() => {
  const wrong = []
  const walker = document.createTreeWalker(document.querySelector('#root'), NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const words = node.data.trim()
    const holder = node.parentElement
    if (words.length < 5 || !holder.checkVisibility({ visibilityProperty: true }) || holder.closest('.sr-only, svg, pre, code')) continue
    const range = document.createRange()
    range.selectNodeContents(node)
    const lines = new Set([...range.getClientRects()].map((rect) => Math.round(rect.top))).size
    if (words.length >= 12 && lines > 3 && words.length / lines < 4) wrong.push('squeezed: ' + words.slice(0, 60))
    const cut = [holder, holder.parentElement].find((one) => getComputedStyle(one).textOverflow === 'ellipsis')
    if (cut && cut.clientWidth < 40 && cut.scrollWidth > cut.clientWidth + 1) wrong.push('cut to ' + cut.clientWidth + ' px: ' + words.slice(0, 60))
  }
  const tooWide = document.documentElement.scrollWidth - innerWidth
  if (tooWide > 0) wrong.push('wider than the screen by ' + tooWide)
  return [...new Set(wrong)]
})()`

export function layoutTests(world: () => World, parts: () => Everything): void {
  for (const fonts of Object.keys(FONTS) as Fonts[])
    test(`every page can be read at every width, and every control can be hit: ${fonts} letters`, async () => {
      await withDashboard({ server: world().server, fonts }, async ({ page, server }) => {
        const wrong: string[] = []
        for (const [path, shows] of stopsOf(parts())) {
          await page.goto(server.url + path)
          await page.locator(shows).first().waitFor()
          await gone(page.getByText(/^(Reading|Checking|Finding|Calculating|Searching|Loading|Drawing) .* …$/))
          for (const width of WIDTHS) {
            await page.setViewportSize({ width, height: 800 })
            await shot(page, `layout/${fonts}/${width}${path.replace(/[^a-z=]+/gi, '-').slice(0, 40)}`)
            const found = await page.evaluate<string[]>(UNREADABLE)
            if (width === 390 || width === 900) found.push(...(await axeCheck(page, { only: ['target-size'] })))
            wrong.push(...found.map((words) => `${path} at ${width}: ${words}`))
          }
        }
        expect(wrong).toEqual([])
      })
    })
}
