import type { Page } from 'playwright-core'

/** How much an answer may be held up for each time slower, in milliseconds. */
const HELD_MS = 60

const timesSlower = (): number => Number(process.env.LODELINE_SLOW ?? '1')

export const isSlow = (): boolean => timesSlower() > 1

/**
 * Makes a page as slow as `LODELINE_SLOW` says: its processor this many times slower, and each answer of the server held up, at most
 * 60 ms for each of them and each another time, so that answers come in other orders too. Nothing without it.
 *
 * For finding tests that ask too early, and pages that trust in an order: `LODELINE_SLOW=4 bun test --timeout=300000 test/browser/…`
 */
export async function slowDown(page: Page): Promise<void> {
  if (!isSlow()) return
  const times = timesSlower()
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: times })
  await page.route(/\/api\//, async (route) => {
    await Bun.sleep(Math.random() * HELD_MS * times)
    // Leaving a page breaks off what is under way.
    await route.continue().catch(() => {})
  })
}
