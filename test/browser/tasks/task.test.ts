/** The page of a task: what is to be seen of it in every state, and each thing that can be done to it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { TaskId } from '../../../src/domain/ids'
import type { ShownTaskStatus } from '../../../src/domain/task/task'
import { dollars } from '../../../web/src/lib/format'
import { until } from '../../lab/until'
import { browserOfTests, type Dashboard, type DashboardOptions, shot, withDashboard } from '../page/page'
import { axeCheck, axeInBoth } from '../page/page-axe'
import { keysAwake, sendAtOnce } from '../page/page-wait'
import { follow } from '../pages/pages-stops'
import { World } from '../world/world'
import { HOSTILE_NAMES } from '../world/world-hostile-texts'
import type { WorldTasks } from '../world/world-tasks'

let world: World
let tasks: WorldTasks

beforeAll(async () => {
  await browserOfTests()
  world = await World.start()
  tasks = await world.tasks()
})
afterAll(() => world?.stop())

/** Opens a task's page, and waits until it stands. */
async function withTask(
  id: TaskId,
  work: (dashboard: Dashboard) => Promise<void>,
  options: DashboardOptions = {},
): Promise<void> {
  await withDashboard({ server: world.server, path: `/tasks/${id}`, ...options }, async (dashboard) => {
    await sendAtOnce(dashboard.page)
    await dashboard.page.getByTestId('task-page').waitFor()
    await work(dashboard)
  })
}

/** Goes on to another task's page, in the page that is open. */
async function goTo(page: Page, id: TaskId): Promise<void> {
  await follow(page, `/tasks/${id}`)
  await part(page, 'Details').waitFor()
}

const part = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const statusOf = (page: Page) => page.getByTestId('task-page').locator('header [data-status]').first()
const showsStatus = (page: Page, status: ShownTaskStatus) =>
  page.getByTestId('task-page').locator(`header [data-status="${status}"]`).first().waitFor()
const stored = async (id: TaskId) => (await world.client.tasks.get(id)).task

/** A task of its own for a test that changes it; nobody begins it. */
async function noted(
  text: string,
  more: Parameters<typeof world.client.tasks.create>[0] | object = {},
): Promise<TaskId> {
  return (await world.client.tasks.create({ task: text, status: 'backlog', ...more })).task.id
}

test('shows what came of it, its attempt with the rung, and messages with the whole of their way', async () => {
  await withTask(tasks.completed, async ({ page }) => {
    expect(await statusOf(page).getAttribute('data-status')).toBe('completed')
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Greet the harbour master')
    const attempt = part(page, 'Attempts').getByRole('listitem').first()
    expect(await attempt.textContent()).toContain('fresh: started a new conversation')
    const reported = attempt.getByTitle('reported by the agent CLI', { exact: true })
    const { costUsd } = (await world.client.tasks.get(tasks.completed)).attempts[0] ?? {}
    expect(await reported.textContent()).toBe(dollars(costUsd ?? null, false))
    const { claudeSessionId } = await stored(tasks.completed)
    expect(await attempt.getByRole('link', { name: 'session' }).getAttribute('href')).toBe(
      `/sessions/${claudeSessionId}`,
    )
    const message = page.locator(`[data-message="${tasks.told}"]`)
    const text = (await message.textContent()) ?? ''
    expect(text).toContain('He likes tea.')
    for (const step of ['consumed', 'sent', 'queued', 'delivered']) expect(text).toContain(step)
    expect(text).toContain(`of session ${claudeSessionId}`)
    const log = part(page, 'Log')
    await log.getByText(/in_progress -> completed/).waitFor()
    expect(await log.getByRole('heading', { name: 'Attempt 1' }).count()).toBe(1)
    await shot(page, 'task/completed')
    // And the session says whose it was.
    await attempt.getByRole('link', { name: 'session' }).click()
    await page.getByTestId('session-row').first().waitFor()
    const back = page.locator('header').getByRole('link', { name: tasks.completed })
    expect(await back.getAttribute('href')).toBe(`/tasks/${tasks.completed}`)
  })
})

