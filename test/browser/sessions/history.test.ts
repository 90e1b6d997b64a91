/** What one looks at stands in the address: loaded anew, gone back to or pasted elsewhere it is the same. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { SessionId, TaskId } from '../../../src/domain/ids'
import { until } from '../../lab/until'
import { browserOfTests, withDashboard } from '../page/page'
import { World } from '../world/world'
import type { WorldIssues } from '../world/world-issues'
import type { RecordingName } from '../world/world-recordings'

let world: World
let charted: SessionId
let recordings: Record<RecordingName, SessionId>
let issues: WorldIssues
let noted: TaskId

beforeAll(async () => {
  await browserOfTests()
  world = await World.start()
  const [session, found, made, { task }] = await Promise.all([
    world.session('charted'),
    world.recordings(),
    world.issues(),
    world.client.tasks.create({ task: 'Build a second quay', status: 'backlog' }),
  ])
  charted = session
  recordings = found
  issues = made
  noted = task.id
})
afterAll(() => world?.stop())

/** The page as it is read, without what goes on by itself: ages, and lines that are drawn beside the ones in view. */
const view = (page: Page) =>
  page.evaluate<string>(`(() => {
    const page = document.getElementById('page')
    if (page === null) return ''
    const textOf = (one) => {
      const copy = one.cloneNode(true)
      for (const time of copy.querySelectorAll('time')) time.remove()
      return copy.textContent
    }
    const isOn = (one) => { const box = one.getBoundingClientRect(); return box.bottom > 0 && box.top < innerHeight }
    const chosen = [...page.querySelectorAll('[aria-pressed=true], [aria-current], [aria-selected=true], [aria-expanded]')]
      .filter(isOn).map((one) => [one.tagName, one.getAttribute('aria-expanded'), textOf(one)].join(' '))
    const fields = [...page.querySelectorAll('input, select')].map((one) => one.type === 'checkbox' ? one.checked : one.value)
    const rows = [...page.querySelectorAll('h1, li, article, [role=row], [role=treeitem], tr')].filter(isOn).map(textOf)
    return JSON.stringify({ chosen, fields, rows }).replace(/\\d+(\\.\\d+)? ?(ms|s|min|h|d)( ago|\\b)|just now/g, '…')
  })()`)

/** Waits until the page has come to rest: it is the same ten times in a row. */
async function settled(page: Page): Promise<string> {
  let last = ''
  let times = 0
  await until('the page to rest', async () => {
    const now = await view(page)
    times = now === last ? times + 1 : 0
    last = now
    return times === 10
  })
  return last
}

interface Visit {
  from: string
  /** What stands there once it is whole. */
  shows: string
  /** What the person changes. */
  change(page: Page): Promise<void>
  /** A part of the address after it. */
  leaves: RegExp
}

const visits = (): readonly Visit[] => [
  {
    from: '/tree',
    shows: '[role=treeitem]',
    leaves: /open=/,
    async change(page) {
      await page.keyboard.press('*')
      await page.locator('[role=treeitem][aria-level="2"]').first().waitFor()
    },
  },
  {
    from: '/tree',
    shows: '[role=treeitem]',
    leaves: /q=quay/,
    async change(page) {
      await page.getByLabel('Filter by title').fill('quay')
    },
  },
  {
    from: `/sessions/${charted}`,
    shows: '[data-testid=session-row]',
    leaves: /view=timeline/,
    change: (page) => page.keyboard.press('t'),
  },
  {
    from: '/tasks',
    shows: '[data-testid=task-row]',
    leaves: /status=waiting/,
    change: (page) => page.getByRole('button', { name: 'waiting', exact: true }).click(),
  },
  {
    from: '/issues',
    shows: '[data-testid=issue-row]',
    leaves: /view=board/,
    async change(page) {
      await page.getByRole('navigation', { name: 'Views of issues' }).getByRole('link', { name: 'Board' }).click()
      await page.getByTestId('issue-board').waitFor()
    },
  },
  {
    from: '/search',
    shows: 'h1',
    leaves: /q=harbour/,
    async change(page) {
      await page.getByLabel('Search for').fill('harbour')
      await page.getByTestId('session-hit').or(page.getByTestId('search-hit')).first().waitFor()
    },
  },
  {
    from: '/costs',
    shows: '[data-testid=cost-row]',
    leaves: /by=model/,
    change: (page) => page.getByRole('search').getByRole('button', { name: 'model', exact: true }).click(),
  },
]

test('a page that was changed is the same when it is loaded anew, and for who gets its address', async () => {
  await withDashboard({ server: world.server }, async ({ page, context, problems, server }) => {
    for (const { from, shows, change, leaves } of visits()) {
      await page.goto(server.url + from)
      await page.locator(shows).first().waitFor()
      const before = await settled(page)
      await change(page)
      await page.waitForURL(leaves)
      const changed = await settled(page)
      expect([from, changed === before]).toEqual([from, false])
      await page.reload()
      await until(`the same at ${page.url()}`, async () => (await view(page)) === changed, 10_000).catch(async () => {
        expect([from, await view(page)]).toEqual([from, changed])
      })
      const other = await context.newPage()
      problems.watch(other)
      await other.goto(page.url())
      await until(`the same elsewhere`, async () => (await view(other)) === changed, 10_000)
      await other.close()
    }
  })
})

