/** The command bar: all that can be done and found, by keys. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { SessionId } from '../../src/domain/ids'
import { Lab } from '../lab/lab'
import type { Lode } from '../lab/lode'
import { until } from '../lab/until'
import { browserOfTests, type Dashboard, type DashboardOptions, PAGES, shot, withDashboard } from './page/page'
import { axeCheck } from './page/page-axe'
import { importConversations } from './page/page-transcripts'
import { holds, scrollsSideways } from './page/page-wait'
import { HOSTILE_TEXTS } from './world/world-hostile-texts'

const lab = new Lab()
const folder = lab.root
let server: Lode
let session: SessionId
let task: string
let issue: string

beforeAll(async () => {
  await browserOfTests()
  server = lab.addLode('l', PAGES)
  await server.up()
  const startedAt = Date.now() - 60_000
  const [first] = await importConversations(server, folder, [
    { cwd: '/srv/harbour', title: 'Mend the hawser', startedAt, lines: (write) => [write.prompt('Mend it.')] },
    { cwd: '/srv/harbour', title: `jellyfish ${HOSTILE_TEXTS.image}`, startedAt, lines: (write) => [write.say('x')] },
  ])
  if (first === undefined) throw new Error('nothing was imported')
  session = first
  task = (await server.client.tasks.create({ task: 'Order a new hawser', status: 'backlog' })).task.id
  issue = (await server.client.issues.create({ dir: folder, actor: 'ann', title: 'No spare hawser' })).issue.id
})
afterAll(() => lab.stop())

const withPage = (path: string, work: (dashboard: Dashboard) => Promise<void>, options: DashboardOptions = {}) =>
  withDashboard({ server, path, ...options }, async (dashboard) => {
    await dashboard.page.getByRole('link', { name: 'Tree' }).filter({ visible: true }).waitFor()
    await work(dashboard)
  })

const field = (page: Page) => page.getByRole('combobox', { name: 'Command bar' })
const option = (page: Page, name: string) => page.getByRole('option', { name })
/** What Enter would do. */
const current = (page: Page) => page.getByRole('option', { selected: true })

async function openBar(page: Page, keys: string, text = ''): Promise<void> {
  await page.keyboard.press(keys)
  await field(page).waitFor()
  await page.keyboard.type(text)
}

test('goes to every place by its name, and is closed by Escape', async () => {
  await withPage('/tasks', async ({ page }) => {
    for (const place of ['Home', 'Tree', 'Tasks', 'Issues', 'Search', 'Costs', 'Fleet', 'Doctor']) {
      await openBar(page, 'Control+k', `go to ${place}`)
      await current(page)
        .filter({ hasText: `Go to ${place}` })
        .waitFor()
      await page.keyboard.press('Enter')
      await page.waitForURL(place === 'Home' ? `${server.url}/` : `**/${place.toLowerCase()}`)
      await field(page).waitFor({ state: 'detached' })
    }
    await page.keyboard.press('Escape')
    await openBar(page, '/')
    await page.keyboard.press('Escape')
    await field(page).waitFor({ state: 'detached' })
  })
})

test('opens from within a field, too, and gives the focus back', async () => {
  await withPage('/search', async ({ page }) => {
    await page.getByRole('searchbox').focus()
    await openBar(page, 'Control+k')
    await holds(page, 'document.activeElement?.getAttribute("role") === "combobox"')
    await page.keyboard.press('Escape')
    await holds(page, 'document.activeElement?.type === "search"')
  })
})

test('follows the pattern of a combobox: one option is current, named to who does not see it', async () => {
  await withPage('/tasks', async ({ page }) => {
    await openBar(page, '/')
    const isNamed = `(() => {
      const field = document.querySelector('[role=combobox]')
      const option = document.getElementById(field.getAttribute('aria-activedescendant'))
      return option?.getAttribute('aria-selected') === 'true' && document.querySelectorAll('[role=option][aria-selected=true]').length === 1
        && document.getElementById(field.getAttribute('aria-controls'))?.getAttribute('role') === 'listbox'
    })()`
    for (const key of ['ArrowDown', 'ArrowDown', 'PageDown', 'ArrowUp', 'PageUp']) {
      expect(await page.evaluate<boolean>(isNamed)).toBe(true)
      await page.keyboard.press(key)
    }
    const last = page.getByRole('option').last()
    await page.keyboard.press('ArrowUp')
    while (!(await last.getAttribute('aria-selected'))?.includes('true')) await page.keyboard.press('ArrowUp')
    expect(await last.isVisible()).toBe(true)
    for (const group of ['On this page', 'Pages', 'Lodeline'])
      expect(await page.getByRole('group', { name: group }).count()).toBe(1)
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'command-bar/empty-light')
  })
})

