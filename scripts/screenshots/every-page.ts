/** Every page of three records, in four widths and both schemes, as sheets of several pictures: for a search for flaws. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { CONTEXT, launchChromium } from '../../test/browser/page/chromium'
import { gone } from '../../test/browser/page/page-wait'
import { STILL_LOADING, type Stop } from '../../test/browser/pages/pages-stops'
import { describe } from '../build-web'
import { openRecord, type RecordName, type ShownRecord } from './records'

/** A page of the width, and how many of them fill a sheet that can be read. */
const SIZES = [
  { width: 390, height: 844, columns: 4, rows: 2 },
  { width: 768, height: 1024, columns: 2, rows: 2 },
  { width: 1280, height: 800, columns: 2, rows: 3 },
  { width: 1920, height: 1080, columns: 2, rows: 3 },
]
const SCHEMES = ['light', 'dark'] as const
/** What a sheet is wide at most. */
const SHEET_PX = 1_120
/** For a page to show what it has to. */
const SHOWN_MS = 60_000
/** A page that is live never stands still for long. */
const STILL_MS = 400
const WAIT_MS = 4_000

interface Picture {
  name: string
  png: Buffer
}

/**
 * A record that can't be had costs no other its pictures.
 *
 * @param folder  gets the sheets, by the name of the record, the width and the scheme
 * @throws AggregateError of what went wrong with the records that failed, once all others have their sheets
 */
export async function takeEvery(
  root: string,
  folder: string,
  records: readonly RecordName[],
  signal: AbortSignal,
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  const { browser } = await launchChromium({ isWhole: true })
  try {
    const failed: unknown[] = []
    for (const name of records)
      try {
        await takeRecord(browser, root, folder, name, signal)
      } catch (error) {
        signal.throwIfAborted()
        process.stderr.write(`${name}: ${describe(error)}\n`)
        failed.push(error)
      }
    if (failed.length > 0) throw new AggregateError(failed, `${failed.length} of ${records.length} records failed`)
  } finally {
    await browser.close()
  }
}

async function takeRecord(
  browser: Browser,
  root: string,
  folder: string,
  name: RecordName,
  signal: AbortSignal,
): Promise<void> {
  const record = await openRecord(root, name)
  try {
    const storageState = await logIn(browser, record)
    for (const scheme of SCHEMES)
      for (const size of SIZES) {
        signal.throwIfAborted()
        const pictures = await takeAll(browser, record, storageState, size, scheme)
        await writeSheets(browser, join(folder, `${name}-${size.width}-${scheme}`), pictures, size)
      }
  } finally {
    await record.end()
  }
}

type Size = (typeof SIZES)[number]
type LoggedIn = Awaited<ReturnType<BrowserContext['storageState']>>

async function logIn(browser: Browser, record: ShownRecord): Promise<LoggedIn> {
  const context = await browser.newContext(CONTEXT)
  const page = await context.newPage()
  await page.goto(await record.link())
  await page.waitForURL((url) => url.pathname === '/')
  // The code leaves the address before it is exchanged for the cookie.
  await page.locator('[data-live]').first().waitFor({ state: 'attached', timeout: SHOWN_MS })
  const state = await context.storageState()
  await context.close()
  return state
}

async function takeAll(
  browser: Browser,
  { origin, stops }: Pick<ShownRecord, 'origin' | 'stops'>,
  storageState: LoggedIn,
  { width, height }: Size,
  colorScheme: 'light' | 'dark',
): Promise<Picture[]> {
  const isPhone = width < 500
  const context = await browser.newContext({
    ...CONTEXT,
    storageState,
    viewport: { width, height },
    ...(isPhone && { hasTouch: true, isMobile: true }),
    colorScheme,
    reducedMotion: 'reduce',
  })
  try {
    const page = await context.newPage()
    const pictures: Picture[] = []
    for (const stop of stops) pictures.push({ name: stop[0], png: await take(page, origin, stop) })
    return pictures
  } finally {
    await context.close()
  }
}

async function take(page: Page, origin: string, [path, shows]: Stop): Promise<Buffer> {
  // Now, for each page: what the server reports later would lie in the future.
  await page.clock.setFixedTime(Date.now())
  await page.goto(origin + path)
  try {
    await page.locator(shows).first().waitFor({ timeout: SHOWN_MS })
    await gone(page.getByText(STILL_LOADING))
  } catch (error) {
    process.stderr.write(`${path}: ${describe(error)}\n`)
  }
  await stands(page)
  return page.screenshot({ animations: 'disabled', caret: 'hide' })
}

/** Waits until nothing has changed for a moment. */
async function stands(page: Page): Promise<void> {
  let before = ''
  for (const end = performance.now() + WAIT_MS; performance.now() < end; ) {
    const now = await page.content()
    if (now === before) return
    before = now
    await page.waitForTimeout(STILL_MS)
  }
}

async function writeSheets(
  browser: Browser,
  path: string,
  pictures: readonly Picture[],
  { width, columns, rows }: Size,
): Promise<void> {
  const cell = Math.min(width, Math.floor(SHEET_PX / columns) - 8)
  const context: BrowserContext = await browser.newContext({ viewport: { width: columns * (cell + 8), height: 600 } })
  const page = await context.newPage()
  for (let at = 0; at < pictures.length; at += columns * rows) {
    const cells = pictures
      .slice(at, at + columns * rows)
      .map(
        ({ name, png }) =>
          `<figure><figcaption>${name.replaceAll('&', '&amp;')}</figcaption><img src="data:image/png;base64,${png.toString('base64')}"></figure>`,
      )
    await page.setContent(`<style>
      body { margin: 0; display: grid; grid-template-columns: repeat(${columns}, ${cell}px); gap: 8px; font: 12px sans-serif; background: #888 }
      figure { margin: 0 } figcaption { overflow: hidden; white-space: nowrap } img { width: 100%; display: block }
    </style>${cells.join('')}`)
    const to = `${path}-${Math.floor(at / (columns * rows)) + 1}.png`
    writeFileSync(to, await page.screenshot({ fullPage: true }))
    process.stderr.write(`${to}\n`)
  }
  await context.close()
}
