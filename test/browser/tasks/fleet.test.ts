/** Agents at work, on which machine and for how long yet, and what waits: with runs of the real CLI. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { until } from '../../lab/until'
import { browserOfTests, type Dashboard, type DashboardOptions, shot, withDashboard } from '../page/page'
import { axeCheck } from '../page/page-axe'
import { holds, scrollsSideways } from '../page/page-wait'
import { World } from '../world/world'
import type { WorldWaiting } from '../world/world-tasks'

let world: World
let tasks: WorldWaiting

beforeAll(async () => {
  await browserOfTests()
  world = await World.start()
  tasks = await world.waiting()
  const { client } = world
  await client.agents.describe('painter', { description: 'Paints <b>bold</b>, when he comes.' })
  await client.tasks.create({ task: 'Raise the wreck', requiredCapabilities: ['crane'], priority: 80 })
})
afterAll(() => world?.stop())

const withFleet = (work: (dashboard: Dashboard) => Promise<void>, options: DashboardOptions = {}) =>
  withDashboard({ server: world.server, path: '/fleet', ...options }, async (dashboard) => {
    await dashboard.page.getByTestId('fleet-page').waitFor()
    await work(dashboard)
  })

const leaseOf = (page: Page, text: string) => page.getByTestId('lease-row').filter({ hasText: text })
const queueRows = (page: Page) => page.getByTestId('queue-row')

test('shows each lease with the time it has left, which goes on while its worker is heard of', async () => {
  await withFleet(async ({ page, client }) => {
    const dredging = leaseOf(page, 'Dredge the channel')
    await dredging.waitFor()
    const { leases } = await client.fleet()
    expect(await page.getByTestId('lease-row').count()).toBe(leases.length)
    expect(await dredging.textContent()).toMatch(/\d+ s left/)
    expect(await dredging.textContent()).toContain('started fresh')
    // Without a new look it would have lapsed on the page.
    const over = Math.max(...leases.map(({ attempt }) => Date.parse(attempt.leaseExpiresAt ?? '')))
    await until('the leases that were told to be over', () => Date.now() > over + 500)
    expect(await dredging.textContent()).toMatch(/\d+ s left/)
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'fleet/typical-light')
  })
})

test('shows the queue in its order, what it waits for, and what nobody who is there may take', async () => {
  await withFleet(async ({ page, client }) => {
    await queueRows(page).first().waitFor()
    const { queue } = await client.fleet()
    const links = await queueRows(page).getByRole('link').allTextContents()
    expect(links).toEqual(queue.next.map(({ title }) => title))
    const wreck = queueRows(page).filter({ hasText: 'Raise the wreck' })
    await wreck.getByText('no online worker has crane').filter({ visible: true }).waitFor()
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Queue' }) })
    const head = await section.locator('p').first().textContent()
    expect(head).toContain('1 waiting for another task')
    expect(head).toContain('1 waiting for their start time')
    expect(head).toContain('1 paused')
    expect(
      await queueRows(page)
        .filter({ hasText: 'Ring the noon bell' })
        .locator('[data-status=pending]')
        .filter({ visible: true })
        .count(),
    ).toBe(1)
  })
})

test('shows agents and machines, and says what is not known', async () => {
  await withFleet(async ({ page, client }) => {
    const { agents, hosts } = await client.fleet()
    const worker = agents.find(({ kind, isSpecialist }) => kind === 'worker' && !isSpecialist)
    const row = page
      .getByTestId('agent-row')
      .filter({ hasText: worker?.name ?? '' })
      .first()
    await row.waitFor()
    expect(await row.textContent()).toContain(`${worker?.running} / ${worker?.concurrency}`)
    expect(await row.locator('[data-status=online]').count()).toBe(1)
    const painter = page.getByTestId('agent-row').filter({ hasText: 'painter' })
    expect(await painter.textContent()).toContain('Paints <b>bold</b>, when he comes.')
    expect(await painter.textContent()).toContain('unknown')
    expect(await painter.textContent()).toContain('never')
    expect(await page.getByTestId('host-row').count()).toBe(hosts.length)
  })
})

test('shows a lane for each agent at work, by machine, and narrows the page to a part of the time', async () => {
  await withFleet(async ({ page, client }) => {
    const rows = page.getByTestId('lane-row')
    await rows.first().waitFor()
    const { lanes } = await client.lanes()
    expect(await rows.count()).toBe(lanes.length)
    expect(await page.getByTestId('lane-machine').count()).toBe(new Set(lanes.map(({ host }) => host)).size)
    const dredging = rows.filter({ hasText: 'Dredge the channel' })
    expect(await dredging.textContent()).toContain('busy for')
    const brushed = page.getByTestId('lanes-brushed')
    // An hour ago nobody was at work; a moment ago somebody was.
    await page.getByTestId('lane-scale').focus()
    await page.keyboard.press('ArrowLeft')
    for (let press = 0; press < 12; press++) await page.keyboard.press('PageUp')
    await brushed.getByText(`0 of ${lanes.length} at work then`).waitFor()
    await leaseOf(page, 'Dredge the channel').waitFor({ state: 'detached' })
    for (let press = 0; press < 12; press++) await page.keyboard.press('Shift+PageDown')
    await page.keyboard.press('Escape')
    await leaseOf(page, 'Dredge the channel').waitFor()
    // By hand, over all rows and nearly the whole time.
    const [list, scale] = await Promise.all([
      page.getByTestId('lane-list').boundingBox(),
      page.getByTestId('lane-scale').boundingBox(),
    ])
    if (list === null || scale === null) throw new Error('the lanes have no place on the page')
    await page.mouse.move(scale.x + 2, list.y + 2)
    await page.mouse.down()
    await page.mouse.move(scale.x + scale.width - 1, list.y + list.height - 4, { steps: 4 })
    await page.mouse.up()
    await brushed.getByText(/[1-9]\d* of \d+ at work then/).waitFor()
    await leaseOf(page, 'Dredge the channel').waitFor()
    await brushed.getByRole('button', { name: 'Clear' }).click()
    await page.keyboard.press('+')
    await page.getByRole('button', { name: '15 min', pressed: true }).waitFor()
  })
})

test('keys go over lanes, what is at work and what waits, and open it', async () => {
  await withFleet(async ({ page }) => {
    await queueRows(page).first().waitFor()
    await page.getByTestId('lane-row').first().waitFor()
    await page.keyboard.press('End')
    await holds(page, 'document.activeElement?.dataset.testid === "queue-row"')
    await page.keyboard.press('Home')
    await holds(page, 'document.activeElement?.dataset.testid === "lane-row"')
    for (let lane = await page.getByTestId('lane-row').count(); lane > 0; lane--) await page.keyboard.press('j')
    await holds(page, 'document.activeElement?.dataset.testid === "lease-row"')
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/(tasks|sessions)\//)
    await page.goBack()
    await queueRows(page).first().waitFor()
  })
})

test('is live: a task that is over leaves, what is new comes', async () => {
  await withFleet(async ({ page, client }) => {
    await leaseOf(page, 'Dredge the channel').waitFor()
    await client.tasks.create({ task: 'Raise the second wreck', requiredCapabilities: ['crane'], priority: 99 })
    await queueRows(page).filter({ hasText: 'Raise the second wreck' }).waitFor()
    await client.tasks.cancel(tasks.running, { reason: 'the channel is deep enough' })
    await leaseOf(page, 'Dredge the channel').waitFor({ state: 'detached' })
  })
})

test('is readable narrow and dark, and empty', async () => {
  const phone = { size: 'phone', scheme: 'dark' } as const
  await withFleet(async ({ page }) => {
    await queueRows(page).first().waitFor()
    expect(await axeCheck(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    await shot(page, 'fleet/typical-phone-dark')
  }, phone)
  await withDashboard({ path: '/fleet', ...phone }, async ({ page }) => {
    await page.getByText('The queue is empty.').waitFor()
    await page.getByText('No tasks are running.').waitFor()
    await page.getByText('lode work --name second').waitFor()
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'fleet/empty-phone-dark')
  })
})
