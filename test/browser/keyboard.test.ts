/** Everything by keys alone: where one is, is always to be seen, and is never lost. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { SessionId, TaskId } from '../../src/domain/ids'
import { until } from '../lab/until'
import { browserOfTests, withDashboard } from './page/page'
import { keysAwake } from './page/page-wait'
import { World } from './world/world'
import { reached } from './world/world-tasks'

let world: World
let asking: TaskId
let failed: TaskId
let done: TaskId
let charted: SessionId

beforeAll(async () => {
  await browserOfTests()
  world = await World.start()
  const { client, claude } = world
  const create = async (task: string) => (await client.tasks.create({ task, dir: claude.project })).task.id
  asking = await create('Unload the third ship')
  failed = await create('Unload the second ship')
  await create('Dredge the channel')
  done = await create('Greet the harbour master')
  charted = await world.session('charted')
  await Promise.all([reached(world, failed, 'failed'), reached(world, done, 'completed')])
  // What asks a person does not run.
  await until('work that runs', async () =>
    (await client.tree.level()).entries.some(({ rollup }) => (rollup?.running ?? 0) > 0),
  )
  await until('the question', async () => (await client.questions.list({ taskId: asking })).questions[0])
})
afterAll(() => world?.stop())

interface Focus {
  /** What it is called, or what stands in it. */
  name: string
  tag: string
  role: string | null
  test: string | null
  isInPage: boolean
  isInDialog: boolean
  /** On the screen, with something that shows where it is. */
  isSeen: boolean
}

/** What has the focus. A field shows it by its caret; all else by an outline. */
const FOCUS = `(() => {
  const one = document.activeElement
  const box = one.getBoundingClientRect()
  const style = getComputedStyle(one)
  const isField = one.matches('input, textarea, select')
  const isOn = box.width > 0 && box.height > 0 && box.bottom > 0 && box.right > 0 && box.top < innerHeight && box.left < innerWidth
  return {
    // Ages go on meanwhile.
    name: (one.getAttribute('aria-label') ?? one.textContent ?? '').replace(/(\\d+ (s|min|h|d) ago|just now)/g, '').trim().slice(0, 400),
    tag: one.tagName,
    role: one.getAttribute('role'),
    test: one.dataset.testid ?? null,
    isInPage: document.getElementById('page')?.contains(one) ?? false,
    isInDialog: one.closest('dialog[open]') !== null,
    isSeen: one !== document.body && isOn && (isField || (style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) > 0)),
  }
})()`
const focus = (page: Page) => page.evaluate<Focus>(FOCUS)

/** The id in a row of a task. Other things in it, such as its cost, come later. */
const taskIn = (words: string): string | undefined => /t-[0-9a-z]{8}/.exec(words)?.[0]

/** Waits until the focus is where `holds` says; fails with where it is. */
async function focusIs(page: Page, what: string, holds: (focus: Focus) => boolean): Promise<Focus> {
  let last: Focus | undefined
  await until(
    what,
    async () => {
      last = await focus(page)
      return holds(last)
    },
    5_000,
  ).catch(() => {
    throw new Error(`the focus is not ${what}: ${JSON.stringify(last)}`)
  })
  if (!last?.isSeen) throw new Error(`the focus is ${what}, and nobody sees it: ${JSON.stringify(last)}`)
  return last
}

/** The keys that `?` lists, each with what it does. */
async function listedKeys(page: Page): Promise<Map<string, string>> {
  await page.keyboard.press('?')
  const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await dialog.waitFor()
  const rows = await dialog.getByRole('listitem').evaluateAll(
    (
      items: {
        children: ArrayLike<{ querySelector(at: string): { textContent: string } | null }>
        lastChild: { textContent: string }
      }[],
    ) =>
      items.map(
        (item) => [item.children[0]?.querySelector('.sr-only')?.textContent ?? '', item.lastChild.textContent] as const,
      ),
  )
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  return new Map(rows)
}

