/** A page on screens of every width, with the fonts of other systems: nothing is squeezed, cut to nothing, or too small to hit. */
import type { Page } from 'playwright-core'
import { FONTS, type Fonts } from '../page/fonts'
import { shot } from '../page/page'
import { axeCheck } from '../page/page-axe'
import { nameOf } from './pages-stops'

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

/** Puts a family in the place of the system's letters; resolves when all stands where it belongs. */
const inLetters = (family: string): string => `(async () => {
  document.documentElement.style.setProperty('--font-sans', ${JSON.stringify(JSON.stringify(family))})
  for (let frame = 0; frame < 2; frame++) await new Promise(requestAnimationFrame)
})()`

/** Puts the system's letters back. */
const IN_ITS_OWN = `document.documentElement.style.removeProperty('--font-sans')`

/** Where sizes of controls are measured: narrow letters make the smallest ones, and wide ones break lines on a phone. */
const isHit = (width: number, fonts: Fonts): boolean => width === 390 || (width === 900 && fonts === 'narrow')

/**
 * Where letters are looked at. Wide ones are the first that do not fit; narrow and tall ones are looked at on a phone, on the largest screen,
 * and where pages change their layout.
 */
const isLooked = (width: number, fonts: Fonts): boolean =>
  fonts === 'usual' || fonts === 'wide' || [390, 900, 1280].includes(width)

/** Looks at the page that is open at every width. @returns what is wrong in each of them; leaves the page 1280 px wide */
export async function atEveryWidth(page: Page, path: string): Promise<Record<Fonts, string[]>> {
  const wrong: Record<Fonts, string[]> = { usual: [], narrow: [], wide: [], tall: [] }
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 800 })
    for (const fonts of Object.keys(FONTS) as Fonts[]) {
      if (!isLooked(width, fonts)) continue
      await page.evaluate(inLetters(FONTS[fonts].family))
      await shot(page, `layout/${fonts}/${width}${nameOf(path)}`)
      const found = await page.evaluate<string[]>(UNREADABLE)
      if (isHit(width, fonts)) found.push(...(await axeCheck(page, { only: ['target-size'] })))
      wrong[fonts].push(...found.map((words) => `${path} at ${width}: ${words}`))
    }
  }
  await page.evaluate(IN_ITS_OWN)
  await page.setViewportSize({ width: 1280, height: 800 })
  return wrong
}
