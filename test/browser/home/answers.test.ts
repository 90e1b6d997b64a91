/** Answers are safe: a key that is held, a row that moved, a second thought and a page that is left never answer what nobody meant. */
import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { TaskId } from '../../../src/domain/ids'
import type { Question } from '../../../src/domain/task/task'
import { until } from '../../lab/until'
import { browserOfTests, type Dashboard, shot, withDashboard } from '../page/page'
import { axeCheck } from '../page/page-axe'
import { gone, holds, keysAwake } from '../page/page-wait'
import { Asker } from '../world/world-questions'

beforeAll(async () => {
  await browserOfTests()
})

let asker: Asker

/** `count` tasks, each with one question. */
async function questions(count: number, deadlineMs?: number): Promise<Question[]> {
  const asked: Question[] = []
  for (let n = 1; n <= count; n++) asked.push(...(await asker.ask(`Load ship ${n}`, [`load --ship ${n}`], deadlineMs)))
  return asked
}

/** A record of its own, in which nothing else needs anybody. */
async function withQuestions(
  count: number,
  work: (dashboard: Dashboard, asked: readonly Question[]) => Promise<void>,
): Promise<void> {
  await withDashboard({}, async (dashboard) => {
    asker = await Asker.join(dashboard.server)
    await work(dashboard, await questions(count))
  })
}

const tasksOf = (asked: readonly Question[]): TaskId[] => asked.map(({ taskId }) => taskId)
const standing = (asked: readonly Question[]) => asker.standing(tasksOf(asked))
/** How many are not open any more. */
const answered = async (asked: readonly Question[]) => (await standing(asked)).filter((one) => one !== 'open').length

const rows = (page: Page) => page.getByTestId('need-row')
const waiting = (page: Page) => page.locator('[data-held="waiting"]')
/** Answers that this page sent. */
const sent = ({ problems }: Pick<Dashboard, 'problems'>) =>
  problems.requests.filter((url) => /\/api\/questions\/[^/]+\/answer$/.test(url)).length

/** Home with the first question under the keys, and keys that are awake. */
async function atFirst(
  count: number,
  work: (dashboard: Dashboard, asked: readonly Question[]) => Promise<void>,
): Promise<void> {
  await withQuestions(count, async (dashboard, asked) => {
    const { page } = dashboard
    await rows(page)
      .nth(count - 1)
      .waitFor()
    await page.keyboard.press('Home')
    await rows(page).first().focus()
    await holds(page, `document.activeElement?.dataset.testid === 'need-row'`)
    await keysAwake(page)
    await work(dashboard, asked)
  })
}
const currentText = (page: Page) => page.locator('[data-testid=need-row][aria-current=true]').textContent()

/** Holds a key as a keyboard does, which says it again and again, until `end` holds; at least this many times. */
async function holdKey(page: Page, key: string, least: number, end: () => Promise<boolean>): Promise<void> {
  try {
    for (let times = 0; times < least || !(await end()); times++) {
      await page.keyboard.down(key)
      await Bun.sleep(30)
    }
  } finally {
    await page.keyboard.up(key)
  }
}

test('a key that is held answers one question at most, also when the next comes under it', async () => {
  await atFirst(12, async ({ page, problems }, asked) => {
    await holdKey(page, 'a', 40, async () => true)
    await until('the answer', async () => (await answered(asked)) > 0)
    // The row goes, and the next takes its place under the key.
    await rows(page).nth(11).waitFor({ state: 'detached' })
    await keysAwake(page)
    expect(await answered(asked)).toBe(1)
    const before = await currentText(page)
    await page.keyboard.press('a')
    await waiting(page).waitFor()
    await holdKey(page, 'a', 40, async () => (await rows(page).count()) === 10)
    expect(await currentText(page)).not.toBe(before)
    expect(await waiting(page).count()).toBe(0)
    for (const key of ['d', 'Enter']) await holdKey(page, key, 20, async () => true)
    await page.goBack().catch(() => {})
    await until('what was pressed first', async () => sent({ problems }) >= 2)
    expect((await standing(asked)).filter((one) => one === 'allow')).toHaveLength(2)
  })
})

