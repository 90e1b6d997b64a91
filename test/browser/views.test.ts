/** A list is saved under a name, with its count, for oneself or for everybody; it is the same in another browser. */
import { expect, test } from 'bun:test'
import { shot, type View, withDashboard } from './page/page'
import { axeCheck } from './page/page-axe'
import { scrollsSideways } from './page/page-wait'
import { follow } from './pages/pages-stops'

test('a view is shared with one project, whose readers see it there alone and leave it as it is', async () => {
  await withDashboard({ path: '/' }, async (dashboard) => {
    const { page, client, server, problems } = dashboard
    for (const dir of ['/tmp/harbour', '/tmp/other'])
      await client.tasks.create({ task: 'Paint', status: 'backlog', dir })
    await page.goto(`${server.url}/tasks?project=${encodeURIComponent('/tmp/harbour')}&status=waiting`)
    await page.getByRole('button', { name: 'Views', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Save this view' }).press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Save this view' })
    await dialog.getByRole('textbox', { name: 'Name' }).fill('Harbour')
    const here = dialog.getByRole('checkbox', { name: 'Only where they look at harbour' })
    expect(await here.count()).toBe(0)
    await dialog.getByRole('checkbox', { name: 'Show it to everybody who reads here' }).check()
    await here.check()
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'views/of-project')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Harbour' }).click()
    await page.getByRole('menuitem', { name: /^Harbour.*shared in harbour/ }).waitFor()
    await shot(page, 'views/of-project-menu')

    await server.client.users.add({ name: 'Ada', role: 'approver' })
    const { code, path: entrance } = await server.client.users.code('Ada')
    const context = await page.context().browser()?.newContext()
    const ada = await context?.newPage()
    if (ada === undefined) throw new Error('no browser')
    problems.watch(ada)
    await ada.goto(`${server.url}${entrance}#${new URLSearchParams({ code, to: '/tasks' })}`)
    const menu = ada.getByRole('button', { name: 'Views', exact: true })
    await menu.click()
    await ada.getByText('No saved views yet.').waitFor()
    await ada.goto(`${server.url}/tasks?project=${encodeURIComponent('/tmp/harbour')}`)
    await menu.click()
    await ada.getByRole('menuitem', { name: /^Harbour.*by the operator/ }).waitFor()
    // A reader can't remove it: it is not among their own.
    await ada.getByRole('menuitem', { name: 'Save this view' }).press('Enter')
    await ada.getByRole('dialog', { name: 'Save this view' }).waitFor()
    expect(await ada.getByRole('button', { name: 'Remove the view Harbour' }).count()).toBe(0)
    expect(await ada.evaluate(REMOVE)).toBe(404)
    await context?.close()
    problems.allow(/401/, /404/)
    expect((await client.views.list({ list: 'tasks' })).views).toMatchObject([
      { name: 'Harbour', isShared: true, project: '/tmp/harbour', isOwn: true },
    ])
    const mine = client.views.save({ list: 'tasks', name: 'x', search: '', isShared: false, project: '/tmp/harbour' })
    expect(await mine.then(String, ({ code: why }) => why)).toBe('invalid')
  })
})

test('Home has views: a list and an agent CLI, counted as its tabs count', async () => {
  await withDashboard({ path: '/?tab=running' }, async ({ page, client, server }) => {
    const menu = page.getByRole('button', { name: 'Views', exact: true })
    await menu.click()
    await page.getByRole('menuitem', { name: 'Save this view' }).press('Enter')
    await page.getByRole('dialog').getByRole('textbox', { name: 'Name' }).fill('At work')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'At work' }).waitFor()
    await client.views.save({ list: 'home', name: 'What went on', search: '?tab=digest' })
    await client.views.save({ list: 'home', name: 'Odd', search: '?tab=running&need=x&request=y&agent=codex' })
    await page.goto(`${server.url}/`)
    await menu.click()
    const item = page.getByRole('menuitem', { name: 'At work' })
    await item.getByText('0', { exact: true }).waitFor()
    await page.getByRole('menuitem', { name: 'What went on', exact: true }).waitFor()
    // An open menu lies beside the page's landmarks.
    expect(await axeCheck(page, { without: ['region'] })).toEqual([])
    await shot(page, 'views/home')
    await item.press('Enter')
    await page.waitForURL('**/?tab=running')
    for (const width of [390, 768, 1280, 1920]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await scrollsSideways(page)).toBe(false)
      await shot(page, `views/home-${width}`)
    }
    expect((await client.views.list({ list: 'home' })).views.map(({ search }) => search)).toContain('?tab=running')
  })
})

/** Asks as the logged-in person there, with what the page sends along. */
const REMOVE = `fetch('/api/views/remove', {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ list: 'tasks', name: 'Harbour' }),
}).then(({ status }) => status)`

const VIEWS: readonly View[] = [
  { size: 'wide', scheme: 'dark' },
  { size: 'phone', scheme: 'light' },
]

for (const view of VIEWS)
  test(`a view is saved, counted, opened and removed on a ${view.size} page`, async () => {
    await withDashboard({ ...view, path: '/' }, async ({ page, client, server }) => {
      for (const task of ['Paint the buoy', 'Oil the winch'])
        await client.tasks.create({ task, status: 'backlog', dir: '/tmp' })
      // What a former version kept in the browser becomes a view of the server.
      await page.evaluate(
        `localStorage.setItem('lodeline.issue-filters', JSON.stringify([{ name: 'Old bugs', search: '?type=bug' }]))`,
      )
      await page.goto(`${server.url}/tasks?status=waiting&q=buoy`)
      const menu = page.getByRole('button', { name: 'Views' })
      await menu.click()
      await page.getByText('No saved views yet.').waitFor()
      await page.getByRole('menuitem', { name: 'Save this view' }).press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Save this view' })
      await dialog.getByRole('textbox', { name: 'Name' }).fill('Buoys that wait')
      await dialog.getByRole('checkbox').check()
      await axeCheck(page)
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Buoys that wait', exact: true }).waitFor()
      expect((await client.views.list({ list: 'tasks' })).views).toMatchObject([
        { name: 'Buoys that wait', search: '?status=waiting&q=buoy', isShared: true, isOwn: true },
      ])

      await follow(page, '/tasks')
      await menu.click()
      const item = page.getByRole('menuitem', { name: 'Buoys that wait' })
      await item.getByText('1', { exact: true }).waitFor()
      await axeCheck(page)
      await shot(page, `views/menu-${view.size}`)
      expect(await scrollsSideways(page)).toBe(false)
      await item.press('Enter')
      await page.waitForURL('**/tasks?*q=buoy*')

      await follow(page, '/issues')
      await page.getByRole('button', { name: 'Views', exact: true }).click()
      await page.getByRole('menuitem', { name: 'Old bugs' }).waitFor()
      expect(await page.evaluate(`localStorage.getItem('lodeline.issue-filters')`)).toBe(null)
      await page.keyboard.press('Escape')

      await follow(page, '/sessions')
      await menu.click()
      await page.getByRole('menuitem', { name: 'Save this view' }).press('Enter')
      await dialog.getByRole('textbox', { name: 'Name' }).fill('Costly')
      await page.keyboard.press('Enter')
      await page.getByRole('button', { name: 'Costly' }).click()
      await page.getByRole('menuitem', { name: 'Save this view' }).press('Enter')
      await page.getByRole('button', { name: 'Remove the view Costly' }).click()
      await page.getByRole('button', { name: 'Remove the view Costly' }).waitFor({ state: 'detached' })
      expect((await client.views.list({ list: 'sessions' })).views).toEqual([])
    })
  })