test('back and forward lead through what one looked at', async () => {
  await withDashboard({ server: world.server }, async ({ page }) => {
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await page.getByRole('link', { name: 'Tree' }).first().click()
    await page.getByRole('treeitem').first().waitFor()
    await page.keyboard.press('*')
    await page.waitForURL(/open=/)
    const tree = page.url()
    await page.getByRole('treeitem').filter({ hasText: 'Chart the harbour' }).first().click()
    await page.waitForURL(`**/sessions/${charted}`)
    await page.getByTestId('session-row').first().waitFor()
    await page.keyboard.press('t')
    await page.waitForURL('**?view=timeline')
    await page.getByRole('link', { name: 'Issues' }).first().click()
    await page.getByTestId('issue-row').first().waitFor()

    await page.goBack()
    expect(page.url()).toEndWith(`/sessions/${charted}?view=timeline`)
    await page.getByTestId('session-timeline').waitFor()
    await page.goBack()
    expect(page.url()).toEndWith(`/sessions/${charted}`)
    await page.getByTestId('session-row').first().waitFor()
    await page.goBack()
    expect(page.url()).toBe(tree)
    await page.getByRole('treeitem').filter({ hasText: 'Chart the harbour' }).first().waitFor()
    await page.goForward()
    await page.getByRole('heading', { level: 1, name: /Chart the harbour/ }).waitFor()
    await page.goForward()
    await page.goForward()
    await page.getByTestId('issue-row').first().waitFor()
    for (let step = 0; step < 4; step++) await page.goBack()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  })
})

test('a link to an event opens its session there, also in a sub-agent that the link does not name', async () => {
  const { rows, total } = await world.client.sessions.rows(charted)
  const row = rows.find(({ event: { text } }) => text?.includes('Three things are to be done'))
  const event = row?.event
  const { subagents } = await world.client.sessions.get(charted)
  const deep = subagents.find(({ description }) => description === 'Sound the southern rock')
  const inside = (await world.client.sessions.rows(charted, { subagentId: deep?.id ?? ('' as never) })).rows.at(
    -1,
  )?.event
  expect(total).toBeGreaterThan(5)
  await withDashboard(
    { server: world.server, path: `/sessions/${charted}?at=${event?.id}` },
    async ({ page, server }) => {
      const found = page.locator('[data-testid=session-row][aria-current=true]')
      await found.waitFor()
      expect(await found.getAttribute('data-number')).toBe(String(row?.number))
      expect(await page.evaluate<string>('document.activeElement.dataset.number')).toBe(String(row?.number))
      await page.goto(`${server.url}/sessions/${charted}?at=${inside?.id}`)
      await page.waitForURL(new RegExp(`agent=${deep?.id}`))
      await page.getByTestId('session-row').filter({ hasText: 'The rock lies at 4.9 m.' }).waitFor()
      // The way back is to where one came from, not to the address before it was made whole.
      await page.goBack()
      expect(page.url()).toContain(`at=${event?.id}`)
    },
  )
})

test('beginnings of ids, sub-agents, entries of the tree and issues are found by their address', async () => {
  await withDashboard({ server: world.server }, async ({ page, server, client }) => {
    const { subagents } = await client.sessions.get(charted)
    const north = subagents.find(({ description }) => description === 'Sound the north')
    const { tree } = await client.tree.level().then(async ({ entries }) => {
      const project = entries.find(({ label }) => label === 'p')
      const level = await client.tree.level({ under: project?.id ?? '' })
      return { tree: level.entries.find(({ sessionId }) => sessionId === charted) }
    })
    const places: readonly (readonly [path: string, shows: string])[] = [
      [`/sessions/${charted}?agent=${north?.id}`, 'text=This side is sounded.'],
      [`/sessions/${recordings.forked}`, '[data-testid=session-row]'],
      [
        `/tree?at=${encodeURIComponent(tree?.id ?? '')}`,
        '[role=treeitem][aria-selected=true]:has-text("Chart the harbour")',
      ],
      [`/issues/${issues.blocked}`, 'h1:has-text("Drive the piles")'],
      [`/tasks/${noted.slice(0, 6)}`, 'h1:has-text("Build a second quay")'],
    ]
    for (const [path, shows] of places) {
      await page.goto(server.url + path)
      await page.locator(shows).first().waitFor()
    }
  })
})

test('what does not exist says so and leads home', async () => {
  await withDashboard({ server: world.server }, async ({ page, server, problems }) => {
    problems.allow(/404/)
    const gone = crypto.randomUUID()
    for (const [path, says] of [
      [`/sessions/${gone}`, gone],
      ['/tasks/t-00000000', 't-00000000'],
      [`/sessions/${charted}?at=${gone}`, gone],
      ['/issues/ld-nothing', 'ld-nothing'],
    ] as const) {
      await page.goto(server.url + path)
      await page.locator('main').getByText(says).first().waitFor()
    }
    await page.goto(`${server.url}/nowhere/at/all`)
    await page.getByText('This page does not exist.').waitFor()
    await page.locator('main').getByRole('link', { name: 'home' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
  })
})
