/** A list is saved under a name, with its count, for oneself or for everybody; it is the same in another browser. */
import { expect, setDefaultTimeout, test } from 'bun:test'
import { FIRST_START_MS } from './page/chromium'
import { shot, type View, withDashboard } from './page/page'
import { axeCheck } from './page/page-axe'
import { scrollsSideways } from './page/page-wait'
import { follow } from './pages/pages-stops'
import { PATIENCE_MS } from './world/world-ground'

setDefaultTimeout(FIRST_START_MS + 2 * PATIENCE_MS)

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
      await page.getByRole('button', { name: 'Buoys that wait' }).waitFor()
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
