/** A page stays true by itself: what is recorded appears, and an outage, a killed server, a sleep and a login that ended leave no gap. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { type SessionId, sessionId } from '../../../src/domain/ids'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { until } from '../../lab/until'
import { browserOfTests, PAGES, withDashboard } from '../page/page'
import { TranscriptLines } from '../world/world-lines'

/** What a browser says by itself of a server that is away, and of a login that is over. */
const AWAY = [/ERR_(CONNECTION|INCOMPLETE|NETWORK|EMPTY)/]
const REFUSED = [/^refused: \w+ \S+\/api\/\S+ 401$/, /^console error: Failed to load resource: .* 401 /]

const lab = new Lab()
const folder = lab.root
let server: Lode

/** A conversation that somebody has right now: lines are written as the CLI writes them. */
class Conversation {
  readonly id: SessionId = sessionId(crypto.randomUUID())
  private readonly lines: TranscriptLines
  private readonly path: string
  private count = 0

  constructor() {
    this.lines = new TranscriptLines(this.id, '/tmp/harbour', Date.now() - 600_000)
    const project = join(folder, 'claude/projects/-tmp-harbour')
    mkdirSync(project, { recursive: true })
    this.path = join(project, `${this.id}.jsonl`)
    writeFileSync(this.path, `${this.lines.prompt(`Watch the harbour, ${this.id}`)}\n`)
  }

  /** Writes what the agent says next. @returns it */
  say(): string {
    this.count++
    const text = `Wave ${this.count} of ${this.id.slice(0, 8)}.`
    appendFileSync(this.path, `${this.lines.say(text)}\n`)
    return text
  }

  /** Until all that was said is recorded. */
  async recorded(): Promise<void> {
    await until('the record of what was said', async () => {
      const found = await server.client.sessions.rows(this.id).catch(() => null)
      return found?.total === this.count + 1
    })
  }
}

let talk: Conversation

beforeAll(async () => {
  await browserOfTests()
  mkdirSync(join(folder, 'claude/projects'), { recursive: true })
  server = lab.addLode('l', {
    ...PAGES,
    claudeRoots: [join(folder, 'claude')],
    settings: { ...PAGES.settings, 'collector.rescanSeconds': 1 },
  })
  await server.up()
})
afterAll(() => lab.stop())
beforeEach(async () => {
  talk = new Conversation()
  for (let wave = 0; wave < 3; wave++) talk.say()
  await talk.recorded()
})

const liveness = (page: Page, kind: string) => page.locator(`[data-live="${kind}"]`).first()
const showsRow = (page: Page, text: string) => page.getByTestId('session-row').filter({ hasText: text }).waitFor()

/** Texts of the conversation's rows in their order, each with its number, as far as they are in the page. */
const shownRows = (page: Page) =>
  page.evaluate<string[]>(
    `[...document.querySelectorAll('[data-testid=session-row]')]
      .map((row) => [Number(row.dataset.number), /W(?:atch the harbour|ave \\d+)/.exec(row.textContent)?.[0]])
      .sort(([a], [b]) => a - b).map(([number, text]) => number + ' ' + text)`,
  )
const storedRows = async (id: SessionId) =>
  (await server.client.sessions.rows(id)).rows.map(
    ({ number, event }) => `${number} ${/W(?:atch the harbour|ave \d+)/.exec(event.text ?? '')?.[0]}`,
  )

/** That the page has each row once, and that it is the page that was opened. */
async function isWhole(page: Page): Promise<void> {
  expect(await shownRows(page)).toEqual(await storedRows(talk.id))
  expect(await page.evaluate<unknown>('globalThis.opened')).toBe('once')
}