test('does what keys of the page do, and says where that is nothing', async () => {
  await withPage('/tasks', async ({ page }) => {
    await openBar(page, '/', 'new task')
    await current(page).filter({ hasText: 'New task' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('dialog', { name: 'New task' }).waitFor()
  })
  await withPage('/doctor', async ({ page, problems }) => {
    const asked = () => problems.requests.filter((url) => url.endsWith('/api/doctor')).length
    await page
      .getByText(/Healthy|found\./)
      .first()
      .waitFor()
    const before = asked()
    await openBar(page, '/', 'check again')
    await current(page).filter({ hasText: 'Check again' }).waitFor()
    await page.keyboard.press('Enter')
    await field(page).waitFor({ state: 'detached' })
    // The first look may be as young.
    await until('another look', () => asked() > before)
    await page.getByText('checked just now').waitFor()
  })
  await withPage('/fleet', async ({ page }) => {
    await page.getByTestId('fleet-page').waitFor()
    await openBar(page, '/', 'out of it')
    await current(page).filter({ hasText: 'Go out of it' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByText('“go out of it” has no effect here.').waitFor()
  })
})

test('finds sessions, tasks and issues by title while one types, and opens them', async () => {
  const found = [
    ['Mend the hawser', () => `**/sessions/${session}`],
    ['Order a new hawser', () => `**/tasks/${task}`],
    ['No spare hawser', () => `**/issues/${issue}*`],
  ] as const
  for (const [title, path] of found)
    await withPage('/fleet', async ({ page }) => {
      await openBar(page, '/', 'hawser')
      await option(page, title).waitFor()
      // Results that come do not move what Enter does.
      expect(await current(page).textContent()).toContain('Search everything for “hawser”')
      await option(page, title).click()
      await page.waitForURL(path())
    })
})

test('opens what a pasted id names, or the beginning of one', async () => {
  await withPage('/fleet', async ({ page }) => {
    await openBar(page, '/', task)
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/tasks/${task}`)
    await openBar(page, '/', session.slice(0, 6))
    await option(page, 'Mend the hawser').waitFor()
    while (!(await current(page).textContent())?.includes('Mend the hawser')) await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/sessions/${session}`)
    await openBar(page, '/', issue)
    await option(page, 'No spare hawser').waitFor()
    await option(page, `Open ${issue}`).click()
    await page.waitForURL(`**/issues/${issue}*`)
  })
})

test('searches everything for what was typed', async () => {
  await withPage('/fleet', async ({ page }) => {
    await openBar(page, '/', 'new  hawser & rope')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/search?q=new++hawser+%26+rope')
  })
})

test('changes the colours, and a reload keeps them', async () => {
  await withPage('/fleet', async ({ page }) => {
    await openBar(page, '/', 'colours dark')
    await page.keyboard.press('Enter')
    await holds(page, 'document.documentElement.dataset.scheme === "dark"')
    await page.reload()
    await page.getByTestId('fleet-page').waitFor()
    expect(await page.evaluate<string>('document.documentElement.dataset.scheme')).toBe('dark')
    await openBar(page, '/', 'system default')
    await page.keyboard.press('Enter')
    await holds(page, 'document.documentElement.dataset.scheme === undefined')
  })
})

test('turns notifications on where the browser allows it, and says so where not', async () => {
  const work = async ({ page, context, problems }: Dashboard) => {
    // The pages of tests have no worker: then a page tells while it is open.
    problems.allow(/Service Worker registration blocked/)
    await context.grantPermissions(['notifications'], { origin: server.url })
    await openBar(page, '/', 'notifications on')
    await page.keyboard.press('Enter')
    await page.getByText('Notifications are on.').waitFor()
    expect(await page.evaluate<string>('localStorage.getItem("lodeline.notify")')).toBe('on')
    await openBar(page, '/', 'notifications off')
    await page.keyboard.press('Enter')
    await page.getByText('Notifications are off.').waitFor()
  }
  await withPage('/fleet', work, { isWhole: true })
})

test('logs out', async () => {
  await withPage('/fleet', async ({ page, problems }) => {
    problems.allow(/401/)
    await openBar(page, '/', 'log out')
    await page.keyboard.press('Enter')
    await page.getByLabel('Code').waitFor()
  })
})

test('hostile titles are only text, and it is usable narrow and dark', async () => {
  await withPage(
    '/fleet',
    async ({ page }) => {
      await page.getByRole('button', { name: 'Command bar' }).click()
      await field(page).fill('jellyfish')
      await option(page, 'jellyfish image <img').waitFor()
      expect(await page.locator('[role=option] img').count()).toBe(0)
      expect(await scrollsSideways(page)).toBe(false)
      expect(await axeCheck(page)).toEqual([])
      const box = await option(page, 'jellyfish image').boundingBox()
      expect(box?.height).toBeGreaterThanOrEqual(36)
      await shot(page, 'command-bar/found-phone-dark')
    },
    { size: 'phone', scheme: 'dark' },
  )
})