test('quick single presses do not answer what came under them', async () => {
  await atFirst(6, async (dashboard, asked) => {
    const { page, client } = dashboard
    const first = await currentText(page)
    // Answered elsewhere: what stands under the keys becomes another, and that very moment the person presses, five times.
    await page.evaluate(`(() => {
      const row = document.querySelector('[data-testid=need-row][aria-current=true]')
      new MutationObserver((_, observer) => {
        if (row.isConnected) return
        observer.disconnect()
        for (let n = 0; n < 5; n++) document.body.dispatchEvent(new KeyboardEvent('keydown', { key: 'a', bubbles: true, cancelable: true }))
        globalThis.pressed = true
      }).observe(document.body, { childList: true, subtree: true })
    })()`)
    const current = asked.find(({ taskId }) => first?.includes(taskId))
    if (current === undefined) throw new Error(`no question is current: ${first}`)
    await client.questions.answer(current.id, { behavior: 'deny' })
    await holds(page, 'globalThis.pressed === true')
    await rows(page).nth(5).waitFor({ state: 'detached' })
    await keysAwake(page)
    expect(await waiting(page).count()).toBe(0)
    // Five presses on one row are one answer, and what is behind it is left alone.
    for (let press = 0; press < 5; press++) await page.keyboard.press('a')
    await waiting(page).waitFor()
    await until('the answer', async () => (await answered(asked)) === 2)
    await rows(page).nth(4).waitFor({ state: 'detached' })
    expect(sent(dashboard)).toBe(1)
    expect((await standing(asked)).toSorted()).toEqual(['allow', 'deny', 'open', 'open', 'open', 'open'])
  })
})

test('what is taken back in time is never sent, by key or button; what is not, once', async () => {
  await atFirst(3, async (dashboard, asked) => {
    const { page } = dashboard
    await page.keyboard.press('a')
    await waiting(page).waitFor()
    expect(await page.locator('[data-testid=need-row][aria-current=true] output').textContent()).toMatch(
      /^Allowed — sent in \d s/,
    )
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'answers/held')
    await page.keyboard.press('z')
    await page.getByTestId('held-bar').getByText('Nothing was sent').waitFor()
    await shot(page, 'answers/taken-back')
    const first = page.getByTestId('need-row').first()
    await first.getByRole('button', { name: 'Deny', exact: true }).click()
    await first.getByRole('button', { name: 'Undo' }).click()
    expect(await waiting(page).count()).toBe(0)
    // Held on the button, Enter takes back, and does not press what has the focus then.
    await first.getByRole('button', { name: 'Deny', exact: true }).click()
    await first.getByRole('button', { name: 'Undo' }).focus()
    await holdKey(page, 'Enter', 10, async () => true)
    expect(await waiting(page).count()).toBe(0)
    expect(sent(dashboard)).toBe(0)
    // By the time that a later one has arrived, those would have as well.
    const second = rows(page).nth(1)
    await second.click({ position: { x: 60, y: 12 } })
    await second.getByRole('button', { name: 'Allow', exact: true }).dblclick()
    await waiting(page).waitFor()
    expect(await answered(asked)).toBe(0)
    await until('the answer', async () => (await answered(asked)) === 1)
    await rows(page).nth(2).waitFor({ state: 'detached' })
    expect(sent(dashboard)).toBe(1)
    expect((await standing(asked)).toSorted()).toEqual(['allow', 'open', 'open'])
  })
})

test('an answer to a question whose time ends before it would be sent arrives in time', async () => {
  await withQuestions(0, async ({ page }) => {
    await page.getByText('Nothing needs you.').waitFor()
    const asked = await questions(1, 6_000)
    await rows(page).waitFor()
    await rows(page).getByRole('button', { name: 'Allow', exact: true }).click()
    await until('its end', async () => (await answered(asked)) === 1)
    expect(await standing(asked)).toEqual(['allow'])
  })
})