test('a line that is written appears on the session, in the tree and on Home within two seconds', async () => {
  await withDashboard({ server, path: `/sessions/${talk.id}` }, async ({ page, context, problems }) => {
    const others = await Promise.all(
      ['/tree', '/?tab=running'].map(async (path) => {
        const other = await context.newPage()
        problems.watch(other)
        await other.goto(server.url + path)
        await liveness(other, 'live').waitFor()
        return other
      }),
    )
    const [tree, home] = others
    if (!tree || !home) throw new Error('a page is missing')
    await liveness(page, 'live').waitFor()
    const row = home.getByTestId('running-row').filter({ hasText: talk.id })
    await row.waitFor()
    const took: number[] = []
    for (let wave = 0; wave < 5; wave++) {
      const wasAt = await row.locator('time').getAttribute('datetime')
      const startedAt = performance.now()
      const text = talk.say()
      const next = new Date(Date.parse(wasAt ?? '') + 1_000).toISOString()
      await Promise.all([
        showsRow(page, text),
        row.locator(`time[datetime="${next}"]`).waitFor(),
        tree.getByRole('treeitem').filter({ hasText: talk.id }).locator(`time[datetime="${next}"]`).waitFor(),
      ])
      took.push(performance.now() - startedAt)
    }
    // The machine may do other things; most of the time it is a few hundredths of a second on the session.
    expect(took.sort((a, b) => a - b)[2]).toBeLessThan(2_000)
  })
})

test('what changes while a page reads for the first time is shown behind what it read', async () => {
  const { task } = await server.client.tasks.create({ task: 'Coil the rope', requiredCapabilities: ['nobody has it'] })
  const fresh = () => `Change ${crypto.randomUUID()}`
  const entitle = async () => {
    const { title } = (await server.client.tasks.patch(task.id, { title: fresh() })).task
    return title ?? ''
  }
  const say = async () => {
    const text = talk.say()
    await talk.recorded()
    return text
  }
  const begin = async () => {
    const other = new Conversation()
    await other.recorded()
    return other.id
  }
  const pages: [path: string, reads: RegExp, change: () => Promise<string>][] = [
    ['/tasks', /\/api\/tasks\?/, entitle],
    [`/tasks/${task.id}`, new RegExp(`/api/tasks/${task.id}$`), entitle],
    ['/tree', /\/api\/tree\?/, entitle],
    [`/sessions/${talk.id}`, new RegExp(`/api/sessions/${talk.id}/rows`), say],
    ['/?tab=running', /\/api\/overview/, begin],
  ]
  for (const [path, reads, change] of pages)
    await withDashboard({ server, path: '/doctor' }, async ({ page }) => {
      const changed = Promise.withResolvers<string>()
      let isFirst = true
      await page.route(reads, async (route) => {
        if (!isFirst) return await route.continue()
        isFirst = false
        const response = await route.fetch()
        changed.resolve(await change())
        // Longer than the page gathers changes before it asks. On a slow machine the test may see less by that, and never fails for it.
        await Bun.sleep(1_000)
        await route.fulfill({ response })
      })
      await page.goto(server.url + path)
      const text = await changed.promise
      await page
        .getByText(text)
        .first()
        .waitFor()
        .catch((error: Error) => {
          throw new Error(`${path} does not show what changed: ${error.message}`)
        })
    })
})

test('a page that was opened by the beginning of an id goes on as that of the whole one', async () => {
  const { task } = await server.client.tasks.create({ task: 'Coil the rope', requiredCapabilities: ['nobody has it'] })
  await withDashboard({ server, path: `/sessions/${talk.id.slice(0, 8)}?view=timeline` }, async ({ page }) => {
    await page.waitForURL(`**/sessions/${talk.id}?view=timeline`)
    const heard = page.locator('header time').first()
    const wasAt = await heard.getAttribute('datetime')
    talk.say()
    await page.locator(`header time[datetime="${new Date(Date.parse(wasAt ?? '') + 1_000).toISOString()}"]`).waitFor()
    await page.goto(`${server.url}/tasks/${task.id.slice(0, 7)}`)
    await page.waitForURL(`**/tasks/${task.id}`)
    await server.client.tasks.patch(task.id, { title: 'Coil both ropes' })
    await page.getByRole('heading', { name: 'Coil both ropes' }).waitFor()
  })
})