test('from `lode open` to an answered question and a message, without a pointer', async () => {
  const { url } = await world.server.json<{ url: string }>('open')
  await withDashboard({ server: world.server, isLoggedIn: false }, async ({ page, problems, client }) => {
    problems.allow(/\/api\/me 401$/, / 401 .*\/api\/me$/)
    await page.goto(url)
    await page.getByTestId('need-row').first().waitFor()
    const path = () => new URL(page.url()).pathname

    // The places, and how one gets to them.
    const keys = await listedKeys(page)
    for (const key of ['?', '/', 'Mod+k', '.', 'j', 'k', 'Enter', 'a', 'A', 'd', 'r', 's', 'x', 'Space', 'J'])
      expect([...keys.keys()]).toContain(key)
    const places = [...keys].filter(([key]) => /^g [a-z]$/.test(key)).sort(([a]) => (a === 'g d' ? -1 : 1))
    expect(places).toHaveLength(11)
    // On a question, whose `d` denies: as the end of a row it does not.
    await page.keyboard.press('.')
    await page.waitForURL('**/?need=question*')
    for (const [key, what] of places) {
      for (const one of key.split(' ')) await page.keyboard.press(one)
      const name = what.replace('go to ', '')
      await page.getByRole('heading', { level: 1, name }).waitFor()
      expect(path()).toBe(name === 'Home' ? '/' : `/${name.toLowerCase()}`)
      const now = await focusIs(page, `on the page of ${name}`, ({ isInPage }) => isInPage)
      // Where one is to type at once, letters are letters until one leaves the field.
      if (now.tag === 'INPUT') await page.keyboard.press('Escape')
    }
    expect((await client.questions.list({ taskId: asking })).questions[0]?.status).toBe('open')

    // An id that was copied somewhere, by either way to the command bar.
    for (const [open, id, to] of [
      ['/', asking, `/tasks/${asking}`],
      ['Control+k', charted, `/sessions/${charted}`],
    ] as const) {
      await page.keyboard.press(open)
      await page.getByRole('combobox', { name: 'Command bar' }).waitFor()
      await page.keyboard.type(id)
      await page.getByRole('option', { name: `Open ${id}` }).waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(`**${to}`)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await focusIs(page, `on ${to}`, ({ isInPage }) => isInPage)
    }
    await page.getByTestId('session-row').first().waitFor()
    await page.keyboard.press('k')
    await focusIs(page, 'on a row of the session', ({ test: id }) => id === 'session-row')

    // The tree: into what is there, and out again.
    await page.keyboard.press('g')
    await page.keyboard.press('t')
    await page.getByRole('treeitem').first().waitFor()
    await page.keyboard.press('j')
    await focusIs(page, 'on a line of the tree', ({ role }) => role === 'treeitem')
    await page.keyboard.press('Home')
    await page.keyboard.press('r')
    await page.waitForURL('**/tree?*open=*')
    await page.keyboard.press('Home')
    const current = page.locator('[role=treeitem][aria-selected=true]')
    const wasOpen = await current.getAttribute('aria-expanded')
    expect(wasOpen).toBe('true')
    await page.keyboard.press('ArrowLeft')
    await page.locator('[role=treeitem][aria-selected=true][aria-expanded=false]').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.locator('[role=treeitem][aria-selected=true][aria-expanded=true]').waitFor()
    await page.keyboard.press('ArrowRight')
    await page.locator('[role=treeitem][aria-selected=true][aria-level="2"]').waitFor()
    await focusIs(page, 'on a line below', ({ role }) => role === 'treeitem')
    await page.keyboard.press('Enter')
    await page.waitForURL((at) => /^\/(tasks|sessions)\//.test(at.pathname))
    await page.goBack()
    await page.getByRole('treeitem').first().waitFor()

    // From anywhere to what needs the person; the first is the question.
    await page.keyboard.press('.')
    await page.waitForURL('**/?need=question*')
    const asked = page.getByTestId('need-row').and(page.locator('[data-need=question]'))
    await focusIs(page, 'on the question', ({ test: id, name }) => id === 'need-row' && name.includes('third ship'))
    await page.keyboard.press('.')
    await focusIs(page, 'on the failure', ({ test: id, name }) => id === 'need-row' && name.includes('second ship'))
    await page.keyboard.press('k')
    await focusIs(page, 'on the question again', ({ name }) => name.includes('third ship'))
    // A row that was just replaced takes no key: a person presses again.
    const isTaken = asked.getByRole('button', { name: 'Undo' })
    for (let tries = 0; tries < 10 && !(await isTaken.isVisible()); tries++) {
      await keysAwake(page)
      await page.keyboard.press('a')
      await isTaken.waitFor({ timeout: 1_500 }).catch(() => {})
    }
    await asked.waitFor({ state: 'detached' })
    await focusIs(
      page,
      'on the next that needs one',
      ({ test: id, name }) => id === 'need-row' && name.includes('second ship'),
    )
    await until('the answer', async () => (await client.tasks.get(asking)).task.status === 'completed')
    // Keys rest for a moment, since another row came under them.
    await keysAwake(page)
    await page.keyboard.press('x')
    await page.getByText('Nothing needs you.').waitFor()
    await focusIs(page, 'still in the page', ({ isInPage }) => isInPage)

    // Into a task, with a word for it, and back to where one was.
    await page.keyboard.press('g')
    await page.keyboard.press('q')
    const rows = page.getByTestId('task-row')
    await rows.first().waitFor()
    for (let step = 0; step < 10; step++) {
      await page.keyboard.press(step === 0 ? 'Home' : 'j')
      if ((await focus(page)).name.includes('Greet the harbour master')) break
    }
    await focusIs(page, 'on the task', ({ name }) => name.includes('Greet the harbour master'))
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/tasks/${done}`)
    await page.getByTestId('task-page').waitFor()
    await focusIs(page, 'on the page of the task', ({ isInPage }) => isInPage)
    await page.keyboard.press('m')
    await focusIs(page, 'in the field', ({ tag }) => tag === 'TEXTAREA')
    // Letters that are keys elsewhere.
    await page.keyboard.type('gave a rope, /.? g t')
    expect(path()).toBe(`/tasks/${done}`)
    await page.keyboard.press('Control+Enter')
    await page.getByRole('list', { name: 'Messages' }).getByText('gave a rope, /.? g t').waitFor()
    expect((await client.messages.list({ to: done })).messages.map(({ text }) => text)).toEqual([
      'gave a rope, /.? g t',
    ])
    await focusIs(page, 'where it was written', ({ tag }) => tag === 'TEXTAREA')
    await page.keyboard.press('Escape')
    await focusIs(page, 'still in the page', ({ isInPage }) => isInPage)
    await page.goBack()
    await rows.first().waitFor()
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  })
})

test('each key that is listed on a page does something there', async () => {
  await withDashboard({ server: world.server, path: '/tree' }, async ({ page }) => {
    await page.getByRole('treeitem').first().waitFor()
    const keys = await listedKeys(page)
    for (const key of ['j', 'k', 'h', 'l', 'ArrowRight', 'ArrowLeft', 'Home', 'End', 'Enter', '*', 'r'])
      expect([...keys.keys()]).toContain(key)
    await page.keyboard.press('*')
    await page.waitForURL('**/tree?*open=*')
    await page.locator('[role=treeitem][aria-level="2"]').first().waitFor()
    const at = page.locator('[role=treeitem][aria-selected=true]')
    const first = await at.getAttribute('data-entry')
    await page.keyboard.press('End')
    await page.locator(`[role=treeitem][aria-selected=true]:not([data-entry="${first}"])`).waitFor()
    await page.keyboard.press('Home')
    await page.locator(`[role=treeitem][aria-selected=true][data-entry="${first}"]`).waitFor()
    expect(await page.locator('[role=treeitem]').first().getAttribute('data-entry')).toBe(first)
  })
})

test('dialogs keep the focus, rest the keys of the page, and give it back', async () => {
  await withDashboard({ server: world.server, path: '/tasks' }, async ({ page, client }) => {
    await page.getByTestId('task-row').first().waitFor()
    await page.keyboard.press('j')
    const before = await focusIs(page, 'on a task', ({ test: id }) => id === 'task-row')
    for (const [open, name] of [
      ['?', 'Keyboard shortcuts'],
      ['/', 'Command bar'],
    ] as const) {
      await page.keyboard.press(open)
      const dialog = page.getByRole('dialog', { name })
      await dialog.waitFor()
      for (let tab = 0; tab < 6; tab++) {
        // The browser's own controls come between the last and the first.
        const now = await focus(page)
        expect(now.isInDialog || now.tag === 'BODY').toBe(true)
        await page.keyboard.press('Tab')
      }
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      await focusIs(
        page,
        'back',
        ({ test: id, name: words }) => id === 'task-row' && taskIn(words) === taskIn(before.name),
      )
    }
    const count = (await client.tasks.list()).tasks.length
    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog', { name: 'New task' })
    await dialog.waitFor()
    // The keys of the page below do nothing while the dialog is there, though the focus is on none of its fields.
    await dialog.getByRole('button', { name: 'Close', exact: true }).focus()
    for (const key of ['g', 'h', '.', 'j']) await page.keyboard.press(key)
    expect(new URL(page.url()).pathname).toBe('/tasks')
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await focusIs(page, 'back in the list', ({ isInPage }) => isInPage)
    expect((await client.tasks.list()).tasks).toHaveLength(count)
  })
})

test('keys of one character do nothing for who turned them off, and all is there by the command bar', async () => {
  await withDashboard({ server: world.server }, async ({ page }) => {
    const choice = page.getByRole('checkbox', { name: /Single-character shortcuts/ })
    const stays = async (path: string) => {
      for (const key of ['g', 't', '?', '/', '.', 'j']) await page.keyboard.press(key)
      // What a key does that works comes after what those did.
      await page.keyboard.press('ControlOrMeta+k')
      await page.getByRole('dialog', { name: 'Command bar' }).waitFor()
      expect([new URL(page.url()).pathname, await page.getByRole('dialog').count()]).toEqual([path, 1])
    }
    await page.getByRole('button', { name: 'Keyboard shortcuts (?)' }).click()
    await choice.uncheck()
    const listed = page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByRole('listitem')
    expect(await listed.filter({ hasText: 'Mod+k' }).count()).toBe(1)
    expect(await listed.filter({ hasText: 'go to' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await stays('/')
    await page.keyboard.type('Tree')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/tree')

    await page.reload()
    await page.getByRole('treeitem').first().waitFor()
    await stays('/tree')
    await page.keyboard.type('single-character')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('g')
    await page.keyboard.press('h')
    await page.getByTestId('count-needs').waitFor()
  })
})

test('Tab leads through the page in its order, from the link that skips to it', async () => {
  await withDashboard({ server: world.server }, async ({ page }) => {
    await page.goto(`${world.server.url}/?tab=finished`)
    await page.getByTestId('finished-row').first().waitFor()
    await page.keyboard.press('Tab')
    const skip = await focusIs(page, 'on the first link', ({ tag }) => tag === 'A')
    expect(skip.name).toBe('Skip to content')
    const seen: Focus[] = []
    for (let tab = 0; tab < 60; tab++) {
      await page.keyboard.press('Tab')
      const now = await focus(page)
      if (now.tag === 'BODY') break
      expect([now.name, now.isSeen]).toEqual([now.name, true])
      seen.push(now)
    }
    // All around the page comes before the page, and nothing of it after.
    const firstIn = seen.findIndex(({ isInPage }) => isInPage)
    expect(firstIn).toBeGreaterThan(8)
    expect(seen.slice(firstIn).every(({ isInPage }) => isInPage)).toBe(true)
    for (const place of [
      'Command bar',
      'Home',
      'Tree',
      'Tasks',
      'Issues',
      'Search',
      'Costs',
      'Fleet',
      'Doctor',
      'Log out',
    ])
      expect(seen.slice(0, firstIn).filter(({ name }) => name.startsWith(place))).toHaveLength(1)
    await page.goto(`${world.server.url}/?tab=finished`)
    await page.getByTestId('finished-row').first().waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await focusIs(page, 'on the page', ({ tag }) => tag === 'MAIN')
    await page.keyboard.press('Tab')
    await focusIs(page, 'in the page', ({ isInPage, tag }) => isInPage && tag !== 'MAIN')
    expect(page.url()).toBe(`${world.server.url}/?tab=finished`)
  })
})
