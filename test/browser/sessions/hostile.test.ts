/** Text that would do harm where a page believed it, in every place where an agent's or a stranger's text is shown. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { type InboxId, type SessionId, sessionId, type TaskId } from '../../../src/domain/ids'
import { until } from '../../lab/until'
import { browserOfTests, type Dashboard, type DashboardOptions, shot, withDashboard } from '../page/page'
import { holds } from '../page/page-wait'
import { follow } from '../pages/pages-stops'
import { World } from '../world/world'
import type { WorldHostile } from '../world/world-hostile'
import { HOSTILE_TEXTS, MARK } from '../world/world-hostile-texts'
import { TranscriptLines } from '../world/world-lines'
import { fromOutside } from '../world/world-mail'

/** In one line, since a folder and a command have no more. No quote: the command is to be one for the CLI, too. */
const FOLDER = '/tmp/<img src=x onerror=alert(1)>\u202egnp.exe\u001b[31m {{7*7}}'
const ASKED = '<img src=x onerror=alert(1)> \u202egnp.exe [click](javascript:alert(1)) http://far.example/asked'

let world: World
let hostile: WorldHostile
let strange: SessionId
let asking: TaskId
let request: InboxId

beforeAll(async () => {
  await browserOfTests()
  world = await World.start()
  const { client, claude, server } = world
  asking = (await client.tasks.create({ task: `Ask the stranger: ${ASKED}`, dir: claude.project })).task.id
  hostile = await world.hostile()
  strange = await inFolder(FOLDER)
  const { secret } = await client.inbox.putSource('harbour-desk')
  request = await fromOutside({ server }, secret ?? '', {
    sender: HOSTILE_TEXTS.image.slice(0, 200),
    text: `${HOSTILE_TEXTS.script}\n${HOSTILE_TEXTS.rtl}\n${HOSTILE_TEXTS.link}\n${'w'.repeat(100_000)}`,
  })
  for (const name of ['script', 'ansi', 'link'] as const) {
    await client.messages.send({ to: asking, text: HOSTILE_TEXTS[name] })
    const issue = hostile.issues[name]
    if (issue !== undefined)
      await client.issues.comment(issue, { dir: claude.project, actor: HOSTILE_TEXTS.svg.slice(0, 60), text: ASKED })
  }
  await until('the question', async () => (await client.questions.list({ taskId: asking })).questions[0])
})
afterAll(() => world?.stop())

/** A session of a folder whose name is hostile as well. */
async function inFolder(folder: string): Promise<SessionId> {
  const id = sessionId(crypto.randomUUID())
  const lines = new TranscriptLines(id, folder, Date.now() - 60_000)
  const path = join(world.claude.claudeRoot, 'projects/-tmp-strange')
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, `${id}.jsonl`), `${lines.prompt('Where am I?')}\n${lines.say('In a strange folder.')}\n`)
  await until('the strange folder', async () => (await world.client.sessions.get(id).catch(() => null)) !== null)
  return id
}

/**
 * What is in the page that no text may bring in: one line for each. Runs in the page, so as text. Characters that would not be seen are looked
 * for in texts, and where people and screen readers find texts, too.
 */
const INTRUDERS = `(() => {
  const found = []
  const elements = 'script:not([src^="/assets/"]), iframe, object, embed, base, style, video, audio, animate, details:not([data-testid=doctor-page] *),' +
    'link:not([href^="/assets/"]):not([rel=modulepreload]):not([rel=manifest][href="/app.webmanifest"]):not([rel=apple-touch-icon][href="/apple-touch-icon.png"]), form[action], meta[http-equiv], area, [ping]'
  for (const one of document.querySelectorAll(elements)) found.push('element: ' + one.outerHTML.slice(0, 200))
  for (const one of document.querySelectorAll('a[href]'))
    if (new URL(one.href).origin !== location.origin) found.push('link: ' + one.outerHTML.slice(0, 200))
  for (const one of document.querySelectorAll('img'))
    if (!/^(data:image\\/(png|jpeg|gif|webp)[;,]|blob:|\\/)/.test(one.getAttribute('src') ?? '')) found.push('picture: ' + one.outerHTML.slice(0, 200))
  const hidden = /[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff]/
  const texts = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const text = texts.currentNode.data
    const at = text.search(hidden)
    if (at >= 0) found.push('unseen: ' + JSON.stringify(text.slice(Math.max(0, at - 30), at + 30)) + ' in ' + texts.currentNode.parentElement.outerHTML.slice(0, 150))
  }
  for (const one of document.querySelectorAll('*'))
    for (const { name, value } of one.attributes) {
      if (name.startsWith('on')) found.push('handler: ' + one.outerHTML.slice(0, 200))
      if (['title', 'aria-label', 'alt', 'placeholder'].includes(name) && hidden.test(value)) found.push('unseen ' + name + ': ' + JSON.stringify(value.slice(0, 150)))
    }
  if (typeof ${MARK} !== 'undefined') found.push('it ran')
  if (document.documentElement.scrollWidth > innerWidth) {
    const wide = [...document.querySelectorAll('#page *')].filter((one) => one.getBoundingClientRect().right > innerWidth + 1).slice(0, 4)
    found.push('wider than the screen: ' + document.documentElement.scrollWidth + ' ' + wide.map((one) => one.outerHTML.slice(0, 160)).join(' | '))
  }
  return found
})()`

