/** Where the pages of a world are, and a way through all of them. */
import type { Page } from 'playwright-core'
import { gone } from '../page/page-wait'
import type { Everything } from '../world/world'

/** Where to go and what stands there once the page is whole. */
export type Stop = readonly [path: string, shows: string]

/** Every page with much to show. */
export const stopsOf = (parts: Everything): readonly Stop[] => [
  ['/', '[data-testid=need-row]'],
  [`/?request=${parts.mail.request}`, '[data-testid=inbox-request]'],
  ['/tree', '[role=treeitem][aria-level="2"]'],
  ['/sessions', '[data-testid=listed-session]'],
  [`/sessions/${parts.sessions.charted}`, '[data-testid=session-row]'],
  [`/sessions/${parts.sessions.mended}`, '[data-testid=session-row]'],
  [`/sessions/${parts.sessions.unread}?view=timeline`, '[data-testid=session-timeline]'],
  [`/sessions/${parts.sessions.charted}?view=beside`, 'h1'],
  ['/day', '[data-testid=day-session]'],
  ['/tasks', '[data-testid=task-row]'],
  [`/tasks/${parts.tasks.parent}`, '[data-testid=task-page]'],
  ['/issues', '[data-testid=issue-row]'],
  ['/issues?view=board', '[data-testid=issue-board]'],
  ['/issues?view=graph', '[data-testid=issue-graph]'],
  [`/issues/${parts.issues.ready}`, '[data-testid=issue-page]'],
  ['/search?q=harbour', '[data-testid=search-hit], [data-testid=session-hit]'],
  ['/costs', '[data-testid=cost-row]'],
  ['/fleet', '[data-testid=fleet-page]'],
  ['/audit', '[data-testid=audit-row]'],
  ['/doctor', '[data-testid=doctor-page]'],
]

/** Every page with nothing to show. */
export const EMPTY_STOPS: readonly Stop[] = [
  ['/', 'text=Nothing needs you.'],
  ['/tree', 'text=Nothing is recorded yet.'],
  ['/sessions', 'text=Nothing is recorded yet.'],
  ['/day', 'text=Nothing is recorded yet.'],
  ['/tasks', 'h1'],
  ['/issues', 'h1'],
  ['/issues?view=graph', 'h1'],
  ['/search', 'h1'],
  ['/costs', 'text=Nothing is recorded yet.'],
  ['/fleet', '[data-testid=fleet-page]'],
  ['/doctor', '[data-testid=doctor-page]'],
  ['/nowhere', 'text=This page does not exist.'],
]

/** What a page says while it has not got what it shows. */
export const STILL_LOADING = /^(Reading|Checking|Finding|Calculating|Searching|Loading|Drawing|Comparing)( .*)? …$/

const NOWHERE = '/nowhere-between'
const NOTHING = 'This page does not exist.'

/**
 * Goes to a place as a link of the page does: a page that loads its scripts anew takes three times the work. Between two places lies a page
 * with nothing on it, so that what is seen is of the new one.
 */
export async function follow(page: Page, path: string): Promise<void> {
  await leave(page)
  await push(page, path)
  await page.getByText(NOTHING).waitFor({ state: 'detached' })
}

/** Goes to each place in the same way. @param look  called when the page is whole */
export async function eachStop(
  page: Page,
  stops: readonly Stop[],
  look: (path: string) => Promise<unknown>,
): Promise<void> {
  for (const [path, shows] of stops) {
    await leave(page)
    await push(page, path)
    await page.locator(shows).first().waitFor()
    await gone(page.getByText(STILL_LOADING))
    await look(path)
  }
}

async function leave(page: Page): Promise<void> {
  await push(page, NOWHERE)
  await page.getByText(NOTHING).waitFor()
}

const push = (page: Page, path: string): Promise<void> =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)})`)

/** A part of the name of a picture. */
export const nameOf = (path: string): string => path.replace(/[^a-z=]+/gi, '-').slice(0, 40)
