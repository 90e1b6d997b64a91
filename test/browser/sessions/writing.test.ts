/** A run at work is seen while it writes, is spoken to and stopped; a session is forked at one of its lines. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TaskId, taskId } from '../../../src/domain/ids'
import { until } from '../../lab/until'
import { browserOfTests, shot, withDashboard } from '../page/page'
import { axeInBoth } from '../page/page-axe'
import { scrollsSideways } from '../page/page-wait'
import { follow } from '../pages/pages-stops'
import { World } from '../world/world'

let world: World

beforeAll(async () => {
  await browserOfTests()
  world = await World.start({ settings: { 'worker.allow': ['Bash'] } })
})
afterAll(() => world?.stop())

const create = async (task: string): Promise<TaskId> =>
  (await world.client.tasks.create({ task, dir: world.claude.project })).task.id
const statusOf = async (id: TaskId) => (await world.client.tasks.get(id)).task.status

test('words and the output of a shell are seen before the transcript has them, and the run is stopped and goes on', async () => {
  const task = await create('Hail the pilot boat')
  const session = await until('the session that writes', async () => {
    const { claudeSessionId } = (await world.client.tasks.get(task)).task
    if (claudeSessionId === null) return undefined
    const live = await world.client.sessions.live(claudeSessionId).catch(() => null)
    return live?.words.includes('wave 2') ? claudeSessionId : undefined
  })
  await withDashboard({ server: world.server, path: `/sessions/${session}` }, async ({ page, client }) => {
    const live = page.getByRole('region', { name: 'Live', exact: true })
    await page.getByTestId('session-row').first().waitFor()
    await shot(page, 'session/writing-first')
    await live.getByText(/Pilot boat, this is the harbour, wave 3\./).waitFor()
    await live.getByText('tide 3').waitFor()
    expect(await page.getByTestId('session-row').filter({ hasText: 'wave 3.' }).count()).toBe(0)
    await axeInBoth(page)
    await shot(page, 'session/writing')
    for (const width of [390, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await scrollsSideways(page)).toBe(false)
      if (width === 390) await shot(page, 'session/writing-phone')
    }

    await page.getByRole('button', { name: 'What you can do with this session' }).click()
    const verbs = page.getByRole('dialog').getByRole('listitem')
    expect(await verbs.filter({ hasText: 'Resume as a task' }).textContent()).toContain(
      `Task ${task} continues it now.`,
    )
    expect(await verbs.filter({ hasText: 'Stop' }).first().textContent()).not.toContain('not now')
    await page.keyboard.press('Escape')

    const dock = page.getByRole('region', { name: 'Speak to the agent' })
    await dock.getByRole('textbox').fill('Mind the tide.')
    await page.keyboard.press('Control+Enter')
    await until('the message', async () =>
      // At the task, whose run reads it.
      (await client.messages.list({ to: task })).messages.some(({ text }) => text === 'Mind the tide.'),
    )
    await page.getByRole('complementary').getByText('Mind the tide.').waitFor()
    await until('the empty field', async () => (await dock.getByRole('textbox').inputValue()) === '')

    // A key that is held opens the dialog, and closes it at most.
    await dock.getByRole('button', { name: 'Stop' }).focus()
    for (let press = 0; press < 6; press++) await page.keyboard.down('Enter')
    await page.keyboard.up('Enter')
    expect(await statusOf(task)).toBe('in_progress')
    await page.keyboard.press('Escape')
    await dock.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('dialog', { name: 'Stop this run?' }).getByRole('button', { name: 'Stop' }).click()
    await page.getByText(`Stopped. Task ${task} is paused.`).waitFor()
    await until('the pause', async () => (await statusOf(task)) === 'paused')
    // Also for a later reader.
    await page.reload()
    await page.getByText(`Stopped. Task ${task} is paused.`).waitFor()
    expect(await page.getByRole('button', { name: 'Resume' }).count()).toBe(1)
    await page.getByRole('region', { name: 'Speak to the agent' }).getByRole('button', { name: 'Resume' }).click()
    await until('the resume', async () => (await statusOf(task)) !== 'paused')

    // The page of the task shows the same, and ends the turn with other words.
    const second = await create('Hail the pilot boat')
    await follow(page, `/tasks/${second}`)
    await live.getByText(/Pilot boat, this is the harbour, wave 2\./).waitFor()
    await page.getByRole('textbox', { name: 'Message to the task' }).fill('Turn back to the quay.')
    await page.getByRole('button', { name: 'Interrupt' }).click()
    const dialog = page.getByRole('dialog', { name: 'Interrupt the turn' })
    expect(await dialog.getByRole('textbox').inputValue()).toBe('Turn back to the quay.')
    await axeInBoth(page)
    await page.keyboard.press('Control+Enter')
    await dialog.waitFor({ state: 'detached' })
    await until('the end of the turn', async () => (await statusOf(second)) === 'completed')
    await live.waitFor({ state: 'detached' })
  })
})

test('a session is forked at a line: a worker goes on in a copy that ends there', async () => {
  const first = await create('Greet the harbour master')
  await until('its end', async () => (await statusOf(first)) === 'completed')
  const { claudeSessionId } = (await world.client.tasks.get(first)).task
  await withDashboard({ server: world.server, path: `/sessions/${claudeSessionId}` }, async ({ page, client }) => {
    const rows = page.getByTestId('session-row')
    await rows.last().click()
    await rows.last().getByRole('button', { name: 'Fork from here' }).waitFor()
    await page.keyboard.press('F')
    const dialog = page.getByRole('dialog', { name: 'Fork from here' })
    await dialog.getByRole('textbox').fill('Which ship did you greet?')
    await page.keyboard.press('Control+Enter')
    await page.waitForURL('**/tasks/*')
    const id = taskId(decodeURIComponent(new URL(page.url()).pathname.slice('/tasks/'.length)))
    await until('its end', async () => (await statusOf(id)) === 'completed')
    const { task, attempts } = await client.tasks.get(id)
    expect(task.forkAt).not.toBe(null)
    expect(attempts.at(-1)?.conversation).toMatchObject({
      rung: 'snapshot',
      forked: true,
      resumedSessionId: claudeSessionId,
    })
    // The origin stays as it is.
    expect((await client.tasks.get(first)).task.claudeSessionId).toBe(claudeSessionId)
  })
})
