/** Home: what needs a person, each kind with its words and what can be done in place; what runs; what finished since they last looked. */

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'
import type { Answers } from '../../../src/api/contract/operations'
import type { NeedKind } from '../../../src/domain/overview/need'
import { evidenceInWords } from '../../../src/domain/session/evidence-words'
import { dollars } from '../../../web/src/lib/format'
import { until } from '../../lab/until'
import { browserOfTests, type Dashboard, shot, withDashboard } from '../page/page'
import { importConversations } from '../page/page-transcripts'
import { keysAwake, sendAtOnce, titled } from '../page/page-wait'
import { World } from '../world/world'
import type { TranscriptLines } from '../world/world-lines'
import type { WorldTasks } from '../world/world-tasks'

type Need = Answers['overview']['needs'][number]

// A browser on a machine that does other things as well.

let world: World
let tasks: WorldTasks

beforeAll(async () => {
  await browserOfTests()
  // Longer than any step between two lines of a run, shorter than the runs that wait.
  world = await World.start({ settings: { stuckAfterMs: 5_000 } })
  const [made] = await Promise.all([world.tasks(), world.session('unread')])
  tasks = made
  await world.mail()
})
afterAll(() => world?.stop())

async function withHome(work: (dashboard: Dashboard) => Promise<void>, path = '/'): Promise<void> {
  await withDashboard({ server: world.server, path }, async (dashboard) => {
    await sendAtOnce(dashboard.page)
    await dashboard.page.getByTestId('count-needs').waitFor()
    // The first row rests for a moment; a press that has to wait for it is tried from other places, and may fall beside it.
    await keysAwake(dashboard.page)
    await work(dashboard)
  })
}
/** Points at a row, whose details and buttons are shown then. */
async function pointed(page: Page, kind: NeedKind, id: string): Promise<Locator> {
  const row = rowOf(page, kind, id)
  await row.click({ position: { x: 60, y: 12 } })
  await row.getByTestId('need-peek').waitFor()
  await keysAwake(page)
  return row
}

const needRows = (page: Page) => page.getByTestId('need-row')
/** The row of a need, by the id that it is about and by its kind. */
const rowOf = (page: Page, kind: NeedKind, id: string): Locator =>
  needRows(page).and(page.locator(`[data-need="${kind}"][data-subject="${id}"]`))
const needs = async (): Promise<Need[]> => (await world.client.overview({ limit: 200 })).needs
const needOf = (kind: NeedKind, id: string) =>
  until(`a ${kind} of ${id}`, async () =>
    (await needs()).find((need) => need.kind === kind && (need.taskId ?? need.sessionId) === id),
  )

/** Ages go on between two looks; a text is compared as it is read, whatever breaks its lines. */
const asRead = (text: string | null): string =>
  (text ?? '')
    .replace(/\b\d+(\.\d+)? ?(ms|s|min|h|d)\b( ago)?/g, '…')
    .replace(/\s+/g, ' ')
    .trim()

/** A time as the server writes it, which a person reads by their own clock. */
const SERVER_TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/

test('shows every need with its words and what says so, the most urgent first, as `lode status` does', async () => {
  for (const id of [tasks.running, tasks.parent]) await needOf('stuck', id)
  await withHome(async ({ page, server }) => {
    const all = await needs()
    expect(new Set(all.map(({ kind }) => kind))).toEqual(
      new Set(['question', 'failure', 'request', 'stuck', 'lost', 'unread']),
    )
    await needRows(page)
      .nth(all.length - 1)
      .waitFor()
    for (const [at, need] of all.entries()) {
      const row = needRows(page).nth(at)
      expect(await row.getAttribute('data-need')).toBe(need.kind)
      await row.click({ position: { x: 60, y: 12 } })
      await row.getByTestId('need-peek').waitFor()
      const read = asRead(await row.textContent())
      expect(read).toContain(asRead(need.title))
      for (const part of evidenceInWords(need.evidence).split(SERVER_TIME)) expect(read).toContain(asRead(part))
      expect(read).not.toMatch(SERVER_TIME)
      for (const line of need.question === null ? need.text.split('\n').slice(0, 6) : [])
        expect(read).toContain(asRead(line))
      if (need.command !== null) expect(read).toContain(asRead(need.command))
      const id = need.taskId ?? need.sessionId
      if (id !== null) expect(await row.getByRole('button', { name: `Copy ID ${id}` }).count()).toBe(1)
      expect(await row.locator('time').first().getAttribute('datetime')).toBe(need.since)
      expect(await page.getByTestId('need-peek').count()).toBe(1)
      expect(await row.getByRole('button', { name: 'Dismiss' }).count()).toBe(need.canDismiss ? 1 : 0)
    }
    await titled(page, `(${all.length}) Home · Lodeline`)
    await page.getByRole('link', { name: `Home ${all.length > 99 ? '99+' : all.length} need you` }).waitFor()
    const status = await server.json<{ needs: Need[] }>('status')
    expect(status.needs.map(({ id }) => id)).toEqual(all.map(({ id }) => id))
    // The call that is asked for is shown whole.
    const question = await (await pointed(page, 'question', tasks.asking)).textContent()
    expect(question).toContain('Wants to call Bash')
    expect(question).toContain('touch manifest.txt')
    expect(question).toContain('Denied automatically in')
    await shot(page, 'home/needs')
  })
})

