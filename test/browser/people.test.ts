/** People at the dashboard: a page names the logged-in person where there are several, and does not offer what a role may not do. */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { Lab } from '../lab/lab'
import { CLIENT, startProvider } from '../login/provider'
import { browserOfTests, type Dashboard, PAGES, shot, withDashboard } from './page/page'
import { axeCheck } from './page/page-axe'
import { gone, keysAwake } from './page/page-wait'
import { Asker } from './world/world-questions'

beforeAll(async () => void (await browserOfTests()))

const whoIsIn = (page: Page) => page.getByTestId('who-is-in')

/** Another browser, which opened the link that the person was sent. */
async function pageOf({ page, server, problems }: Dashboard, name: string, path = '/'): Promise<Page> {
  const { code, path: entrance } = await server.client.users.code(name)
  const context = await page.context().browser()?.newContext()
  const other = await context?.newPage()
  if (other === undefined) throw new Error('no browser')
  problems.watch(other)
  await other.goto(`${server.url}${entrance}#${new URLSearchParams({ code, to: path })}`)
  await other.locator('[data-live]').first().waitFor({ state: 'attached' })
  return other
}

test('a person alone sees nothing of people, and is told who is in from the first person on', async () => {
  await withDashboard({}, async ({ page, server }) => {
    expect(await whoIsIn(page).count()).toBe(0)
    await page.locator('[data-live=live]').first().waitFor()
    await server.client.users.add({ name: 'Ada', role: 'viewer' })
    await whoIsIn(page).waitFor()
    expect(await whoIsIn(page).textContent()).toBe('Logged in as operator')
  })
})

test('a viewer is offered nothing, an approver what it may, and a person who is removed is out', async () => {
  await withDashboard({}, async (dashboard) => {
    const { page, server, problems } = dashboard
    const asker = await Asker.join(server)
    const [question] = await asker.ask('Load ship 1', ['load --ship 1'])
    const taskId = question?.taskId ?? ''
    await server.client.users.add({ name: 'Ada', role: 'viewer' })
    const ada = await pageOf(dashboard, 'Ada', `/tasks/${taskId}`)
    await ada.getByText('Load ship 1').first().waitFor()
    expect(await whoIsIn(ada).textContent()).toBe('Logged in as Ada, viewer')
    const offered = async () =>
      Promise.all(
        ['Allow', 'Pause', 'Cancel', 'Child task'].map(
          async (name) => (await ada.getByRole('button', { name }).count()) > 0,
        ),
      )
    await ada.getByText('load --ship 1').first().waitFor()
    expect([await offered(), await ada.getByLabel('Message to the task').count()]).toEqual([
      [false, false, false, false],
      0,
    ])
    expect(await axeCheck(ada)).toEqual([])
    await shot(ada, 'people/viewer')
    await ada.locator('[data-live=live]').first().waitFor()
    await server.client.users.edit('Ada', { role: 'approver' })
    await ada.getByRole('button', { name: 'Allow' }).first().waitFor()
    expect(await offered()).toEqual([true, true, false, false])
    await shot(ada, 'people/approver')
    await keysAwake(ada)
    await ada.getByRole('button', { name: 'Allow' }).first().click()
    await page.goto(`${server.url}/tasks/${taskId}`)
    await page.getByText('by Ada').first().waitFor()
    await ada.getByText('by you').first().waitFor()
    problems.allow(/^refused: \w+ \S+\/api\/\S+ 401$/, /^console error: Failed to load resource: .* 401 /)
    await server.client.users.remove('Ada')
    await ada.getByLabel('Code').waitFor()
    await gone(ada.getByText('Load ship 1'))
    await ada.context().close()
  })
})

test('a browser comes in by a provider of another site, and a page says why somebody does not', async () => {
  await using provider = await startProvider('localhost')
  await using lab = new Lab()
  const server = lab.addLode('l', {
    ...PAGES,
    settings: { ...PAGES.settings, 'login.oidc.issuer': provider.issuer, 'login.oidc.clientId': CLIENT.id },
    env: { LODELINE_OIDC_SECRET: CLIENT.secret },
  })
  await server.up()
  Object.assign(provider.who, { claims: { sub: 'ada-1', email: 'ada@example.org', email_verified: true } })
  await withDashboard({ server, isLoggedIn: false }, async ({ page, problems }) => {
    problems.allow(/^asks others: GET http:\/\/localhost:\d+\/authorize/)
    problems.allow(/^refused: \w+ \S+\/api\/\S+ 401$/, /^console error: Failed to load resource: .* 401 /)
    await page.goto(`${server.url}/tasks?status=paused`)
    const enter = page.getByRole('button', { name: `Log in with ${new URL(provider.issuer).host}` })
    await enter.click()
    await page.getByRole('alert').filter({ hasText: 'nobody has added you here' }).waitFor()
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'people/refused')
    await server.client.users.add({ name: 'Ada', role: 'viewer', login: 'ada@example.org' })
    await page.goto(`${server.url}/tasks?status=paused`)
    await enter.click()
    await whoIsIn(page).waitFor()
    expect([page.url(), await whoIsIn(page).textContent()]).toEqual([
      `${server.url}/tasks?status=paused`,
      'Logged in as Ada, viewer',
    ])
    await page.reload()
    await whoIsIn(page).waitFor()
  })
})