test('under a killed server the page stays readable and says since when, and goes on with the next one', async () => {
  await withDashboard({ server, path: `/sessions/${talk.id}`, isNew: true }, async ({ page, problems }) => {
    problems.allow(...AWAY)
    await liveness(page, 'live').waitFor()
    await page.evaluate(`globalThis.opened = 'once'`)
    const before = talk.say()
    await showsRow(page, before)
    await server.kill()
    await liveness(page, 'disconnected').waitFor()
    expect(await liveness(page, 'disconnected').textContent()).toMatch(/^disconnected \d+ ?m?s$/)
    await page.getByText(/^disconnected [1-9]\d* s$/).waitFor()
    await showsRow(page, before)
    // A place that was not looked at before, and is not fetched ahead, says why it is empty, and comes by itself.
    for (let wave = 0; wave < 4; wave++) talk.say()
    await page.getByRole('link', { name: 'Doctor' }).first().click()
    await page.getByText('This page could not be loaded').waitFor()
    await page.goBack()
    await showsRow(page, before)
    await page.getByRole('link', { name: 'Doctor' }).first().click()
    await server.up()
    await liveness(page, 'live').waitFor()
    await page.getByTestId('doctor-page').waitFor()
    await page.goBack()
    const after = talk.say()
    await showsRow(page, after)
    await talk.recorded()
    await isWhole(page)
  })
})

test('a page that was asleep has no gap when it is looked at again', async () => {
  await withDashboard({ server, path: `/sessions/${talk.id}` }, async ({ page }) => {
    await page.clock.install()
    await page.reload()
    await liveness(page, 'live').waitFor()
    await page.evaluate(`globalThis.opened = 'once'`)
    const before = talk.say()
    await talk.recorded()
    await showsRow(page, before)
    await look(page, 'hidden')
    await page.clock.fastForward(31_000)
    await liveness(page, 'asleep').waitFor()
    for (let wave = 0; wave < 4; wave++) talk.say()
    await talk.recorded()
    expect(await shownRows(page)).not.toEqual(await storedRows(talk.id))
    await look(page, 'visible')
    await liveness(page, 'live').waitFor()
    await until('the rows of meanwhile', async () => (await shownRows(page)).length === 9)
    await isWhole(page)
    const after = talk.say()
    await showsRow(page, after)
  })
})

test('a page that nobody looks at for a moment goes on listening', async () => {
  await withDashboard({ server, path: `/sessions/${talk.id}` }, async ({ page }) => {
    await page.clock.install()
    await page.reload()
    await liveness(page, 'live').waitFor()
    await look(page, 'hidden')
    await page.clock.fastForward(20_000)
    await showsRow(page, talk.say())
    await look(page, 'visible')
    await page.clock.fastForward(20_000)
    expect(await liveness(page, 'live').count()).toBe(1)
    await showsRow(page, talk.say())
  })
})

test('when the login ended the page asks for one, and then shows what it showed, at the same address', async () => {
  const path = `/sessions/${talk.id}?view=timeline`
  await withDashboard({ server, path }, async ({ page, problems }) => {
    problems.allow(...AWAY, ...REFUSED)
    await liveness(page, 'live').waitFor()
    await page.evaluate(`globalThis.opened = 'once'`)
    await server.kill()
    writeFileSync(join(server.home, 'token'), `${crypto.randomUUID().replaceAll('-', '').repeat(2)}\n`)
    await server.up()
    const field = page.getByLabel('Code')
    await field.waitFor()
    // Nothing of the record is left to be read by whoever sits there now.
    expect(await page.getByText('Watch the harbour').count()).toBe(0)
    expect(await page.evaluate<string>('document.activeElement?.tagName ?? ""')).toBe('INPUT')
    const { code } = await server.client.login.code()
    await page.keyboard.type(code)
    await page.keyboard.press('Enter')
    await page.getByText('Watch the harbour').first().waitFor()
    expect(page.url()).toBe(server.url + path)
    await liveness(page, 'live').waitFor()
    await page.getByRole('link', { name: 'Home' }).first().click()
    await page.getByRole('link', { name: /^Running/ }).click()
    await page.getByTestId('running-row').filter({ hasText: talk.id }).waitFor()
    expect(await page.evaluate<unknown>('globalThis.opened')).toBe('once')
  })
})

/** As when a person turns to another window, and back. */
async function look(page: Page, state: 'hidden' | 'visible'): Promise<void> {
  await page.evaluate(`Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${state}' })
    document.dispatchEvent(new Event('visibilitychange'))`)
}
