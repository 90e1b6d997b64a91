import { performance } from 'node:perf_hooks'
import type { Page } from 'playwright-core'
import type { Figure } from '../common/figure'
import { prepareHome } from '../common/lode'
import { median, round } from '../common/measure'
import { fillBusyFleet } from './busy-fleet'
import { frames, openDashboard } from './open-page'

const LANES = 200
const MACHINES = 8
const SECONDS = 8
const ASKS = 9

/** Two hundred agents on the fleet page: the lanes move, are scrolled, are brushed, and another time is chosen. */
export const lanesFigure: Figure = {
  name: 'lanes',
  target: '200 lanes that move: p95 of a frame < 25 ms',
  async measure(bench) {
    const home = prepareHome(`${bench.folder}/h`)
    await fillBusyFleet(home, { sessions: LANES, machines: MACHINES })
    const dashboard = await openDashboard(bench, home)
    try {
      const page = await dashboard.newPage()
      await page.goto(`${dashboard.server.url}/fleet`)
      await page.evaluate(`benchmark.until('[data-testid=lane-row]')`)
      const lanes = await page.locator('[data-testid=lane-row]').count()
      await page.getByRole('button', { name: '15 min' }).click()
      await page.waitForTimeout(1_000)
      const still = await during(page, () => page.waitForTimeout(SECONDS * 1_000))
      const scrolled = await during(page, () => scroll(page))
      const brushed = await during(page, () => brush(page))
      const answers: number[] = []
      for (let ask = 0; ask < ASKS; ask++) {
        const askedAt = performance.now()
        await dashboard.server.get('/api/lanes?minutes=60&limit=200')
        answers.push(performance.now() - askedAt)
      }
      return {
        ok: lanes === LANES && [still, scrolled, brushed].every(({ p95Ms }) => p95Ms < 25),
        values: { lanes, still, scrolled, brushed, answerMs: round(median(answers)) },
        limit: { emptyFrames: await emptyFrames(page), browser: dashboard.chromium.binary.version },
      }
    } finally {
      await dashboard.stop()
    }
  },
}

async function during(page: Page, work: () => Promise<void>) {
  await page.evaluate('benchmark.startFrames()')
  await work()
  return frames(await page.evaluate<number[]>('benchmark.stopFrames()'))
}

async function middleOfList(page: Page): Promise<{ x: number; y: number; width: number; height: number }> {
  const box = await page.getByTestId('lane-list').boundingBox()
  if (box === null) throw new Error('the list of lanes has no place on the page')
  return { x: box.x + box.width * 0.7, y: box.y + box.height / 2, width: box.width, height: box.height }
}

async function scroll(page: Page): Promise<void> {
  const { x, y } = await middleOfList(page)
  await page.mouse.move(x, y)
  for (let step = 0; step < 150; step++) {
    await page.mouse.wheel(0, step < 75 ? 90 : -90)
    await page.waitForTimeout(20)
  }
}

async function brush(page: Page): Promise<void> {
  const { x, y, width, height } = await middleOfList(page)
  await page.mouse.move(x - width * 0.15, y - height * 0.4)
  await page.mouse.down()
  await page.mouse.move(x + width * 0.15, y + height * 0.4, { steps: 100 })
  await page.mouse.up()
  await page.keyboard.press('Escape')
}

/** The same browser with nothing to draw. */
async function emptyFrames(page: Page) {
  await page.goto('about:blank')
  return during(page, () => page.waitForTimeout(2_000))
}
