/** A browser has six connections for one server: however many tabs there are, and however many pages one tab remembers, each loads and is live. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { BrowserContext, Page, Request } from 'playwright-core'
import { PATIENCE_MS, until } from '../lab/until'
import { type Chromium, CONTEXT, launchChromium } from './page/chromium'
import { browserOfTests, type Dashboard, logIn, withDashboard } from './page/page'

/** As people start it: Playwright's own way of starting turns off that pages which were left are kept. */
let remembering: Chromium

beforeAll(async () => {
  await browserOfTests()
  remembering = await launchChromium({ isWhole: true }, { ignoreDefaultArgs: ['--disable-back-forward-cache'] })
})
afterAll(() => remembering?.browser.close())

const isLive = (page: Page) => page.locator('[data-live="live"]').first().waitFor()
const shows = (page: Page, title: string) => page.getByText(title).first().waitFor()
const isFeed = (request: Request) => /\/api\/feed\?/.test(request.url())

/** Which page of a context has a connection for the feed now. */
class Feeds {
  readonly open = new Map<Request, Page>()

  constructor(context: BrowserContext) {
    context.on('request', (request) => {
      if (isFeed(request)) this.open.set(request, request.frame().page())
    })
    const over = (request: Request) => void this.open.delete(request)
    context.on('requestfinished', over)
    context.on('requestfailed', over)
  }

  /** The page that has the only one. */
  leader(): Promise<Page> {
    return until('one connection for the feed', async () => {
      const pages = [...this.open.values()].filter((page) => !page.isClosed())
      return pages.length === 1 ? pages[0] : undefined
    })
  }
}

let tides = 0
/** Something changes on the server. @returns by what words it is seen in the list of tasks */
async function change({ client }: Pick<Dashboard, 'client'>): Promise<string> {
  const title = `Tide ${++tides} of ${crypto.randomUUID().slice(0, 8)}`
  await client.tasks.create({ task: title, status: 'backlog' })
  return title
}

/** More tabs of the same browser, all of which look at tasks. */
async function tabs({ context, server, problems }: Dashboard, count: number): Promise<Page[]> {
  const pages = await Promise.all(Array.from({ length: count }, () => context.newPage()))
  await Promise.all(
    pages.map(async (page) => {
      problems.watch(page)
      await page.goto(`${server.url}/tasks`)
      await isLive(page)
    }),
  )
  return pages
}

test('seven tabs that notify all load and are live over one connection, and stay so when the one that has it goes', async () => {
  await withDashboard({ path: '/tasks', isWhole: true }, async (dashboard) => {
    const { context, page: first, server, problems } = dashboard
    await context.grantPermissions(['notifications'], { origin: server.url })
    await first.evaluate(`localStorage.setItem('lodeline.notify', 'on')`)
    const feeds = new Feeds(context)
    await first.reload()
    await isLive(first)
    const all = [first, ...(await tabs(dashboard, 6))]
    const allShow = async (title: string) => {
      await Promise.all(all.map((page) => shows(page, title)))
    }
    await allShow(await change(dashboard))
    await feeds.leader()

    // A tab that is closed: what changes at that very moment is not missed.
    const leader = await feeds.leader()
    all.splice(all.indexOf(leader), 1)
    const [, ...titles] = await Promise.all([leader.close(), change(dashboard), change(dashboard), change(dashboard)])
    for (const title of titles) await allShow(title)
    await allShow(await change(dashboard))

    // One that crashes.
    problems.allow(/^the page crashed$/)
    const next = await feeds.leader()
    all.splice(all.indexOf(next), 1)
    const crashed = next.waitForEvent('crash')
    void next.goto('chrome://crash').catch(() => {})
    await crashed
    await allShow(await change(dashboard))

    // One that hangs, which the browser does not see.
    const hanging = [...feeds.open.values()].findLast((page) => all.includes(page))
    if (hanging === undefined) throw new Error('no tab leads')
    all.splice(all.indexOf(hanging), 1)
    const { promise: release, resolve: end } = Promise.withResolvers<void>()
    const devtools = await context.newCDPSession(hanging)
    await devtools.send('Debugger.enable')
    const paused = new Promise((resolve) => devtools.once('Debugger.paused', resolve))
    await devtools.send('Debugger.pause')
    void release.then(() => devtools.send('Debugger.resume'))
    await paused
    await allShow(await change(dashboard))
    end()
    await shows(hanging, await change(dashboard))
    for (const page of all) await page.close()
  })
})