test('leads from a child to its parent and back, and says why no better rung ran', async () => {
  await withTask(tasks.followUp, async ({ page }) => {
    const attempt = part(page, 'Attempts').getByRole('listitem').first()
    const { attempts } = await world.client.tasks.get(tasks.followUp)
    const conversation = attempts.at(-1)?.conversation
    expect(await attempt.textContent()).toContain(`${conversation?.rung}: `)
    for (const { rung } of conversation?.whyNot ?? []) expect(await attempt.textContent()).toContain(`not ${rung}: `)
    await part(page, 'Parent and children').getByRole('link', { name: 'Greet the harbour master' }).click()
    await page.waitForURL(`**/tasks/${tasks.completed}`)
    await part(page, 'Parent and children').getByRole('button', { name: 'Show as a tree' }).click()
    await page.waitForURL('**?tree=1')
    await page.reload()
    const tree = page.getByRole('list', { name: 'Task tree' })
    await tree.getByRole('link', { name: /Which ship/ }).waitFor()
    expect(await tree.locator('[aria-current="true"]').textContent()).toContain('Greet the harbour master')
    await page.goBack()
    await page.waitForURL(`**/tasks/${tasks.followUp}`)
  })
})

test('is found by a beginning of its id, and then has the whole one in its address', async () => {
  await withDashboard({ server: world.server, path: `/tasks/${tasks.completed.slice(0, 6)}` }, async ({ page }) => {
    await page.waitForURL(`**/tasks/${tasks.completed}`)
  })
})

test('of a task that is not there says so', async () => {
  await withDashboard({ server: world.server, path: '/tasks/t-00000000' }, async ({ page, problems }) => {
    problems.allow(/404/)
    await page.getByText('no task t-00000000').waitFor()
  })
})

test('tells why it failed and what can be done, and tries again by a key', async () => {
  await withTask(tasks.failed, async ({ page }) => {
    const failure = part(page, 'Why it failed')
    const { failureClass, failureReason, attemptCount } = await stored(tasks.failed)
    expect(await failure.textContent()).toContain(failureClass ?? 'none')
    expect(await failure.textContent()).toContain(failureReason ?? 'none')
    expect(await part(page, 'Attempts').getByRole('listitem').count()).toBeGreaterThanOrEqual(attemptCount)
    await shot(page, 'task/failed')
    await page.keyboard.press('r')
    // Live, without a reload: the new attempt appears, and fails as the others did.
    await part(page, 'Attempts')
      .locator(`[data-attempt="${attemptCount + 1}"]`)
      .waitFor()
    await until('the retry to fail', async () => (await stored(tasks.failed)).status === 'failed')
    await showsStatus(page, 'failed')
  })
})

test('asks for leave in place, and goes on with the answer of a key', async () => {
  await withTask(tasks.asking, async ({ page }) => {
    const question = page.locator(`[data-question="${tasks.question}"]`)
    const { questions } = await world.client.tasks.get(tasks.asking)
    const asked = questions.find(({ id }) => id === tasks.question)
    const fields = Object.values(asked?.input as Record<string, unknown>)
    expect(fields.length).toBeGreaterThan(0)
    const text = (await question.textContent()) ?? ''
    expect(text).toContain(`Allow the call of ${asked?.toolName}?`)
    for (const value of fields) if (typeof value === 'string') expect(text).toContain(value)
    expect(text).toContain('automatically in')
    expect(await axeCheck(page, { within: '[data-testid=task-page]' })).toEqual([])
    await shot(page, 'task/asking')
    // In a field the letter is a letter.
    await question.getByRole('textbox').fill('for the first ')
    await question.getByRole('textbox').pressSequentially('a')
    expect((await world.client.questions.list({ taskId: tasks.asking })).questions[0]?.status).toBe('open')
    await page.getByRole('heading', { level: 1 }).click()
    await keysAwake(page)
    await page.keyboard.press('a')
    await question.waitFor({ state: 'detached' })
    await part(page, 'Questions').getByText('allowed').waitFor()
    const answered = (await world.client.questions.list({ taskId: tasks.asking })).questions[0]
    expect(answered).toMatchObject({ status: 'answered', answer: { behavior: 'allow', message: 'for the first a' } })
    await showsStatus(page, 'completed')
  })
})

