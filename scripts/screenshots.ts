/**
 * Takes the pictures of the dashboard that the README and docs show: `npm run screenshots`, into `docs/screenshots`.
 *
 * What is to be seen is the demonstration's story: the real Claude Code CLI, whose model is a script, on a record of its own. The browser
 * is the one of the tests.
 *
 * `npm run screenshots -- --all FOLDER [--record empty,typical,huge]` takes every page of these records instead, in four widths and both
 * schemes, as sheets to look at. The first time the huge one takes some minutes to fill.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { CONTEXT, launchChromium } from '../test/browser/page/chromium'
import { Problems } from '../test/browser/page/page-problems'
import { describe } from './build-web'
import { takeEvery } from './screenshots/every-page'
import { recordsOf } from './screenshots/records'
import { type Story, startStory } from './screenshots/story'

interface Picture {
  /** Name of the file, without its ending. */
  name: string
  path: (story: Story) => string
  /** What is there when the page shows all that it should. */
  shows: string[]
  /** Brings it to what is worth seeing. */
  prepare?: (page: Page) => Promise<void>
  scheme?: 'light' | 'dark'
  isPhone?: boolean
}

const WIDE = { width: 1280, height: 800 }
const PHONE = { width: 390, height: 844 }
/** A repository keeps every version of a picture for ever. */
const MAX_BYTES = 400_000
/** Time for a page to show what it has to show. */
const SHOWN_MS = 30_000
/** The pages' clock stands this long after the story's end: ages are shown in minutes, and stay as they are. */
const LATER_MS = 4 * 60_000

const home = {
  path: () => '/',
  shows: ['[data-testid=need-row]', '[data-testid=need-peek]'],
}
const tree = { path: () => '/tree', shows: ['[data-testid=tree-row]'], prepare: openWholeTree }
const session = {
  path: ({ sessionId, launchId }: Story) => `/sessions/${sessionId}?at=${launchId}`,
  shows: ['[data-testid=session-row]', 'section[aria-label^="Sub-agent"]'],
  prepare: openSubagent,
}

const PICTURES: Picture[] = [
  { name: 'home', ...home },
  { name: 'home-dark', ...home, scheme: 'dark' },
  { name: 'home-phone', ...home, isPhone: true },
  { name: 'tree', ...tree },
  { name: 'session', ...session },
  { name: 'session-dark', ...session, scheme: 'dark' },
  { name: 'task', path: ({ taskId }) => `/tasks/${taskId}`, shows: ['[data-testid=task-page]'] },
  { name: 'issue-board', path: () => '/issues?view=board&done=1', shows: ['[data-testid=issue-board]'] },
  { name: 'issue-graph', path: () => '/issues?view=graph&done=1', shows: ['[data-testid=issue-graph]'] },
  { name: 'costs', path: () => '/costs?by=session', shows: ['[data-testid=cost-row]'] },
]

const root = resolve(import.meta.dir, '..')
const { values } = parseArgs({
  options: {
    to: { type: 'string', default: join(root, 'docs/screenshots') },
    all: { type: 'string' },
    record: { type: 'string' },
  },
})
const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => ending.abort(new Error(signal)))

try {
  if (values.all === undefined) await takeAll(resolve(values.to))
  else await takeEvery(root, resolve(values.all), recordsOf(values.record), ending.signal)
} catch (error) {
  process.stderr.write(`${describe(error)}\n`)
  process.exitCode = 1
}

async function takeAll(folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true })
  // Short: the agent's CLI makes sockets below it.
  const scratch = mkdtempSync('/tmp/ld-')
  const { browser } = await launchChromium({ isWhole: true })
  try {
    process.stderr.write('the demonstration tells its story: about a minute …\n')
    const story = await startStory(root, scratch, ending.signal)
    try {
      const cookies = await logIn(browser, story.link)
      for (const picture of PICTURES) {
        ending.signal.throwIfAborted()
        const path = join(folder, `${picture.name}.png`)
        const png = await take(browser, cookies, story, picture)
        process.stderr.write(`${path}  ${Math.ceil(png.length / 1_000)} kB\n`)
        writeFileSync(path, png)
        if (png.length > MAX_BYTES) throw new Error(`${path} is larger than ${MAX_BYTES / 1_000} kB`)
      }
    } finally {
      await story.end()
    }
  } finally {
    await browser.close()
    rmSync(scratch, { recursive: true, force: true })
  }
}

type LoggedIn = Awaited<ReturnType<BrowserContext['storageState']>>

/** By the link that the demonstration prints, once for all pictures. */
async function logIn(browser: Browser, link: string): Promise<LoggedIn> {
  const context = await browser.newContext(CONTEXT)
  const page = await context.newPage()
  await page.goto(link)
  // The address is right before the server has answered.
  await page.locator('[data-testid=need-row]').first().waitFor({ timeout: SHOWN_MS })
  const state = await context.storageState()
  await context.close()
  return state
}

async function take(browser: Browser, storageState: LoggedIn, story: Story, picture: Picture): Promise<Buffer> {
  const context = await browser.newContext({
    ...CONTEXT,
    storageState,
    viewport: picture.isPhone ? PHONE : WIDE,
    ...(picture.isPhone && { hasTouch: true, isMobile: true }),
    colorScheme: picture.scheme ?? 'light',
    reducedMotion: 'reduce',
  })
  const problems = new Problems(story.origin)
  try {
    const page = await context.newPage()
    problems.watch(page)
    await page.clock.setFixedTime(story.endedAt + LATER_MS)
    await page.goto(story.origin + picture.path(story))
    for (const part of picture.shows) await page.locator(part).first().waitFor({ timeout: SHOWN_MS })
    await picture.prepare?.(page)
    await settled(page)
    await page.evaluate('document.activeElement?.blur()')
    problems.check()
    return await page.screenshot({ animations: 'disabled', caret: 'hide' })
  } catch (error) {
    throw new Error([`${picture.name}: ${describe(error)}`, ...problems.list()].join('\n'))
  } finally {
    await context.close()
  }
}

/** Waits until nothing is loaded and nothing changes any more. */
async function settled(page: Page): Promise<void> {
  await page.evaluate('document.fonts.ready.then(() => true)')
  let before = ''
  for (let same = 0; same < 4; ) {
    const now = await page.content()
    same = now === before ? same + 1 : 0
    before = now
    await page.waitForTimeout(200)
  }
}

/** Every line that holds others, by the key for it; then the first line is the current one again. */
async function openWholeTree(page: Page): Promise<void> {
  const lines = page.locator('[data-testid=tree-row]')
  // More lines than the story has.
  for (let at = 0; at < 60; at++) {
    await page.waitForTimeout(150)
    const closed = page.locator('[data-testid=tree-row][aria-expanded=false]').first()
    if ((await closed.count()) === 0) break
    await closed.focus()
    await page.keyboard.press('ArrowRight')
  }
  await lines.first().focus()
}

async function openSubagent(page: Page): Promise<void> {
  const agent = page.locator('section[aria-label^="Sub-agent Find where"]').first()
  await agent.locator('header button[aria-expanded=false]').first().click()
  await agent.locator('section[aria-label^="Sub-agent"]').first().waitFor({ timeout: SHOWN_MS })
}
