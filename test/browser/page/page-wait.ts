import type { Locator, Page } from 'playwright-core'
import { until } from '../../lab/until'

/** Waits until an expression is true in the page. The page's policy lets no script be made of text, so it is asked again from here. */
export async function holds(page: Page, expression: string): Promise<void> {
  await until(expression, () => page.evaluate<boolean>(expression))
}

/** Waits until nothing fits. Unlike waiting for one to be detached, it does not mind when several fit before. */
export async function gone(what: Locator): Promise<void> {
  await until(`the end of ${what}`, async () => (await what.count()) === 0)
}

/** Waits until the shortcuts that change something work: they pause for a moment after the thing under them was replaced. */
export async function keysAwake(page: Page): Promise<void> {
  // The page says that they pause a frame after the focus has moved.
  await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
  await gone(page.locator('[data-keys="resting"]'))
}

/** Waits until the tab is called so. A page is called by what it shows only behind showing it. */
export const titled = (page: Page, title: string): Promise<void> =>
  holds(page, `document.title === ${JSON.stringify(title)}`)

/** Whether the page is wider than what is seen of it. */
export const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > innerWidth')

/** Chooses, as a person can, that moves are sent at once: nothing of a test that takes none back has to wait for five seconds each time. */
export const sendAtOnce = (page: Page): Promise<void> =>
  page.evaluate(`localStorage.setItem('lodeline.undo-seconds', '0')`)