test('is paused, resumed, cancelled and tried again by keys, each as the server says', async () => {
  const notBefore = new Date(Date.now() + 3_600_000).toISOString()
  const { task } = await world.client.tasks.create({
    task: 'Count the gulls',
    notBefore,
    requiredCapabilities: ['gulls'],
  })
  await withTask(task.id, async ({ page }) => {
    await page.keyboard.press('p')
    await showsStatus(page, 'paused')
    expect(await stored(task.id)).toMatchObject({ status: 'paused', pausedBy: 'person' })
    expect(await page.getByRole('button', { name: 'Pause' }).count()).toBe(0)
    await page.keyboard.press('r')
    await showsStatus(page, 'pending')
    await page.keyboard.press('x')
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Keep task' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await stored(task.id)).status).toBe('pending')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await dialog.getByLabel(/^Reason/).fill('they flew away')
    await page.keyboard.press('Enter')
    await showsStatus(page, 'cancelled')
    expect((await stored(task.id)).reason).toContain('they flew away')
    await page.getByText('they flew away').first().waitFor()
    await page.getByRole('button', { name: 'Retry', exact: true }).click()
    await showsStatus(page, 'unassigned')
  })
  await world.client.tasks.cancel(task.id)
})

test('lets a noted task begin, and shows what others do to it at once', async () => {
  const id = await noted('Watch the tide', { requiredCapabilities: ['tide'] })
  await withTask(id, async ({ page }) => {
    await page.getByRole('button', { name: 'Queue' }).click()
    await showsStatus(page, 'unassigned')
    await world.client.tasks.progress(id, { progress: 'It **rises**.' })
    await part(page, 'Progress').locator('strong', { hasText: 'rises' }).waitFor()
    await world.client.tasks.cancel(id, { reason: 'it fell' })
    await showsStatus(page, 'cancelled')
    await part(page, 'Log')
      .getByText(/cancelled.*it fell/)
      .waitFor()
  })
})

test('shows a refusal of the server where it was asked', async () => {
  const id = await noted('Trim the lamps')
  await withTask(id, async ({ page, problems }) => {
    problems.allow(/409/)
    // Somebody else was faster, and the page has not heard of it.
    await page.route('**/api/tasks/*/deploy', async (route) => {
      await world.client.tasks.cancel(id)
      await route.continue()
    })
    await page.getByRole('button', { name: 'Queue' }).click()
    await page.getByRole('alert').filter({ hasText: id }).waitFor()
    await showsStatus(page, 'cancelled')
  })
})

test('gives the command that opens its conversation, or says why not now', async () => {
  await withTask(tasks.completed, async ({ page, context, server }) => {
    await context.grantPermissions(['clipboard-write'], { origin: server.url })
    await page.keyboard.press('o')
    await page.getByText('Copied. Paste it into a terminal:').waitFor()
    await page.keyboard.press('m')
    await page.keyboard.press('Control+v')
    expect(await page.getByLabel('Message to the task').inputValue()).toBe(`lode task open ${tasks.completed}`)
  })
  await withTask(tasks.running, async ({ page }) => {
    await page.getByRole('button', { name: 'Open in terminal' }).click()
    await page.getByText(/The task is running: attempt 1.*Pause it first\./).waitFor()
    await page.getByText(`lode task pause ${tasks.running}`).waitFor()
  })
})

test('sends a message by keys, shows where it is on its way, and takes it back', async () => {
  const id = await noted('Wait for the mail')
  await withTask(id, async ({ page }) => {
    await page.keyboard.press('m')
    await page.keyboard.type('Bring the <b>chart</b> along.')
    await page.reload()
    const field = page.getByLabel('Message to the task')
    expect(await field.inputValue()).toBe('Bring the <b>chart</b> along.')
    await field.focus()
    await page.keyboard.press('Control+Enter')
    const list = page.getByRole('list', { name: 'Messages' })
    await list.getByText('Bring the <b>chart</b> along.').waitFor()
    expect(await field.inputValue()).toBe('')
    expect(await list.locator('[data-status]').getAttribute('data-status')).toBe('produced')
    const { messages } = await world.client.messages.list({ to: id })
    expect(messages.map(({ text }) => text)).toEqual(['Bring the <b>chart</b> along.'])
    await list.getByRole('button', { name: 'Withdraw this message' }).click()
    await list.locator('[data-status="withdrawn"]').waitFor()
    expect(await list.getByRole('button', { name: 'Withdraw this message' }).count()).toBe(0)
  })
})

