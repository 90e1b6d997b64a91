/** The list of tasks, and the dialog that makes one. No run is started: tasks are made by the API. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { Task } from '../../../src/domain/task/task'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { browserOfTests, type Dashboard, type DashboardOptions, PAGES, shot, withDashboard } from '../page/page'
import { axeCheck } from '../page/page-axe'
import { follow } from '../pages/pages-stops'

const MANY = 150

const lab = new Lab()
const _folder = lab.root
let server: Lode
let epic: string

beforeAll(async () => {
  await browserOfTests()
  server = lab.addLode('l', PAGES)
  await server.up()
  const { client } = server
  for (let n = 0; n < MANY; n++)
    await client.tasks.create({ task: `Crate number ${n}`, status: 'backlog', priority: n % 100, dir: '/srv/crates' })
  const failed = await make('A crate that fell', { dir: '/srv/harbour' })
  await client.tasks.finish(failed.id, { status: 'failed', failureReason: 'the rope broke' })
  const done = await make('A crate that stands', { dir: '/srv/harbour' })
  await client.tasks.finish(done.id, { status: 'completed', output: 'It stands.' })
  const parent = await make('A crate of crates')
  await make('A crate within', { parentTaskId: parent.id })
  await make('First in the queue', { priority: 99 })
  await make('Last in the queue', { priority: 1 })
  epic = parent.id
})
afterAll(() => lab.stop())

async function make(text: string, more: object = {}): Promise<Task> {
  return (await server.client.tasks.create({ task: text, ...more })).task
}

const withTasks = (path: string, work: (dashboard: Dashboard) => Promise<void>, options: DashboardOptions = {}) =>
  withDashboard({ server, path, ...options }, async (dashboard) => {
    await dashboard.page.getByRole('heading', { level: 1, name: 'Tasks' }).waitFor()
    await work(dashboard)
  })

const rows = (page: Page) => page.getByTestId('task-row')
const rowOf = (page: Page, title: string) => rows(page).filter({ hasText: title })

test('says what to do first where there is nothing', async () => {
  await withDashboard({ path: '/tasks' }, async ({ page, server: empty }) => {
    await page.getByText('No tasks yet.').waitFor()
    await page.getByText("lode task create 'Fix the failing tests'").waitFor()
    expect(await axeCheck(page, { within: 'main' })).toEqual([])
    await shot(page, 'tasks/empty')
    // What is made elsewhere appears.
    await empty.client.tasks.create({ task: 'Paint the first buoy' })
    await rowOf(page, 'Paint the first buoy').waitFor()
  })
})

test('narrows to what the address says, and says in the address what it is narrowed to', async () => {
  await withTasks('/tasks', async ({ page }) => {
    await page.getByRole('button', { name: 'failed' }).click()
    await page.waitForURL('**/tasks?status=failed')
    await rowOf(page, 'A crate that stands').waitFor({ state: 'detached' })
    const failed = rowOf(page, 'A crate that fell')
    expect(await failed.locator('[data-status="failed"]').textContent()).toContain('the rope broke')
    expect(await rows(page).count()).toBe(1)
    await page.reload()
    await failed.waitFor()
    expect(await rows(page).count()).toBe(1)
    await page.getByRole('button', { name: 'all' }).click()
    await page.getByRole('searchbox', { name: 'Search text or title' }).fill('crate that')
    await page.waitForURL('**/tasks?q=crate+that')
    await rowOf(page, 'Crate number').first().waitFor({ state: 'detached' })
    expect(await rows(page).count()).toBe(2)
    await failed.getByRole('link').first().click()
    await page.getByTestId('task-page').waitFor()
    await page.goBack()
    await page.waitForURL('**/tasks?q=crate+that')
    expect(await page.getByRole('searchbox').inputValue()).toBe('crate that')
  })
  await withTasks(`/tasks?parent=${epic}`, async ({ page }) => {
    await rowOf(page, 'A crate within').waitFor()
    expect(await rows(page).count()).toBe(1)
    await page.getByRole('button', { name: `Remove filter: parent ${epic}` }).click()
    await page.waitForURL('**/tasks')
    await rowOf(page, 'Last in the queue').waitFor()
  })
  await withTasks('/tasks?q=nothing+of+this', async ({ page }) => {
    await page.getByText('No tasks match these filters.').waitFor()
  })
})

test('puts what waits in the order in which it is taken', async () => {
  await withTasks('/tasks?order=queue', async ({ page }) => {
    await rowOf(page, 'Last in the queue').waitFor()
    const titles = await rows(page).getByRole('link').allTextContents()
    expect(titles[0]).toBe('First in the queue')
    expect(titles.at(-1)).toBe('Last in the queue')
    expect(titles.some((title) => title.startsWith('Crate number'))).toBe(false)
  })
})

test('is walked by keys, page after page, with only what is in view on the page', async () => {
  await withTasks('/tasks?q=number', async ({ page }) => {
    await rows(page).first().waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    expect(await page.evaluate<string>('document.activeElement.dataset.index')).toBe('1')
    // Each look at the end brings the next page.
    for (let look = 0; look < 10; look++) {
      await page.keyboard.press('End')
      await page.waitForTimeout(300)
    }
    await rowOf(page, 'Crate number 0').last().waitFor()
    expect(await page.evaluate<string>('document.activeElement.dataset.index')).toBe(String(MANY - 1))
    expect(await rows(page).count()).toBeLessThan(80)
    await page.keyboard.press('Enter')
    await page.getByTestId('task-page').waitFor()
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toBe('Crate number 0')
  })
})

