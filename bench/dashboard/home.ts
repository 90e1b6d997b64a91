import type { Page, Response } from 'playwright-core'
import type { Figure } from '../common/figure'
import { median, round } from '../common/measure'
import { openHuge } from './open-page'

const VISITS = 7
/** What a person waits for: who needs them, and how many. */
const ROW = '[data-testid=need-row],[data-testid=need-group],[data-testid=count-needs]'

/** A browser that was never here opens the dashboard. */
export const homeFigure: Figure = {
  name: 'home',
  target:
    'with 1 million events, 10,000 sessions, 1,000 tasks: home interactive < 1 s; script of the first load <= 250 kB gzip',
  async measure(bench) {
    const huge = await openHuge(bench)
    const empty = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () =>
        new Response('<!doctype html><title>x</title><p data-testid=need-row>x', {
          headers: { 'content-type': 'text/html' },
        }),
    })
    try {
      const floor: number[] = []
      const times: number[] = []
      let scripts: ScriptBytes = { files: 0, gzipBytes: 0, bytes: 0 }
      for (let visit = 0; visit < VISITS; visit++) {
        const context = await huge.newContext()
        const page = await context.newPage()
        floor.push(await firstRow(page, empty.url.href))
        const counted = countScripts(page)
        times.push(await firstRow(page, `${huge.server.url}/`))
        scripts = await counted()
        await context.close()
      }
      const interactiveMs = round(median(times))
      return {
        ok: interactiveMs < 1_000 && scripts.gzipBytes <= 250_000,
        values: { interactiveMs, worstMs: round(Math.max(...times)), firstMs: round(times[0] ?? 0), scripts },
        limit: { emptyPageMs: round(median(floor)), browser: huge.chromium.binary.version },
      }
    } finally {
      empty.stop(true)
      await huge.stop()
    }
  },
}

/** From the beginning of the navigation to the frame with the first row. */
async function firstRow(page: Page, url: string): Promise<number> {
  await page.goto(url, { waitUntil: 'commit' })
  return page.evaluate<number>(`benchmark.until(${JSON.stringify(ROW)})`)
}

interface ScriptBytes {
  files: number
  /** As gzip -9 makes them, however they came. */
  gzipBytes: number
  bytes: number
}

/** Counts what comes as script until the returned function is called. */
function countScripts(page: Page): () => Promise<ScriptBytes> {
  const bodies: Promise<Buffer>[] = []
  const count = (response: Response) => {
    if (response.request().resourceType() === 'script') bodies.push(response.body())
  }
  page.on('response', count)
  return async () => {
    page.off('response', count)
    const found = await Promise.all(bodies)
    const gzipBytes = found.reduce((sum, body) => sum + Bun.gzipSync(new Uint8Array(body), { level: 9 }).length, 0)
    return { files: found.length, gzipBytes, bytes: found.reduce((sum, body) => sum + body.length, 0) }
  }
}