test('what was answered is sent at once when the page is left, and what was taken back is not', async () => {
  for (const leave of [
    (page: Page) => page.goto('about:blank'),
    (page: Page) => page.reload(),
    (page: Page) => page.close(),
  ]) {
    await atFirst(2, async ({ page }, asked) => {
      await page.keyboard.press('d')
      await waiting(page).waitFor()
      await page.keyboard.press('z')
      await page.getByTestId('held-bar').waitFor()
      await page.keyboard.press('j')
      await page.keyboard.press('a')
      await waiting(page).waitFor()
      expect(await answered(asked)).toBe(0)
      await leave(page)
      await until('the answer', async () => (await answered(asked)) === 1)
      expect((await standing(asked)).toSorted()).toEqual(['allow', 'open'])
    })
  }
})

test('what another answered first is told, and not answered again', async () => {
  await atFirst(1, async (dashboard, asked) => {
    const { page, client } = dashboard
    await page.keyboard.press('a')
    await waiting(page).waitFor()
    await client.questions.answer(asked[0]?.id ?? '', { behavior: 'deny', message: 'not today' })
    await page.getByTestId('held-bar').getByText('“Load ship 1” was denied elsewhere.').waitFor()
    await shot(page, 'answers/elsewhere')
    await gone(page.getByTestId('held-bar').getByText('elsewhere'))
    expect(sent(dashboard)).toBe(0)
    expect(await standing(asked)).toEqual(['deny'])
  })
})

test('on another page it is told what was done, and how to take it back', async () => {
  await atFirst(2, async (dashboard, asked) => {
    const { page } = dashboard
    for (const key of ['a', 'g', 'q']) await page.keyboard.press(key)
    await page.getByTestId('task-row').first().waitFor()
    const bar = page.getByTestId('held-bar')
    await bar.getByText('Allowed: “Load ship').waitFor()
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'answers/elsewhere-page')
    await page.keyboard.press('z')
    await bar.getByText('Undone').waitFor()
    await page.getByTestId('task-row').first().focus()
    // With no time to take it back it is sent at once.
    await page.keyboard.press('ControlOrMeta+k')
    await page.keyboard.type('undo time: none')
    await page.getByRole('option', { name: /Undo time: none/ }).waitFor()
    await page.keyboard.press('Enter')
    for (const key of ['g', 'h']) await page.keyboard.press(key)
    await rows(page).nth(1).waitFor()
    await keysAwake(page)
    await rows(page).first().getByRole('button', { name: 'Allow', exact: true }).click()
    await until('the answer', async () => (await answered(asked)) === 1)
    expect(sent(dashboard)).toBe(1)
  })
})

test('on the page of a task a held key answers one question, and moves the task once', async () => {
  await withQuestions(0, async (dashboard) => {
    const { page, client, server } = dashboard
    const asked = await asker.ask('Load the barge', ['load --deck 1', 'load --deck 2', 'load --deck 3'])
    const id = asked[0]?.taskId
    if (id === undefined) throw new Error('nothing was asked')
    const others = () => asker.standing([id])
    await page.goto(`${server.url}/tasks/${id}`)
    await page.locator('[data-question]').nth(2).waitFor()
    await keysAwake(page)
    await page.keyboard.press('a')
    await waiting(page).waitFor()
    await shot(page, 'answers/task')
    await holdKey(page, 'a', 10, async () => (await page.locator('[data-question]').count()) === 2)
    await keysAwake(page)
    expect(await waiting(page).count()).toBe(0)
    expect((await others()).toSorted()).toEqual(['allow', 'open', 'open'])
    expect(sent(dashboard)).toBe(1)
    await client.tasks.cancel(id)
    await page.getByRole('button', { name: 'Retry', exact: true }).waitFor()
    await holdKey(page, 'r', 10, async () => (await waiting(page).count()) === 1)
    await page.keyboard.press('z')
    expect(await waiting(page).count()).toBe(0)
    expect((await client.tasks.get(id)).task.status).toBe('cancelled')
    await page.keyboard.press('r')
    await until('the task to wait again', async () => (await client.tasks.get(id)).task.status === 'unassigned')
  })
})
