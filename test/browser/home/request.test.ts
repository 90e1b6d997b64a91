/** A request from outside, in the dialog over what needs the person. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { createClient, httpTransport } from '../../../src/api/client'
import type { InboxId } from '../../../src/domain/ids'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { until } from '../../lab/until'
import { browserOfTests, type Dashboard, type DashboardOptions, PAGES, shot, withDashboard } from '../page/page'
import { axeCheck } from '../page/page-axe'
import { gone, scrollsSideways } from '../page/page-wait'
import { HOSTILE_TEXTS } from '../world/world-hostile-texts'
import { fromOutside } from '../world/world-mail'

const lab = new Lab()
const _folder = lab.root
let server: Lode
let secret: string

beforeAll(async () => {
  await browserOfTests()
  server = lab.addLode('l', PAGES)
  await server.up()
  secret = (await server.client.inbox.putSource('harbour-desk')).secret ?? ''
})
afterAll(() => lab.stop())

const ask = (text: string, threadKey?: string): Promise<InboxId> =>
  fromOutside({ server }, secret, { sender: 'captain@plum.example', text, ...(threadKey && { threadKey }) })

const withRequest = (id: InboxId, work: (dashboard: Dashboard) => Promise<void>, options: DashboardOptions = {}) =>
  withDashboard({ server, path: `/?request=${id}`, ...options }, async (dashboard) => {
    await dashboard.page.getByTestId('inbox-request').waitFor()
    await work(dashboard)
  })

const dialog = (page: Page) => page.getByRole('dialog')

test('is opened from what needs the person, and closed by Escape', async () => {
  const id = await ask('Is a berth free?')
  await withDashboard({ server }, async ({ page }) => {
    const need = page.locator('[data-testid=need-row][data-need=request]').filter({ hasText: 'Is a berth free?' })
    await need.click({ position: { x: 60, y: 12 } })
    await need.getByRole('link', { name: 'Open' }).click()
    await page.waitForURL(`**/?request=${id}`)
    await dialog(page).getByText('Is a berth free?').waitFor()
    await page.keyboard.press('Escape')
    await page.waitForURL(`${server.url}/`)
    await dialog(page).waitFor({ state: 'detached' })
  })
})

test('is handed to an agent in the words of the person, with the request as a quote', async () => {
  const id = await ask('Bring <b>new</b> rope.')
  await withRequest(id, async ({ page, client }) => {
    const make = page.getByRole('button', { name: 'Create task' })
    expect(await make.isDisabled()).toBe(true)
    await page.getByLabel('Instructions').fill('Bring new rope to the ship PLUM')
    expect(await make.isDisabled()).toBe(true)
    await page.getByLabel('Folder').fill('/srv/quay')
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'request/delegate-light')
    await make.click()
    const link = dialog(page).getByRole('link', { name: 'Bring new rope to the ship PLUM' })
    await link.waitFor()
    const { message } = await client.inbox.get(id)
    expect(message.status).toBe('delegated')
    expect(message.tasks).toHaveLength(1)
    const { task } = await client.tasks.get(message.tasks[0]?.taskId ?? '')
    expect(task.task).toContain('Bring <b>new</b> rope.')
    await page.getByText('is working on this request.').waitFor()
    await link.click()
    await page.waitForURL(`**/tasks/${task.id}`)
  })
})

test('of a thread that had a task one says whether to go on in its conversation', async () => {
  const first = await ask('The rope is torn.', 'rope')
  const { task } = await server.client.inbox.delegate(first, { task: 'Look at the rope' })
  await server.client.tasks.cancel(task.id, { reason: 'the ship has sailed' })
  const second = await ask('It is torn again.', 'rope')
  await withRequest(second, async ({ page, client }) => {
    await page.getByText('Earlier in this thread').waitFor()
    await page.getByLabel('Instructions').fill('Look at it again')
    const make = page.getByRole('button', { name: 'Create task' })
    expect(await make.isDisabled()).toBe(true)
    await page.getByRole('radio', { name: 'Continue its conversation' }).check()
    await make.click()
    await dialog(page).getByRole('link', { name: 'Look at it again' }).waitFor()
    const { message } = await client.inbox.get(second)
    const made = await client.tasks.get(message.tasks[0]?.taskId ?? '')
    expect(made.task.parentTaskId).toBe(task.id)
  })
})

/** A lead makes a task of the request, as an agent does. */
async function delegateAsLead(id: InboxId, task: string) {
  const { token } = await server.client.agents.join({
    ...{ name: `lead-${id}`, kind: 'lead', capabilities: [], concurrency: 1, hostname: 'harbour', hostName: 'harbour' },
    ...{ bootId: 'boot-1', isFormerGone: false, version: '1.0.0' },
  })
  const lead = createClient(httpTransport({ token, origin: server.url }), { baseUrl: server.url })
  return (await lead.inbox.delegate(id, { task, dir: '/srv/quay' })).task
}

test('a task that a lead made of one begins when the person consents, by a key on Home', async () => {
  const id = await ask('Open the gate, please.')
  const { id: task, status } = await delegateAsLead(id, 'Look at the gate')
  expect(status).toBe('backlog')
  await withDashboard({ server }, async ({ page, client }) => {
    const need = page.locator(`[data-testid=need-row][data-subject="${task}"]`)
    await need.click({ position: { x: 60, y: 12 } })
    await need.getByText('waits for your consent').last().waitFor()
    expect(await axeCheck(page)).toEqual([])
    await need.focus()
    await until('the keys to be awake', async () => (await need.getAttribute('data-keys')) === null)
    await page.keyboard.press('a')
    await need.getByText('Consented').waitFor()
    expect((await client.tasks.get(task)).task.status).toBe('backlog')
    await page.keyboard.press('z')
    await until('the button again', () => need.getByRole('button', { name: /^Consent/ }).isEnabled())
    await need.getByRole('button', { name: /^Consent/ }).click()
    await until('the task to begin', async () => (await client.tasks.get(task)).task.status === 'unassigned')
    await need.waitFor({ state: 'detached' })
  })
})

test('the dialog asks for consent as well, and tells then that the task is at work', async () => {
  const id = await ask('Close the gate, please.')
  const { id: task } = await delegateAsLead(id, 'Look at the other gate')
  await withRequest(
    id,
    async ({ page, client }) => {
      await dialog(page).getByText('waits for your consent').waitFor()
      expect(await axeCheck(page)).toEqual([])
      await shot(page, 'request/consent-phone')
      await dialog(page).getByRole('button', { name: 'Consent' }).click()
      await dialog(page).getByText('Consented').waitFor()
      await until('the task to begin', async () => (await client.tasks.get(task)).task.status === 'unassigned')
      await page.getByText('is working on this request.').waitFor()
    },
    { size: 'phone' },
  )
})

test('is answered, and what became of the answer is told', async () => {
  const id = await ask('When do you come?')
  await withRequest(id, async ({ page, client }) => {
    await page.getByRole('button', { name: 'reply', exact: true }).click()
    await page.getByLabel('Your reply').fill('Within the hour.')
    await page.getByRole('button', { name: 'Send' }).click()
    await dialog(page).getByText('queued: the source has not fetched it yet').waitFor()
    // The answer of the request may come after the news of it.
    await until('an empty field', async () => (await page.getByLabel('Your reply').inputValue()) === '')
    await page.getByLabel('Your reply').fill('Or a little later.')
    await page.getByLabel('Also close the request').check()
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByText('This request is closed.').waitFor()
    const { message } = await client.inbox.get(id)
    expect(message.replies.map(({ text }) => text)).toEqual(['Within the hour.', 'Or a little later.'])
    expect(message.status).toBe('closed')
  })
})

test('is closed, and needs the person no longer', async () => {
  const id = await ask('Never mind the gulls.')
  await withRequest(id, async ({ page, client }) => {
    await page.getByRole('button', { name: 'Close request' }).click()
    await dialog(page).waitFor({ state: 'detached' })
    await gone(page.getByText('Never mind the gulls.'))
    expect((await client.inbox.get(id)).message.status).toBe('closed')
  })
})

test('what others do about it is seen at once', async () => {
  const id = await ask('Who has the watch?')
  await withRequest(id, async ({ page, client }) => {
    await client.inbox.reply(id, { text: 'Ann has it.' })
    await dialog(page).getByText('Ann has it.').waitFor()
  })
})

test('hostile text is only text, narrow and dark', async () => {
  const id = await ask(
    Object.values(HOSTILE_TEXTS)
      .map((text) => text.slice(0, 400))
      .join('\n'),
  )
  await withRequest(
    id,
    async ({ page }) => {
      expect(await dialog(page).locator('script, style, img, iframe, form[action]').count()).toBe(0)
      expect(await axeCheck(page)).toEqual([])
      expect(await scrollsSideways(page)).toBe(false)
      await shot(page, 'request/hostile-phone-dark')
    },
    { size: 'phone', scheme: 'dark' },
  )
})

test('one that there is not says so', async () => {
  await withDashboard({ server, path: '/?request=i-nosuchone' }, async ({ page, problems }) => {
    problems.allow(/404/)
    await dialog(page).getByRole('alert').waitFor()
  })
})