test('a tab that comes back after a sleep hears what it missed from the others', async () => {
  await withDashboard({ path: '/tasks' }, async (dashboard) => {
    const { context } = dashboard
    const feeds = new Feeds(context)
    const [sleeper] = await tabs(dashboard, 1)
    if (sleeper === undefined) throw new Error('no tab')
    await sleeper.clock.install()
    await sleeper.reload()
    await isLive(sleeper)
    await look(sleeper, 'hidden')
    await sleeper.clock.fastForward(31_000)
    await sleeper.locator('[data-live="asleep"]').first().waitFor()
    const missed = await change(dashboard)
    await shows(dashboard.page, missed)
    expect(await sleeper.getByText(missed).count()).toBe(0)
    await look(sleeper, 'visible')
    await shows(sleeper, missed)
    await isLive(sleeper)
    expect([...feeds.open.values()].filter((page) => page === sleeper)).toEqual([])
    await sleeper.close()
  })
})

test('who logs out in one tab is out in all of them', async () => {
  await withDashboard({ path: '/tasks' }, async (dashboard) => {
    dashboard.problems.allow(/ 401($| )/)
    const others = await tabs(dashboard, 2)
    await dashboard.page.getByRole('button', { name: 'Log out' }).click()
    for (const page of [dashboard.page, ...others]) await page.getByLabel('Code').waitFor()
    await Promise.all(others.map((page) => page.close()))
  })
})

test('addresses that are opened one after the other in one tab all load, back and forth as well', async () => {
  await withDashboard({ isLoggedIn: false }, async ({ server, client }) => {
    const context = await remembering.browser.newContext(CONTEXT)
    const page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    try {
      await logIn(page, server)
      const paths = [
        '/',
        '/tree',
        '/tasks',
        '/issues',
        '/fleet',
        '/costs',
        '/doctor',
        '/search',
        '/tasks?q=tide',
        '/tree',
      ]
      for (const path of paths) {
        await page.goto(server.url + path)
        await isLive(page)
      }
      // Whether the browser kept the page: else this would show nothing.
      await page.evaluate(`addEventListener('pageshow', (event) => { globalThis.wasKept = event.persisted })`)
      await page.goto(`${server.url}/tasks`)
      await isLive(page)
      const travel = async (by: number) => {
        await page.evaluate(`setTimeout(() => history.go(${by}))`)
        await until('the page before', async () => {
          const at = await page.evaluate<string>('location.pathname + location.search').catch(() => '')
          return at === (by < 0 ? '/tree' : '/tasks')
        })
        await isLive(page)
      }
      for (let turn = 0; turn < 25; turn++) {
        await travel(-1)
        if (turn === 0) expect(await page.evaluate<unknown>('globalThis.wasKept')).toBe(true)
        await travel(1)
      }
      // Kept pages hear what changed while they were left.
      await travel(-1)
      const title = await change({ client })
      await travel(1)
      await shows(page, title)
      // A machine without a network still reaches a server of its own.
      await page.evaluate(`Object.defineProperty(navigator, 'onLine', { configurable: true, get: () => false })
        dispatchEvent(new Event('offline'))`)
      await shows(page, await change({ client }))
    } finally {
      await context.close()
    }
  })
})

/** As when a person turns to another window, and back. */
async function look(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' })
    document.dispatchEvent(new Event('visibilitychange'))`)
}