const intruders = (page: Page) => page.evaluate<string[]>(INTRUDERS)

/** Opens what is folded, as far as it is in the page. */
async function unfold(page: Page, within: string): Promise<void> {
  await page.evaluate(`(async () => {
    const opened = new Set()
    for (let round = 0; round < 6; round++) {
      const folded = [...document.querySelectorAll('${within} [aria-expanded=false]')].filter((one) => !opened.has(one) && one.closest('[aria-haspopup]') === null)
      if (folded.length === 0) return
      for (const one of folded) { opened.add(one); one.click() }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  })()`)
}

async function withPhone(path: string, work: (dashboard: Dashboard) => Promise<void>, options: DashboardOptions = {}) {
  await withDashboard({ server: world.server, size: 'phone', path, ...options }, work)
}

test('conversations: nothing of them runs, loads or widens the page, open or folded', async () => {
  await withPhone('/', async ({ page }) => {
    for (const [name, id] of [...Object.entries(hostile.sessions), ['broken', hostile.broken] as const]) {
      await follow(page, `/sessions/${id}`)
      await page.getByTestId('session-row').first().waitFor()
      await unfold(page, '[role=feed]')
      expect([name, ...(await intruders(page))]).toEqual([name])
    }
    for (const name of ['script', 'rtl', 'word', 'lines'] as const)
      for (const view of ['beside', 'timeline']) {
        await follow(page, `/sessions/${hostile.sessions[name]}?view=${view}`)
        await page.getByRole('heading', { level: 1 }).waitFor()
        expect([name, view, ...(await intruders(page))]).toEqual([name, view])
      }
  })
})

