/** A real page of a real server in a real browser, for a test to look at and to use. */
import { afterAll } from 'bun:test'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import type { Client } from '../../../src/api/client'
import { Lab } from '../../lab/lab'
import type { Lode, LodeOptions } from '../../lab/lode'
import { type Chromium, CONTEXT, launchChromium } from './chromium'
import { noteBusy } from './chromium-busy'
import { givePage, newPage, takePage } from './page-kept'
import { Problems } from './page-problems'
import { isSlow, slowDown } from './page-slow'

/** How the page is looked at. */
export interface View {
  /** `wide`: 1280 × 800; `tablet`: 800 × 1000; `phone`: 390 × 844, with touch. */
  size?: keyof typeof SIZES
  scheme?: 'light' | 'dark'
  /** Whether things may move; they don't by default, so that a picture is the same each time. */
  motion?: 'reduce' | 'no-preference'
  /** Where the person is. Default: UTC. */
  timeZone?: string
  /** Lets the page start its service worker. */
  hasWorker?: boolean
  /** In a browser that notifies, which one that never has a window does not. */
  isWhole?: boolean
  /** In a page that has none of the dashboard's files yet, not even of pages that other tests visited. */
  isNew?: boolean
}

export interface DashboardOptions extends View {
  /** A server at work, of a world; it is left running. Without one a server with an empty record is made, and ended. */
  server?: Lode
  /** Where to go. */
  path?: string
  /** False stays outside: `page` is blank. */
  isLoggedIn?: boolean
}

export interface Dashboard {
  page: Page
  context: BrowserContext
  server: Lode
  client: Client
  /** Lodeline's folder. */
  home: string
  /** What the page did that it should not; the test fails on any that it has not allowed. */
  problems: Problems
}

const SIZES = {
  wide: { viewport: { width: 1280, height: 800 } },
  tablet: { viewport: { width: 800, height: 1000 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
} satisfies Record<string, BrowserContextOptions>

/** A server whose page is open while it is away comes back where it was. No run is started, whatever is installed here. */
export const PAGES = { hasFixedPort: true, settings: { 'worker.enabled': false } } satisfies LodeOptions

export async function emptyServer(lab: Lab): Promise<Lode> {
  const server = lab.addLode('l', PAGES)
  await server.up()
  return server
}

/** Spares the engine of scripts what pays off only in a page that stays open for long, as `QUICK_START` does: a tenth of all work. */
const QUICK_SCRIPTS = '--js-flags=--max-opt=1'

const running = new Map<boolean, Promise<Chromium>>()

/** The browser of this test file, started when it is first asked for. A first start may have to install it. */
export function browserOfTests(isWhole = false): Promise<Chromium> {
  let browser = running.get(isWhole)
  if (browser === undefined) {
    browser = launchChromium({ isWhole }, { args: [QUICK_SCRIPTS] })
    running.set(isWhole, browser)
  }
  return browser
}

afterAll(async () => {
  const last = [...running.values()]
  running.clear()
  if (last.length > 0) noteBusy()
  for (const started of last) await (await started).browser.close()
})

/**
 * Opens the dashboard as a person does: asks the server for a code, gives it to the page, and waits until the page lets it in.
 *
 * Fails with the test, and for every problem of the page that the test has not allowed.
 */
export async function withDashboard(
  options: DashboardOptions,
  work: (dashboard: Dashboard) => Promise<void>,
): Promise<void> {
  const { browser } = await browserOfTests(options.isWhole)
  await using lab = new Lab()
  const server = options.server ?? (await emptyServer(lab))
  const { client, home } = server
  const problems = new Problems(server.url)
  const view: BrowserContextOptions = {
    ...CONTEXT,
    ...SIZES[options.size ?? 'wide'],
    colorScheme: options.scheme ?? 'light',
    reducedMotion: options.motion ?? 'reduce',
    ...(options.hasWorker === true && { serviceWorkers: 'allow' }),
    ...(options.timeZone !== undefined && { timezoneId: options.timeZone }),
  }
  const taken = await (options.isNew === true ? newPage(browser, view) : takePage(browser, view))
  const { context, page } = taken
  let hasFailed = true
  // A worker outlives its page, and a page that was made slow stays so.
  const isKept = options.hasWorker !== true && options.isWhole !== true && !isSlow()
  lab.ending('the page', () => (isKept && !hasFailed ? givePage(browser, view, taken, server.url) : context.close()))
  try {
    problems.watch(page)
    await slowDown(page)
    if (options.isLoggedIn !== false) {
      await logIn(page, server, options.path)
      // No script can see the cookie, so a page asks who it is; at the door that is refused.
      problems.forgive(
        /^refused: GET \S+\/api\/me 401$/,
        /^console error: Failed to load resource: .* 401 .*\/api\/me$/,
      )
    }
    await work({ page, context, server, client, home, problems })
    hasFailed = false
  } catch (error) {
    throw withProblems(error, problems)
  } finally {
    await lab.stop()
    if (!hasFailed) problems.check()
  }
}

/** Goes through the page that `lode open` opens. */
export async function logIn(page: Page, server: Lode, path = '/'): Promise<void> {
  const { code, path: entrance } = await server.client.login.code()
  await page.goto(`${server.url}${entrance}#${new URLSearchParams({ code, to: path })}`)
  await page.waitForURL((url) => url.pathname !== entrance)
  // The code leaves the address before it is exchanged: what stands around every page is there once it was.
  await page.locator('[data-live]').first().waitFor({ state: 'attached' })
}

/** A picture of the page in the folder that `LODELINE_SHOTS` names; none without one. `name` may hold folders. */
export async function shot(page: Page, name: string): Promise<void> {
  const folder = process.env.LODELINE_SHOTS
  if (folder === undefined || folder === '') return
  const path = join(folder, `${name}.png`)
  mkdirSync(join(path, '..'), { recursive: true })
  await page.screenshot({ path, animations: 'disabled', caret: 'hide' })
}

/** What went wrong in the page is more often the reason than what the test was waiting for. */
function withProblems(error: unknown, problems: Problems): unknown {
  const left = problems.list()
  if (left.length === 0 || !(error instanceof Error)) return error
  error.message = `${error.message}\nThe page:\n${left.map((line) => `  - ${line}`).join('\n')}`
  return error
}
