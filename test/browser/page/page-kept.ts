/**
 * Pages that the tests of a file take one after another. A page that loads the scripts which it had before takes half the work of a new
 * one: its process is there, and has them compiled.
 */
import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core'
import { PATIENCE_MS } from '../../lab/until'

export interface KeptPage {
  context: BrowserContext
  page: Page
  devtools: CDPSession
}

/** What a test may listen to. The library's own listeners stay. */
const PAGE_EVENTS = [
  'console',
  'dialog',
  'domcontentloaded',
  'download',
  'filechooser',
  'framenavigated',
  'load',
  'pageerror',
  'popup',
  'request',
  'requestfailed',
  'requestfinished',
  'response',
  'websocket',
  'worker',
]
const CONTEXT_EVENTS = ['console', 'dialog', 'page', 'request', 'requestfailed', 'requestfinished', 'response']

/** How long it may take to empty a page, in milliseconds. */
const EMPTY_MS = 10_000

/** Empties what a page keeps. @returns whether a test left no clock of its own */
const EMPTY = `(() => {
  localStorage.clear()
  sessionStorage.clear()
  return [setTimeout, Date.now].every((one) => String(one).includes('[native code]'))
})()`

const kept = new WeakMap<Browser, Map<string, KeptPage>>()
/** Those to which a test did what can't be taken back. */
const spoilt = new WeakSet<BrowserContext>()

/** A page that was given back, if there is one of this kind; else a new one. */
export async function takePage(browser: Browser, options: BrowserContextOptions): Promise<KeptPage> {
  const key = keyOf(options)
  const one = kept.get(browser)?.get(key)
  if (one === undefined) return newPage(browser, options)
  kept.get(browser)?.delete(key)
  const { viewport, colorScheme = null, reducedMotion = null } = options
  if (viewport) await one.page.setViewportSize(viewport)
  await one.page.emulateMedia({ media: null, forcedColors: null, contrast: null, colorScheme, reducedMotion })
  return one
}

export async function newPage(browser: Browser, options: BrowserContextOptions): Promise<KeptPage> {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  page.setDefaultTimeout(PATIENCE_MS)
  const devtools = await context.newCDPSession(page)
  for (const [owner, name] of [
    [page, 'addInitScript'],
    [context, 'addInitScript'],
    [context, 'newCDPSession'],
  ] as const) {
    const call = Reflect.get(owner, name) as (...args: unknown[]) => unknown
    Reflect.set(owner, name, (...args: unknown[]) => {
      spoilt.add(context)
      return call.apply(owner, args)
    })
  }
  return { context, page, devtools }
}

/** Empties a page for the next test of this kind. Closes it where it can't be emptied. */
export async function givePage(
  browser: Browser,
  options: BrowserContextOptions,
  one: KeptPage,
  origin: string,
): Promise<void> {
  const ofBrowser = kept.get(browser) ?? new Map<string, KeptPage>()
  kept.set(browser, ofBrowser)
  const key = keyOf(options)
  if (ofBrowser.has(key) || !(await isEmptied(one, origin).catch(() => false))) return one.context.close()
  ofBrowser.set(key, one)
}

/** What can be set in a page that is there makes no other kind of page. */
const keyOf = ({ viewport: _, colorScheme: __, reducedMotion: ___, ...others }: BrowserContextOptions): string =>
  JSON.stringify(others)

async function isEmptied({ context, page, devtools }: KeptPage, origin: string): Promise<boolean> {
  if (spoilt.has(context)) return false
  for (const type of PAGE_EVENTS) page.removeAllListeners(type)
  for (const type of CONTEXT_EVENTS) context.removeAllListeners(type)
  for (const other of context.pages()) if (other !== page) await other.close()
  await page.unrouteAll({ behavior: 'ignoreErrors' })
  await context.unrouteAll({ behavior: 'ignoreErrors' })
  page.setDefaultTimeout(PATIENCE_MS)
  // A document of the same origin without scripts: storage can be emptied there when the dashboard is gone, and the process stays, which
  // it would not for an empty page.
  await page.goto(`${origin}/icon.svg`, { timeout: EMPTY_MS })
  const isEmpty = await page.evaluate<boolean>(EMPTY)
  await context.clearCookies()
  await context.clearPermissions()
  // The next page has nothing under the pointer.
  await page.mouse.move(-1, -1)
  await devtools.send('Page.resetNavigationHistory')
  return isEmpty
}