test('issues: titles, texts, labels and comments are text', async () => {
  await withPhone('/', async ({ page }) => {
    for (const [name, id] of Object.entries(hostile.issues)) {
      await follow(page, `/issues/${id}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await page.getByText('mallory').first().waitFor()
      expect([name, ...(await intruders(page))]).toEqual([name])
    }
  })
})

test('lists, in every place: the titles of all of them at once', async () => {
  await withPhone('/', async ({ page }) => {
    const places: readonly (readonly [path: string, shows: string])[] = [
      ['/?tab=running', '[data-testid=running-row]'],
      ['/tree', '[role=treeitem]'],
      ['/tasks?status=backlog', 'main a[href^="/tasks/t-"]'],
      ['/issues', '[data-testid=issue-row]'],
      ['/issues?view=board', 'main a[href^="/issues/"], [data-testid=issue-row]'],
      ['/issues?view=ready', '[data-testid=issue-row]'],
      ['/issues?view=graph&alone=1', '[data-testid=issue-graph]'],
      ['/search?q=script', '[data-testid=search-hit]'],
      ['/costs', '[data-testid=cost-row]'],
      ['/fleet', '[data-testid=fleet-page]'],
      ['/doctor', '[data-testid=doctor-page]'],
    ]
    for (const [path, shows] of places) {
      await follow(page, path)
      await page.locator(shows).first().waitFor()
      expect([path, ...(await intruders(page))]).toEqual([path])
    }
  })
})

test('the tree: folders, titles, calls and to-dos are text at every depth', async () => {
  await withPhone('/tree', async ({ page, client }) => {
    await page.getByRole('treeitem').first().waitFor()
    await page.keyboard.press('h')
    await page.getByRole('treeitem').filter({ hasText: '⟨U+202E⟩gnp.exe␛[31m {{7*7}}' }).waitFor()
    expect(await intruders(page)).toEqual([])
    const { entries } = await client.tree.level()
    const project = entries.find(({ label }) => label === 'hostile')?.id ?? ''
    const sessions = await client.tree.level({ under: project, limit: 200 })
    for (const name of ['script', 'svg', 'ansi', 'rtl'] as const) {
      const session = sessions.entries.find(({ sessionId }) => sessionId === hostile.sessions[name])?.id ?? ''
      await follow(page, `/tree?${new URLSearchParams({ q: name, open: `${project}~${session}` })}`)
      // A to-do below the session below the folder.
      await page.locator('[role=treeitem][aria-level="3"]').first().waitFor()
      expect([name, ...(await intruders(page))]).toEqual([name])
    }
  })
})

test('a folder with a hostile name is shown as it is, on the session and among costs', async () => {
  await withPhone(`/sessions/${strange}`, async ({ page, server }) => {
    await page.getByRole('feed').getByText('In a strange folder.').waitFor()
    await page.locator('main header').filter({ hasText: '⟨U+202E⟩gnp.exe␛[31m {{7*7}}' }).first().waitFor()
    expect(await intruders(page)).toEqual([])
    await page.goto(`${server.url}/costs`)
    await page.getByTestId('cost-row').filter({ hasText: '⟨U+202E⟩gnp.exe␛[31m' }).first().waitFor()
    expect(await intruders(page)).toEqual([])
  })
})

test('a question is asked in the words of the call, whatever they are', async () => {
  await withPhone('/', async ({ page, server }) => {
    const row = page.getByTestId('need-row').and(page.locator('[data-need=question]'))
    await row.click({ position: { x: 60, y: 12 } })
    await row.getByText('Wants to call').waitFor()
    const text = (await row.textContent()) ?? ''
    expect(text).toContain('touch <img src=x onerror=alert(1)> ⟨U+202E⟩gnp.exe [click](javascript:alert(1))')
    expect(await intruders(page)).toEqual([])
    await page.goto(`${server.url}/tasks/${asking}`)
    await page.getByTestId('task-page').getByText('⟨U+202E⟩gnp.exe').first().waitFor()
    await unfold(page, '[data-testid=task-page]')
    expect(await intruders(page)).toEqual([])
    await shot(page, 'hostile/question')
  })
})

test('a request from outside is shown, and nothing of it is believed', async () => {
  await withPhone(`/?request=${request}`, async ({ page }) => {
    const dialog = page.getByRole('dialog', { name: /^Request from / })
    await dialog.getByText('isolated').waitFor()
    expect(await dialog.textContent()).toContain('<script>')
    expect(await dialog.textContent()).toContain('⟨U+202E⟩gnp.exe⟨U+202C⟩')
    expect(await intruders(page)).toEqual([])
    await page.keyboard.press('Escape')
    await page.getByTestId('need-row').and(page.locator('[data-need=request]')).waitFor()
    expect(await intruders(page)).toEqual([])
    await shot(page, 'hostile/home')
  })
})

test('control characters and turned text are seen', async () => {
  await withPhone('/', async ({ page }) => {
    for (const [name, seen] of [
      ['ansi', ['␛[31mred␛[0m', '␛]0;title␇', '⟨U+009B⟩31m']],
      ['rtl', ['⟨U+202E⟩gnp.exe⟨U+202C⟩', '⟨U+2066⟩isolated⟨U+2069⟩']],
      ['hidden', ['ze⟨U+200B⟩ro', 'so⟨U+00AD⟩ft', '⟨U+E0041⟩']],
      ['control', ['␁␂␇␈', '␡⟨U+0085⟩⟨U+2028⟩']],
    ] as const) {
      await follow(page, `/sessions/${hostile.sessions[name]}`)
      const prompt = page.getByTestId('session-row').first()
      await prompt.waitFor()
      for (const part of seen) expect(await prompt.textContent()).toContain(part)
      // What stands around its lines is another answer.
      await page.getByRole('heading', { level: 1 }).filter({ hasText: seen[0] }).waitFor()
      await holds(page, `document.title.includes(${JSON.stringify(seen[0])})`)
    }
  })
})

test('a link tells where it leads before it opens; what is no address of the web is no link', async () => {
  await withPhone(
    `/sessions/${hostile.sessions.disguised}`,
    async ({ page, context }) => {
      const link = page.getByRole('feed').getByRole('button', { name: 'https://bank.example', exact: true }).first()
      await link.click()
      const dialog = page.getByRole('dialog', { name: 'Leave Lodeline?' })
      expect(await dialog.textContent()).toContain('http://far.example/steal')
      await dialog.getByRole('button', { name: 'Stay' }).click()
      await dialog.waitFor({ state: 'detached' })
      expect(context.pages()).toHaveLength(1)
      for (const name of ['a', 'b']) expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
      await page.goto(`${world.server.url}/sessions/${hostile.sessions.link}`)
      await page.getByTestId('session-row').first().waitFor()
      for (const name of ['click', 'data'])
        expect(await page.getByRole('button', { name, exact: true }).count()).toBe(0)
    },
    { size: 'wide' },
  )
})

test('a word of a megabyte holds nothing up', async () => {
  await withPhone('/', async ({ page, server }) => {
    await page.addInitScript(
      'globalThis.longest = 0; new PerformanceObserver((list) => { for (const one of list.getEntries()) longest = Math.max(longest, one.duration) }).observe({ type: "longtask", buffered: true })',
    )
    for (const [path, shows] of [
      [`/sessions/${hostile.sessions.word}`, '[data-testid=session-row]'],
      [`/issues/${hostile.issues.lines}`, 'h1'],
      ['/?tab=running', '[data-testid=running-row]'],
    ] as const) {
      await page.goto(server.url + path)
      await page.locator(shows).first().waitFor()
      await unfold(page, '[role=feed]')
      expect(await intruders(page)).toEqual([])
      expect(await page.evaluate<number>('longest')).toBeLessThan(2_000)
    }
  })
})