test('makes a task by keys alone, and loses nothing that was typed', async () => {
  await withTasks('/tasks', async ({ page, client, problems }) => {
    problems.allow(/\/api\/tasks 400/, /status of 400/)
    // At once: no key waits for the dialog.
    await page.keyboard.press('n')
    await page.keyboard.type('Sweep the quay\nfrom end to end')
    await page.waitForURL('**/tasks?new=1')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.reload()
    await rows(page).first().waitFor()
    await page.keyboard.press('n')
    const dialog = page.getByRole('dialog', { name: 'New task' })
    const words = dialog.getByLabel('Instructions')
    expect(await words.inputValue()).toBe('Sweep the quay\nfrom end to end')
    // What the server refuses stands at its field, and the focus with it.
    await dialog.getByLabel('Folder').fill('srv/quay')
    await page.keyboard.press('Control+Enter')
    await dialog.getByText(/is not absolute/).waitFor()
    expect(await page.evaluate<string>('document.activeElement.placeholder')).toBe('/home/you/project')
    await dialog.getByLabel('Folder').fill('/srv/quay')
    // A value that is no number is reported at once, where it stands behind "More", too.
    await dialog.getByText(/^More:/).click()
    await dialog.getByLabel('Maximum turns').fill('many')
    await page.keyboard.press('Control+Enter')
    await dialog.getByText('A whole number from 1 to 100,000.').waitFor()
    await dialog.getByLabel('Maximum turns').fill('12')
    await dialog.getByLabel('Priority').fill('7')
    expect(await axeCheck(page, { within: 'dialog' })).toEqual([])
    await shot(page, 'tasks/new')
    await page.keyboard.press('Control+Enter')
    await page.keyboard.press('Control+Enter')
    await page.getByTestId('task-page').waitFor()
    const { tasks } = await client.tasks.list({ text: 'Sweep the quay' })
    expect(tasks).toHaveLength(1)
    expect(tasks[0]).toMatchObject({
      dir: '/srv/quay',
      maxTurns: 12,
      priority: 7,
      source: 'dashboard',
      title: 'Sweep the quay',
    })
    await page.goBack()
    await page.waitForURL('**/tasks')
    // Its keys are there once it is drawn.
    await page.getByTestId('task-row').first().waitFor()
    await page.keyboard.press('n')
    expect(await words.inputValue()).toBe('')
    // Most tasks follow each other in one folder. That of an issue is another matter.
    expect(await dialog.getByLabel('Folder').inputValue()).toBe('/srv/quay')
    await follow(page, '/tasks?new=1&issue=ld-1')
    await dialog.waitFor()
    expect(await dialog.getByLabel('Folder').inputValue()).toBe('')
  })
})

test('sends the same words once, also when the answer is lost on the way', async () => {
  await withTasks('/tasks?new=1', async ({ page, client, problems }) => {
    problems.allow(/ERR_FAILED/, /Failed to load/)
    let lost = 0
    await page.route('**/api/tasks', async (route) => {
      if (route.request().method() !== 'POST' || lost++ > 0) return route.continue()
      await route.fetch()
      return route.abort()
    })
    await page.getByRole('dialog').getByLabel('Instructions').fill('Ring the bell once')
    await page.getByRole('dialog').getByLabel('Folder').fill('/srv/quay')
    await page.keyboard.press('Control+Enter')
    await page.getByTestId('task-page').waitFor()
    expect(lost).toBeGreaterThan(1)
    expect((await client.tasks.list({ text: 'Ring the bell once' })).tasks).toHaveLength(1)
  })
})

for (const [size, scheme] of [
  ['wide', 'dark'],
  ['phone', 'light'],
] as const)
  test(`breaks no rule of accessibility and needs no sideways scrolling, ${size} and ${scheme}`, async () => {
    await withTasks(
      '/tasks',
      async ({ page }) => {
        await rows(page).first().waitFor()
        expect(await axeCheck(page, { within: 'main' })).toEqual([])
        expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
        await shot(page, `tasks/${size}-${scheme}`)
      },
      { size, scheme },
    )
  })

test('asks for no more of texts than rows show, and a task has all of its own', async () => {
  const long = await make(`Chart the bay\n${'fathom '.repeat(25_000)}the last word`, { status: 'backlog' })
  await withTasks('/tasks', async ({ page }) => {
    await rowOf(page, 'Chart the bay').waitFor()
    const answer = page.waitForResponse((response) => new URL(response.url()).pathname === '/api/tasks')
    await page.reload()
    const body = await (await answer).text()
    expect(body).toContain('Chart the bay')
    expect(body).not.toContain('the last word')
    await rowOf(page, 'Chart the bay').getByRole('link').first().click()
    await page.waitForURL(`**/tasks/${long.id}`)
    await page.getByRole('button', { name: 'Show all' }).click()
    await page.getByText('the last word').waitFor()
  })
})