test('allows a call in place, and the run goes on to its end', async () => {
  await withHome(async ({ page }) => {
    const row = await pointed(page, 'question', tasks.asking)
    await row.getByRole('button', { name: 'Allow', exact: true }).click()
    await row.waitFor({ state: 'detached' })
    await page.getByRole('link', { name: /^Finished/ }).click()
    await page
      .getByTestId('finished-row')
      .filter({ has: page.locator(`a[href="/tasks/${tasks.asking}"]`) })
      .locator('[data-status="completed"]')
      .waitFor()
    expect((await world.client.tasks.get(tasks.asking)).task.output).toBe('Signed.')
  })
})

test('denies a call with words, which the agent is told', async () => {
  const { task } = await world.client.tasks.create({
    task: 'Unload the third ship at once',
    dir: world.claude.project,
  })
  await withHome(async ({ page }) => {
    // It comes while the page is open.
    const row = rowOf(page, 'question', task.id)
    await row.waitFor()
    await pointed(page, 'question', task.id)
    await row.getByRole('button', { name: 'Add a message' }).click()
    // In the field letters are letters, though `a` allows.
    await page.keyboard.type('a captain signs, and nobody else')
    expect((await world.client.questions.list({ taskId: task.id })).questions[0]?.status).toBe('open')
    await row.getByRole('button', { name: 'Deny', exact: true }).click()
    await row.waitFor({ state: 'detached' })
    const { questions } = await world.client.questions.list({ taskId: task.id })
    expect(questions[0]?.answer).toEqual({ behavior: 'deny', message: 'a captain signs, and nobody else' })
    const session = await until('the end of the run', async () => {
      const found = (await world.client.tasks.get(task.id)).task
      return found.status === 'completed' && found.claudeSessionId !== null ? found.claudeSessionId : undefined
    })
    const { events } = await world.client.sessions.events(session, { limit: 200 })
    expect(events.find(({ type }) => type === 'tool_result')?.text).toContain('a captain signs, and nobody else')
  })
})

test('tries a failure again; when it fails again that is another need', async () => {
  await withHome(async ({ page }) => {
    const before = await needOf('failure', tasks.failed)
    const row = await pointed(page, 'failure', tasks.failed)
    await row.getByRole('button', { name: 'Retry', exact: true }).click()
    await until('the retry', async () => (await needs()).every(({ id }) => id !== before.id))
    const after = await needOf('failure', tasks.failed)
    expect(after.id).not.toBe(before.id)
    await row.waitFor()
    await pointed(page, 'failure', tasks.failed)
    await row.getByTestId('need-peek').getByText(after.text, { exact: true }).waitFor()
  })
})

test('marks a result as read, and so does the record', async () => {
  const session = await world.session('unread')
  await withHome(async ({ page }) => {
    const row = await pointed(page, 'unread', session)
    expect(await row.textContent()).toContain('The gauge stands at 3.1 m and falls.')
    await row.getByRole('button', { name: 'Mark as read' }).click()
    await row.waitFor({ state: 'detached' })
    expect((await needs()).filter(({ kind }) => kind === 'unread')).toEqual([])
    await page.reload()
    await needRows(page).first().waitFor()
    expect(await row.count()).toBe(0)
  })
})

