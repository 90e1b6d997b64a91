/** What a person comes for, done with keys alone in a real browser: how many keys it takes, and how long until the answer is seen. */
import type { Page } from 'playwright-core'
import { CONTEXT, launchChromium } from '../../test/browser/page/chromium'
import { Lab } from '../../test/lab/lab'
import type { Figure } from '../common/figure'
import { round } from '../common/measure'
import { type JobsWorld, makeJobsWorld } from './jobs-world'

interface Job {
  name: string
  /** Where the person is before. */
  at: (world: JobsWorld) => string
  /** What is there before the first key. */
  before: string
  /** Keys in the browser's names; `'text'` is typed, and `… selector` waited for: neither counts as keys. */
  keys: readonly string[]
  /** What the person came for. */
  shows: string
}

const testId = (id: string) => `[data-testid=${id}]`
const NEED = `${testId('need-row')}, ${testId('need-group')}`

const JOBS: readonly Job[] = [
  { name: 'what needs me now', at: () => '/costs', before: 'h1', keys: ['g', 'h'], shows: testId('need-peek') },
  {
    name: 'answer six that ask for the same call',
    at: () => '/',
    before: testId('count-needs'),
    keys: ['a', 'y'],
    shows: 'text=/^Allowed/',
  },
  {
    name: 'what was done since, and its cost',
    at: () => '/',
    before: testId('count-needs'),
    keys: ['g', '4'],
    shows: testId('digest-total'),
  },
  {
    name: 'where was something decided',
    at: () => '/',
    before: testId('count-needs'),
    keys: ['g', 's', "'lighthouse'", 'Enter'],
    shows: testId('search-hit'),
  },
  {
    name: 'why did it fail',
    at: ({ failing }) => `/sessions/${failing}`,
    before: testId('session-row'),
    keys: ['{'],
    shows: `${testId('session-row')}:has-text("no such tariff")`,
  },
  {
    name: 'compare two sessions',
    at: ({ failing }) => `/sessions/${failing}`,
    before: testId('session-row'),
    keys: ['v', '… li[aria-current=true]', 'Enter'],
    shows: testId('comparison'),
  },
  {
    name: 'create the first task',
    at: () => '/tasks',
    before: testId('task-row'),
    keys: [
      'n',
      "'Oil the winch'",
      'Control+Enter',
      '… input[aria-invalid=true]:focus',
      "'/srv/harbour'",
      'Control+Enter',
    ],
    shows: `${testId('task-page')}:has-text("Oil the winch")`,
  },
  {
    name: 'create another task',
    at: () => '/tasks',
    before: testId('task-row'),
    keys: ['n', "'Paint the buoy'", 'Control+Enter'],
    shows: `${testId('task-page')}:has-text("Paint the buoy")`,
  },
  {
    name: 'a follow-up of a task',
    at: ({ task }) => `/tasks/${task}`,
    before: testId('task-page'),
    keys: ['c', "'And the anchor'", 'Control+Enter'],
    shows: `${testId('task-page')}:has-text("And the anchor")`,
  },
  {
    name: 'priority of an issue',
    at: () => '/issues',
    before: testId('issue-row'),
    keys: ['p', '1'],
    shows: 'text=Priority high',
  },
  {
    name: 'who works on what',
    at: () => '/',
    before: testId('count-needs'),
    keys: ['g', 'f'],
    shows: testId('fleet-page'),
  },
  {
    name: 'share a session',
    at: ({ failing }) => `/sessions/${failing}`,
    before: testId('session-row'),
    keys: ['s'],
    shows: 'dialog:has-text("Save as HTML")',
  },
]

export const jobsFigure: Figure = {
  name: 'jobs',
  target: 'each job with keys alone',
  async measure(bench) {
    await using lab = new Lab()
    const server = lab.addLode('l', {
      hasFixedPort: true,
      command: [bench.lode],
      settings: { 'worker.enabled': false },
    })
    await server.up()
    const world = await makeJobsWorld(server, lab)
    const { browser } = await launchChromium({ isWhole: true })
    try {
      const page = await (await browser.newContext(CONTEXT)).newPage()
      const { code, path } = await server.client.login.code()
      await page.goto(`${server.url}${path}#${new URLSearchParams({ code, to: '/' })}`)
      await page.locator(NEED).first().waitFor()
      const done: { job: string; keys: number | null; seconds: number | null; why?: string }[] = []
      for (const job of JOBS) done.push(await doJob(page, server.url + job.at(world), job))
      return { ok: done.every(({ keys }) => keys !== null), values: { jobs: done }, limit: {} }
    } finally {
      await browser.close()
    }
  },
}

async function doJob(page: Page, address: string, { name, before, keys, shows }: Job) {
  try {
    await page.goto(address)
    await page.locator(before).first().waitFor()
    // Shortcuts rest for a moment behind a new row.
    await page.waitForTimeout(1_000)
    const startedAt = performance.now()
    for (const key of keys) await press(page, key)
    await page.locator(shows).first().waitFor({ timeout: 10_000 })
    const count = keys.filter((key) => !/^['…]/.test(key)).length
    return { job: name, keys: count, seconds: round((performance.now() - startedAt) / 1_000) }
  } catch (error) {
    const why = error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error)
    return { job: name, keys: null, seconds: null, why }
  }
}

async function press(page: Page, key: string): Promise<void> {
  if (key.startsWith('…')) await page.locator(key.slice(2)).first().waitFor()
  else if (key.startsWith("'")) await typed(page, key.slice(1, -1))
  else await page.keyboard.press(key)
}

/** Into the field that the key before opened. */
async function typed(page: Page, text: string): Promise<void> {
  await page.locator('input:focus, textarea:focus').waitFor()
  await page.keyboard.insertText(text)
}