test('makes a child of it by a key, which goes on in its conversation', async () => {
  await withTask(tasks.completed, async ({ page }) => {
    await page.keyboard.press('c')
    await page.waitForURL(`**?new=1&parent=${tasks.completed}`)
    const dialog = page.getByRole('dialog', { name: `New child task of ${tasks.completed}` })
    await dialog.getByLabel('Instructions').fill('Which ship did you greet?')
    await page.keyboard.press('Control+Enter')
    await page.waitForURL((url) => url.pathname !== `/tasks/${tasks.completed}`)
    const id = new URL(page.url()).pathname.split('/').at(-1) as TaskId
    expect(await stored(id)).toMatchObject({
      parentTaskId: tasks.completed,
      continuity: 'continue',
      source: 'dashboard',
    })
    await showsStatus(page, 'completed')
    // What is recorded of it comes without a reload, here and at its row.
    await page.locator('header').getByTestId('task-cost').waitFor()
    await page.goBack()
    const child = page.getByRole('list', { name: 'Children' }).getByRole('listitem')
    const row = child.filter({ has: page.locator(`a[href="/tasks/${id}"]`) })
    await row.getByTestId('task-cost').waitFor()
    expect(await page.getByRole('dialog').count()).toBe(0)
  })
})

test('shows the log of a run as it comes, and in parts by the address', async () => {
  const id = await noted('Read the log', { requiredCapabilities: ['nobody'] })
  await withTask(id, async ({ page }) => {
    const log = part(page, 'Log')
    await log.getByText('1 line', { exact: true }).waitFor()
    const asked: string[] = []
    page.on('request', (request) => request.url().includes(`/tasks/${id}/log`) && asked.push(request.url()))
    await world.client.tasks.progress(id, { progress: 'half way' })
    await world.client.tasks.patch(id, { status: 'unassigned' })
    await log.getByText(/backlog -> unassigned/).waitFor()
    const { lines } = await world.client.tasks.log(id)
    // Only what came after the last line is asked for.
    expect(asked.length).toBeGreaterThan(0)
    for (const url of asked)
      expect(Number(new URL(url).searchParams.get('after'))).toBeGreaterThanOrEqual(lines[0]?.id ?? 0)
  })
  await withTask(tasks.running, async ({ page }) => {
    const log = part(page, 'Log')
    await log.locator('[data-kind="tool"]').first().waitFor()
    await log.getByRole('button', { name: 'status' }).click()
    await page.waitForURL('**?log=moves')
    await log.locator('[data-kind="tool"]').waitFor({ state: 'detached' })
    await page.reload()
    await log.locator('[data-kind="run"]').first().waitFor()
    expect(await log.locator('[data-kind="tool"]').count()).toBe(0)
    await shot(page, 'task/running')
  })
})

test('stays whole with hostile texts, and lets none of them do anything', async () => {
  const { tasks: hostile } = await world.hostile()
  const ids = HOSTILE_NAMES.flatMap((name) => hostile[name] ?? [])
  expect(ids.length).toBeGreaterThan(5)
  await withTask(
    tasks.completed,
    async ({ page }) => {
      for (const id of ids) {
        await goTo(page, id)
        expect(
          await page.evaluate<number>(
            'document.querySelectorAll("main script, main iframe, main img, main svg[onload]").length',
          ),
        ).toBe(0)
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
      }
    },
    { size: 'phone' },
  )
})

for (const size of ['wide', 'phone'] as const)
  test(`breaks no rule of accessibility in light and dark, ${size}`, async () => {
    await withTask(
      tasks.completed,
      async ({ page }) => {
        for (const name of ['completed', 'failed', 'blocked', 'parent'] as const) {
          await goTo(page, tasks[name])
          const picture = (scheme: string) => shot(page, `task/${size}-${scheme}-${name}`)
          expect(await axeInBoth(page, { within: '[data-testid=task-page]' }, picture)).toEqual([])
          expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(
            0,
          )
        }
      },
      { size },
    )
  })

test('lists its keys', async () => {
  await withTask(tasks.asking, async ({ page }) => {
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const label of ['pause', 'resume, retry or queue', 'cancel (asks for confirmation)', 'new child task'])
      await keys.getByRole('listitem').filter({ hasText: label }).waitFor()
    await keys.getByText('write a message to the task').waitFor()
    await keys.getByText('copy the command that opens it in a terminal').waitFor()
  })
})