test('dismisses, and what was dismissed stays away', async () => {
  const session = await world.session('unread')
  await withHome(async ({ page, server }) => {
    for (const [kind, id] of [
      ['lost', session],
      ['failure', tasks.gaveUp],
    ] as const) {
      const count = await needRows(page).count()
      const row = await pointed(page, kind, id)
      await row.getByRole('button', { name: 'Dismiss' }).click()
      await row.waitFor({ state: 'detached' })
      expect(await needRows(page).count()).toBe(count - 1)
      // A person with the keys goes on from the next row.
      expect(await page.evaluate<string | null>('document.activeElement?.dataset.testid ?? null')).toBe('need-row')
    }
    const left = await needRows(page).count()
    await page.reload()
    await needRows(page)
      .nth(left - 1)
      .waitFor()
    expect(await needRows(page).count()).toBe(left)
    expect(await rowOf(page, 'lost', session).count()).toBe(0)
    await titled(page, `(${left}) Home · Lodeline`)
    const status = await server.json<{ needs: Need[] }>('status')
    expect(status.needs.some(({ taskId, kind }) => taskId === tasks.gaveUp && kind === 'failure')).toBe(false)
  })
})

test('shows what runs, with what it does now and a way to it', async () => {
  await withHome(async ({ page }) => {
    const row = page.getByTestId('running-row').filter({ hasText: 'Dredge the channel' })
    expect(await row.textContent()).toContain('Bash: echo begun; sleep 900')
    const { running } = await world.client.overview()
    expect(await page.getByTestId('running-row').count()).toBe(running.length)
    await row.getByRole('link', { name: 'Dredge the channel' }).click()
    await page.waitForURL(`**/tasks/${tasks.running}`)
    await page.getByTestId('task-page').waitFor()
    await page.goBack()
    await page.getByTestId('running-row').first().waitFor()
  }, '/?tab=running')
})

test('shows what finished with how it ended, until the person has seen it', async () => {
  await withHome(async ({ page, client }) => {
    const { finished, counts } = await client.overview({ since: new Date(Date.now() - 86_400_000).toISOString() })
    const rows = page.getByTestId('finished-row')
    expect(await rows.count()).toBe(finished.length)
    expect(counts.finished).toBe(finished.length)
    for (const [at, one] of finished.entries()) {
      const row = rows.nth(at)
      expect(asRead(await row.getByRole('link').textContent())).toBe(asRead(one.title))
      expect(await row.locator('[data-status]').getAttribute('data-status')).toBe(one.outcome)
    }
    const greeted = rows.filter({ hasText: 'Greet the harbour master' }).getByRole('link')
    expect(await greeted.getAttribute('href')).toBe(`/tasks/${tasks.completed}`)
    await page.getByRole('button', { name: 'Mark as seen' }).click()
    await rows.first().waitFor({ state: 'detached' })
    await page.getByText('Nothing has finished since').waitFor()
    // The button is gone; who pressed it by a key is not thrown out of the page.
    expect(await page.evaluate<boolean>('document.activeElement !== document.body')).toBe(true)
    await page.reload()
    await page.getByText('Nothing has finished since').waitFor()
    expect(await rows.count()).toBe(0)
    // What finishes from now on is new.
    const { task } = await client.tasks.create({ task: 'Count the crates', status: 'backlog' })
    await client.tasks.cancel(task.id, { reason: 'they are gone' })
    await rows.filter({ hasText: 'Count the crates' }).waitFor()
    expect(await rows.count()).toBe(1)
  }, '/?tab=finished')
})

