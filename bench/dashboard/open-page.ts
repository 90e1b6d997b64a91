import { resolve } from 'node:path'
import type { BrowserContext, CDPSession, Page } from 'playwright-core'
import { type Chromium, CONTEXT, launchChromium } from '../../test/browser/page/chromium'
import type { Bench } from '../common/figure'
import { Server } from '../common/lode'
import { type HugeIds, hugeHome } from './huge-home'
import { INSTALL } from './in-page'

/** A server with the huge record, and a browser that is logged in to it. */
export interface HugeDashboard extends OpenDashboard {
  ids: HugeIds
}

export interface OpenDashboard {
  server: Server
  chromium: Chromium
  /** What the server follows. */
  claudeRoot: string
  /** A browser of its own: nothing is cached, and who it is is known. */
  newContext(): Promise<BrowserContext>
  newPage(): Promise<Page>
  stop(): Promise<void>
}

export async function openHuge(bench: Bench): Promise<HugeDashboard> {
  const home = `${bench.folder}/h`
  const ids = await hugeHome(home, bench.lode, bench.note)
  return { ids, ...(await openDashboard(bench, home)) }
}

/** Starts a server with this home, and a browser that is logged in to it. */
export async function openDashboard({ lode }: Pick<Bench, 'lode'>, home: string): Promise<OpenDashboard> {
  const server = await Server.start(lode, home, 'up')
  const chromium = await launchChromium(
    { isWhole: true },
    { args: ['--js-flags=--expose-gc', '--enable-precise-memory-info'] },
  )
  try {
    const login = await chromium.browser.newContext(CONTEXT)
    const page = await login.newPage()
    const { code, path } = await server.post<{ code: string; path: string }>('/api/login/codes', {})
    await page.goto(`${server.url}${path}#${new URLSearchParams({ code, to: '/' })}`)
    await page.waitForURL((url) => url.pathname !== path)
    // The code leaves the address before it is exchanged for the cookie.
    await page.locator('[data-live]').first().waitFor({ state: 'attached' })
    const storageState = await login.storageState()
    await login.close()
    const newContext = async () => {
      const context = await chromium.browser.newContext({ ...CONTEXT, storageState })
      await context.addInitScript(INSTALL)
      return context
    }
    return {
      server,
      chromium,
      claudeRoot: `${home}/claude`,
      newContext,
      newPage: async () => (await newContext()).newPage(),
      async stop() {
        await chromium.browser.close()
        await server.stop()
      },
    }
  } catch (error) {
    await chromium.browser.close()
    await server.stop()
    throw error
  }
}

/** What went wrong, and where a picture of the page at that moment is. */
export async function failure(page: Page, error: unknown): Promise<string> {
  const picture = resolve(import.meta.dir, '../out', `dashboard-${Date.now()}.png`)
  await page.screenshot({ path: picture }).catch(() => {})
  const said = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
  return `${said}; ${picture}`
}

/** What a tab holds, after what nobody needs was thrown away. */
export async function tabState(cdp: CDPSession): Promise<{ heapMb: number; nodes: number; listeners: number }> {
  for (let round = 0; round < 3; round++) await cdp.send('HeapProfiler.collectGarbage')
  await cdp.send('Performance.enable')
  const { metrics } = await cdp.send('Performance.getMetrics')
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0
  return {
    heapMb: Math.round(of('JSHeapUsedSize') / 1e4) / 100,
    nodes: of('Nodes'),
    listeners: of('JSEventListeners'),
  }
}

/** Times of frames, as a person sees them. */
export function frames(deltas: number[]): {
  count: number
  p50Ms: number
  p95Ms: number
  maxMs: number
  over25: number
} {
  const sorted = Float64Array.from(deltas).sort()
  const at = (share: number) =>
    Math.round((sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0) * 10) / 10
  return {
    count: sorted.length,
    p50Ms: at(0.5),
    p95Ms: at(0.95),
    maxMs: at(1),
    over25: deltas.filter((delta) => delta > 25).length,
  }
}
