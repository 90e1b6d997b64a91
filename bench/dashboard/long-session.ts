import type { Page } from 'playwright-core'
import type { Figure } from '../common/figure'
import { median, round } from '../common/measure'
import { failure, frames, openHuge } from './open-page'

const VISITS = 5
const STEPS = 300
/** One notch of a wheel, about. */
const STEP_PX = 120
const ROW = '[data-testid=session-row]'

/** A session of 100,000 events, opened and scrolled with a wheel. */
export const longSessionFigure: Figure = {
  name: 'long-session',
  target: 'a session of 100,000 events opens < 700 ms and scrolls with p95 frame < 25 ms',
  async measure(bench) {
    const huge = await openHuge(bench)
    const plain = plainPage()
    try {
      const cold: number[] = []
      const warm: number[] = []
      const failed: string[] = []
      const path = `/sessions/${huge.ids.long}`
      for (let visit = 0; visit < VISITS; visit++) {
        const context = await huge.newContext()
        const page = await context.newPage()
        try {
          await page.goto(`${huge.server.url}${path}`, { waitUntil: 'commit' })
          cold.push(await page.evaluate<number>(`benchmark.until('${ROW}')`))
          await page.goto(`${huge.server.url}/tree`)
          await page.evaluate(`benchmark.until('[data-testid=tree-row]')`)
          warm.push(await page.evaluate<number>(`benchmark.go('${path}', '${ROW}')`))
        } catch (error) {
          failed.push(await failure(page, error))
        }
        await context.close()
      }
      const page = await huge.newPage()
      await page.goto(plain.url.href)
      const floor = await scroll(page, 'p', STEP_PX)
      await page.goto(`${huge.server.url}${path}`)
      await page.evaluate(`benchmark.until('${ROW}')`)
      await page.waitForTimeout(500)
      const up = await scroll(page, ROW, -STEP_PX)
      // As fast as a person can: whole screens are passed over.
      const fast = await scroll(page, ROW, -10 * STEP_PX)
      const opensMs = round(median(warm))
      return {
        ok: failed.length === 0 && opensMs < 700 && median(cold) < 700 && up.p95Ms < 25 && up.passedPx > 0,
        values: {
          opensMs,
          opensWorstMs: round(Math.max(...warm)),
          opensColdMs: round(median(cold)),
          scroll: up,
          fastScroll: fast,
          ...(failed.length > 0 && { failed }),
        },
        limit: { plainPageScroll: floor, browser: huge.chromium.binary.version },
      }
    } finally {
      plain.stop(true)
      await huge.stop()
    }
  },
}

/** Turns the wheel over what scrolls, a step a frame, and looks at the frames meanwhile. */
async function scroll(page: Page, selector: string, stepPx: number) {
  interface Place {
    x: number
    y: number
    top: number
  }
  const place = () => page.evaluate<Place | null>(`benchmark.scroller(${JSON.stringify(selector)})`)
  const before = await place()
  if (!before) throw new Error(`nothing around ${selector} scrolls`)
  await page.mouse.move(before.x, before.y)
  await page.evaluate('benchmark.startFrames()')
  let blank = 0
  for (let step = 0; step < STEPS; step++) {
    await page.mouse.wheel(0, stepPx)
    await page.waitForTimeout(10)
    if (step % 20 === 19 && (await isBlank(page, before, selector))) blank++
  }
  const deltas = await page.evaluate<number[]>('benchmark.stopFrames()')
  const after = await place()
  return { ...frames(deltas), passedPx: Math.round(Math.abs((after?.top ?? 0) - before.top)), blankOf15: blank }
}

/** Whether no row stands around the middle of what scrolls: a person would see nothing there. */
const isBlank = (page: Page, { x, y }: { x: number; y: number }, selector: string): Promise<boolean> =>
  page.evaluate<boolean>(
    `![-24, 0, 24].some((by) => document.elementsFromPoint(${x}, ${y} + by).some((one) => one.matches(${JSON.stringify(selector)})))`,
  )

/** As many words, and no program behind them. */
function plainPage() {
  const body = Array.from({ length: 5_000 }, (_, at) => `<p>${at} some words that stand there</p>`).join('')
  return Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    // Begins at its end, as a conversation does.
    fetch: () => new Response(`<!doctype html><title>x</title>${body}`, { headers: { 'content-type': 'text/html' } }),
  })
}