test('a task costs the same on home, in the list, on its page and among costs: what is recorded of it', async () => {
  const { client } = world
  // Its run is under way and has reported nothing; the other's has, and is over.
  for (const [id, row] of [
    [tasks.running, 'running-row'],
    [tasks.completed, 'finished-row'],
  ] as const) {
    const { task, recorded } = await client.tasks.get(id)
    expect(task.costUsd === null).toBe(id === tasks.running)
    expect(recorded?.costUsd).toBeGreaterThan(0)
    const [cost] = (await client.costs({ by: 'task', taskId: id })).rows
    expect(cost).toMatchObject({ ...recorded })
    const shown = dollars(recorded?.costUsd ?? null, false)
    await withHome(
      async ({ page, server }) => {
        const link = page.locator(`a[href="/tasks/${id}"]`)
        await page.getByTestId(row).filter({ has: link }).getByText(shown, { exact: true }).waitFor()
        await page.goto(`${server.url}/tasks`)
        const listed = page.getByTestId('task-row').filter({ has: link })
        await listed.getByTestId('task-cost').getByText(shown, { exact: true }).waitFor()
        await page.goto(`${server.url}/tasks/${id}`)
        const head = page.getByTestId('task-page').locator('header').getByTestId('task-cost')
        await head.getByText(shown, { exact: true }).waitFor()
        expect(await head.getAttribute('title')).toBe(`${shown} from the recorded messages of its conversations`)
        await page.goto(`${server.url}/costs?by=task&since=all`)
        await page.getByTestId('cost-row').filter({ hasText: task.title }).getByText(shown, { exact: true }).waitFor()
      },
      row === 'running-row' ? '/?tab=running' : '/?tab=finished',
    )
  }
  // Nothing is recorded of this one, whatever its runs reported.
  expect(await client.tasks.get(tasks.failed)).toMatchObject({ recorded: null, task: { costUsd: 0 } })
  await withHome(async ({ page, server }) => {
    const link = page.locator(`a[href="/tasks/${tasks.failed}"]`)
    const text = await page.getByTestId('finished-row').filter({ has: link }).textContent()
    expect(text).not.toContain('$')
    expect(text).not.toContain('no price')
    await page.goto(`${server.url}/tasks/${tasks.failed}`)
    await page.getByText('$0 as reported by its runs').waitFor()
    expect(await page.locator('header').getByTestId('task-cost').count()).toBe(0)
  }, '/?tab=finished')
})

test('a rule for this project lets the same call through from then on, in this folder alone', async () => {
  const { project } = world.claude
  const make = async () =>
    (await world.client.tasks.create({ task: 'Unload the third ship at once', dir: project })).task.id
  const first = await make()
  await withHome(async ({ page, home }) => {
    await rowOf(page, 'question', first).waitFor()
    await pointed(page, 'question', first)
    await page.keyboard.press('A')
    const rule = `Bash(touch manifest.txt) in ${project}`
    await page.getByTestId('second-key').getByText(rule, { exact: true }).waitFor()
    await shot(page, 'home/always')
    await keysAwake(page)
    await page.keyboard.press('1')
    await until('the end', async () => (await world.client.tasks.get(first)).task.status === 'completed')
    expect(readFileSync(join(home, 'config.yaml'), 'utf8')).toContain(rule)
    // Nobody is asked again.
    const second = await make()
    await until('its end', async () => (await world.client.tasks.get(second)).task.status === 'completed')
    expect((await world.client.questions.list({ taskId: second })).questions).toEqual([])
  })
})

test('says what to do first where nothing is recorded', async () => {
  await withDashboard({}, async ({ page, client }) => {
    for (const command of ['claude', 'lode setup claude'])
      await page.getByRole('button', { name: `Copy command: ${command}` }).waitFor()
    await page.getByText('Nothing needs you.').waitFor()
    await titled(page, 'Home · Lodeline')
    // The first task takes their place, without a reload.
    const { task } = await client.tasks.create({ task: 'Look around', status: 'backlog' })
    await client.tasks.cancel(task.id)
    await page.getByRole('link', { name: /^Finished/ }).click()
    await page.getByTestId('finished-row').filter({ hasText: 'Look around' }).waitFor()
    await page.getByRole('link', { name: /^Running/ }).click()
    await page.getByText('No agents are running.').waitFor()
    await shot(page, 'home/first')
  })
})

test('who comes back after quiet days is not taken for new', async () => {
  await withDashboard({}, async ({ page, server, home }) => {
    await page.getByRole('button', { name: 'Copy command: claude' }).waitFor()
    const startedAt = Date.now() - 30 * 86_400_000
    const lines = (write: TranscriptLines) => [write.prompt('Count the crates.'), write.say('Twelve.')]
    await importConversations(server, home, [{ cwd: home, title: 'Count the crates', startedAt, lines }])
    await page.getByText('No agents are running.').waitFor()
    await page.getByText('Nothing needs you.').waitFor()
  })
})
