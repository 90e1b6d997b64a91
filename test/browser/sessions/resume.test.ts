/** A conversation that was lost goes on from Home: the agent's process was killed, a task resumes it, and the need goes. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type SessionId, sessionId, taskId } from '../../../src/domain/ids'
import { until } from '../../lab/until'
import { browserOfTests, type Dashboard, shot, withDashboard } from '../page/page'
import { axeCheck } from '../page/page-axe'
import { gone, holds, keysAwake, scrollsSideways } from '../page/page-wait'
import { World } from '../world/world'

let world: World

beforeAll(async () => {
  await browserOfTests()
  world = await World.start()
})
afterAll(() => world?.stop())

/** A session whose CLI was killed in the middle of a call. It alone knows the ship's name. */
async function killed(ship: string): Promise<SessionId> {
  const id = sessionId(crypto.randomUUID())
  const run = world.claude.launch({ prompt: `Dredge the channel for the ship ${ship}`, sessionId: id })
  await until('the call that never ends', async () => {
    const found = await world.client.sessions.tree(id).catch(() => null)
    return found?.tree.runningTools.some(({ name }) => name === 'Bash')
  })
  await run.crash()
  await until('the need', async () =>
    (await world.client.overview()).needs.some((need) => need.kind === 'lost' && need.sessionId === id),
  )
  return id
}

const rowOf = (page: Page, id: string) =>
  page.getByTestId('need-row').and(page.locator(`[data-need=lost][data-subject="${id}"]`))
const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Resume as a task' })
const fieldOf = (page: Page) => dialogOf(page).getByRole('textbox')
const FIELD_HAS_FOCUS = `document.activeElement?.tagName === 'TEXTAREA'`

/** Requests by which this page made a task. */
const sent = ({ problems }: Pick<Dashboard, 'problems'>) =>
  problems.requests.filter((url) => /\/api\/sessions\/[^/]+\/resume$/.test(url)).length

/** On the page of the task: the same conversation goes on to its answer, and Home needs nobody for it any more. */
async function goesOn({ page, client }: Dashboard, session: SessionId, answer: string): Promise<void> {
  await page.waitForURL('**/tasks/*')
  const id = taskId(decodeURIComponent(new URL(page.url()).pathname.slice('/tasks/'.length)))
  await page.getByTestId('task-page').getByText(answer).first().waitFor()
  await until('its end', async () => (await client.tasks.get(id)).task.status === 'completed')
  const { task, attempts } = await client.tasks.get(id)
  expect(task).toMatchObject({ output: answer, claudeSessionId: session })
  expect(attempts).toHaveLength(1)
  expect(attempts[0]?.conversation).toMatchObject({ rung: 'native', sessionId: session, resumedSessionId: session })
  expect((await client.sessions.tasks(session)).tasks.map((one) => one.id)).toEqual([id])
  await page.goBack()
  await page.getByTestId('count-needs').waitFor()
  await gone(rowOf(page, session))
}

test('a session that was lost goes on in its own conversation by the button on Home', async () => {
  const session = await killed('QUINCE')
  for (const [size, scheme] of [
    ['wide', 'dark'],
    ['tablet', 'light'],
    ['phone', 'light'],
    ['phone', 'dark'],
  ] as const) {
    await withDashboard({ server: world.server, size, scheme }, async ({ page }) => {
      await rowOf(page, session).waitFor()
      await shot(page, `resume/home-${size}-${scheme}`)
      await rowOf(page, session).getByRole('button', { name: 'Resume', exact: true }).click()
      await fieldOf(page).waitFor()
      expect(await scrollsSideways(page)).toBe(false)
      expect(await axeCheck(page)).toEqual([])
      await shot(page, `resume/dialog-${size}-${scheme}`)
    })
  }
  await withDashboard({ server: world.server }, async (dashboard) => {
    const { page } = dashboard
    await rowOf(page, session).getByRole('button', { name: 'Resume', exact: true }).click()
    await holds(page, FIELD_HAS_FOCUS)
    await shot(page, 'resume/dialog-wide-light')
    await fieldOf(page).fill('Which ship was it?')
    // A quick finger presses twice; the page is still waiting for the first.
    await dialogOf(page).getByRole('button', { name: 'Resume', exact: true }).dblclick()
    await goesOn(dashboard, session, 'It was the ship QUINCE.')
    expect(sent(dashboard)).toBe(1)
  })
})

test('a session that was lost goes on by keys, and a key that is pressed twice or held makes one task', async () => {
  const session = await killed('MEDLAR')
  await withDashboard({ server: world.server }, async (dashboard) => {
    const { page } = dashboard
    await rowOf(page, session).waitFor()
    await page.keyboard.press('Home')
    await rowOf(page, session).focus()
    await keysAwake(page)
    // Held, as a keyboard says it, until the field has the focus and some more.
    for (let times = 0; times < 5 || !(await page.evaluate<boolean>(FIELD_HAS_FOCUS)); times++) {
      await page.keyboard.down('r')
      await Bun.sleep(20)
    }
    for (let times = 0; times < 5; times++) await page.keyboard.down('r')
    await page.keyboard.up('r')
    expect(await page.getByRole('dialog').count()).toBe(1)
    expect(await fieldOf(page).inputValue()).toMatch(/^You were interrupted .* until the work is finished\.$/)
    // Both presses fall on the page as it is drawn now.
    await page.evaluate(`(() => {
      for (const repeat of [false, true, false])
        document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', ctrlKey: true, repeat, bubbles: true, cancelable: true }))
    })()`)
    await goesOn(dashboard, session, 'Dredged.')
    expect(sent(dashboard)).toBe(1)
  })
})

test('the page of a session that was lost says so, and its key opens the same dialog', async () => {
  const session = await killed('LOQUAT')
  await withDashboard({ server: world.server, path: `/sessions/${session}` }, async (dashboard) => {
    const { page } = dashboard
    await page.getByTestId('session-row').first().waitFor()
    await page.locator('header [data-status=lost]').first().waitFor()
    await page.keyboard.press('r')
    await fieldOf(page).waitFor()
    await holds(page, FIELD_HAS_FOCUS)
    expect(await fieldOf(page).inputValue()).toMatch(/^You were interrupted /)
    await shot(page, 'resume/session')
    await page.keyboard.press('Control+Enter')
    await goesOnFromSession(dashboard, session)
  })
})

async function goesOnFromSession({ page, client }: Dashboard, session: SessionId): Promise<void> {
  await page.waitForURL('**/tasks/*')
  await page.getByTestId('task-page').getByText('Dredged.').first().waitFor()
  const needs = (await client.overview()).needs
  expect(needs.filter(({ sessionId: of }) => of === session)).toEqual([])
}
