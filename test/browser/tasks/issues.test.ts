/** Issues in the page: looked at in every way, and changed by pointer and by keys alone. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { emptyRepository } from '../../lab/empty-repository'
import { browserOfTests, type Dashboard, type DashboardOptions, shot, withDashboard } from '../page/page'
import { axeInBoth } from '../page/page-axe'
import { eachStop, nameOf, type Stop } from '../pages/pages-stops'
import { World } from '../world/world'
import type { WorldIssues } from '../world/world-issues'

let world: World
let issues: WorldIssues
let other: string

beforeAll(async () => {
  world = await World.start()
  issues = await world.issues()
  other = mkdtempSync('/tmp/ld-other-')
  emptyRepository(other)
  await browserOfTests()
})
afterAll(async () => {
  await world?.stop()
  if (other !== undefined) rmSync(other, { recursive: true, force: true })
})

const scope = () => ({ dir: world.claude.project, actor: 'ann' })
const at = (search: Record<string, string> = {}) =>
  `/issues?${new URLSearchParams({ project: world.claude.project, ...search })}`
const look = (options: DashboardOptions, work: (dashboard: Dashboard) => Promise<void>) =>
  withDashboard({ server: world.server, ...options }, work)
const issueOf = async (id: string) => (await world.client.issues.get(id, scope())).issue
const create = async (title: string, more: Partial<Parameters<typeof world.client.issues.create>[0]> = {}) =>
  (await world.client.issues.create({ ...scope(), title, ...more })).issue.id

/** Waits until what `read` gives is so, since the page shows what the feed tells. */
async function eventually<T>(read: () => Promise<T>, isSo: (value: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries++) {
    const value = await read()
    if (isSo(value) || tries > 400) return value
    await Bun.sleep(25)
  }
}

const rows = (page: Page) => page.getByTestId('issue-row')
const row = (page: Page, id: string) => page.locator(`[data-testid=issue-row][data-issue="${id}"]`)
/** The issue whose row, card or node has the focus. */
const focused = (page: Page) =>
  page.evaluate<string>('document.activeElement?.dataset.issue ?? document.activeElement?.dataset.node')
const search = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams)

test('the list shows what is open, with who works on it, and what is chosen stands in the address', async () => {
  await look({ path: at() }, async ({ page }) => {
    await row(page, issues.claimed).getByText('ann', { exact: true }).filter({ visible: true }).waitFor()
    expect(await row(page, issues.closed).count()).toBe(0)
    expect(await row(page, issues.blocked).locator('[data-status=blocked]').count()).toBe(1)

    await page.getByRole('button', { name: 'Type' }).click()
    await page.getByRole('menuitemcheckbox', { name: 'bug' }).click()
    await page.keyboard.press('Escape')
    await row(page, issues.ready).waitFor({ state: 'detached' })
    expect(search(page)).toMatchObject({ type: 'bug' })
    expect(await rows(page).count()).toBe(1)

    await page.reload()
    await row(page, issues.claimed).waitFor()
    expect(await rows(page).count()).toBe(1)
    await page.getByRole('button', { name: 'Clear' }).click()
    await row(page, issues.ready).waitFor()
    await page.getByRole('searchbox', { name: 'Search ID or title' }).fill('PLANKS')
    await row(page, issues.ready).waitFor({ state: 'detached' })
    expect(await rows(page).count()).toBe(1)
    await page.waitForURL((url) => url.searchParams.get('q') === 'PLANKS')
    await page.getByRole('searchbox', { name: 'Search ID or title' }).fill('nothing is called so')
    await page.getByText('No issues match these filters.').waitFor()
    await page.getByRole('button', { name: 'Show all open issues' }).click()
    await row(page, issues.ready).waitFor()

    await page.getByRole('button', { name: 'Sort by' }).or(page.getByTitle('Sort by ID')).first().click()
    await page.waitForURL((url) => url.searchParams.get('order') === 'id')
  })
})

test('a change by somebody else is shown without asking', async () => {
  await look({ path: at() }, async ({ page }) => {
    await row(page, issues.ready).waitFor()
    const id = await create('A bell for fog')
    await row(page, id).waitFor()
    await world.client.issues.update(id, { ...scope(), title: 'A louder bell' })
    await row(page, id).getByText('A louder bell').waitFor()
    await world.client.issues.close(id, scope())
    await row(page, id).waitFor({ state: 'detached' })
  })
})

test('by keys alone: find, open, edit, close, open again, and come back to the same row', async () => {
  const first = await create('Mend the first net', { priority: 0 })
  const second = await create('Mend the second net', { priority: 0 })
  await look({ path: at({ q: 'net' }) }, async ({ page }) => {
    await row(page, first).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await page.keyboard.press('j')
    const current = page.locator('[role=row][aria-current=true]')
    const id = (await current.getAttribute('data-issue')) ?? ''
    expect([first, second]).toContain(id as typeof first)
    expect(await focused(page)).toBe(id)
    await page.keyboard.press('Enter')
    await page.getByTestId('issue-page').waitFor()
    expect(new URL(page.url()).pathname).toBe(`/issues/${id}`)
    const other = id === first ? second : first
    await page.keyboard.press('k')
    await page.waitForURL(`**/issues/${other}*`)
    await page.keyboard.press('j')
    await page.waitForURL(`**/issues/${id}*`)
    await page.keyboard.press('h')
    await current.waitFor()
    expect(await current.getAttribute('data-issue')).toBe(id)
    await page.keyboard.press('Enter')
    await page.getByTestId('issue-page').waitFor()

    await page.keyboard.press('e')
    const editor = page.getByRole('textbox', { name: 'Description' })
    await editor.waitFor()
    await page.keyboard.type('With **green** thread.')
    await page.reload()
    expect(await editor.inputValue()).toBe('With **green** thread.')
    await editor.press('Control+Enter')
    await page.locator('.prose-agent strong', { hasText: 'green' }).waitFor()
    expect((await issueOf(id)).description).toBe('With **green** thread.')
    expect(search(page).edit).toBeUndefined()

    await page.keyboard.press('e')
    await editor.waitFor()
    await page.keyboard.type('not this')
    await page.keyboard.press('Escape')
    await editor.waitFor({ state: 'detached' })
    expect((await issueOf(id)).description).toBe('With **green** thread.')

    await page.keyboard.press('x')
    await page.keyboard.type('it holds fish')
    await page.keyboard.press('Control+Enter')
    await page.getByRole('button', { name: 'Reopen' }).waitFor()
    expect(await issueOf(id)).toMatchObject({ status: 'closed', closeReason: 'it holds fish' })
    await page.keyboard.press('x')
    await page.getByRole('dialog').getByRole('button', { name: 'Reopen' }).waitFor()
    await page.keyboard.press('Control+Enter')
    await eventually(
      () => issueOf(id),
      ({ status }) => status === 'open',
    )
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await page.goBack()
    await eventually(
      async () => await current.getAttribute('data-issue'),
      (found) => found === id,
    )
    expect(await current.getAttribute('data-issue')).toBe(id)
  })
})

test('priority, status, label and assignee take two keys each, from the list, and are undone by one', async () => {
  const id = await create('Caulk the seams', { priority: 3 })
  await look({ path: at({ q: 'Caulk' }) }, async ({ page }) => {
    await row(page, id).waitFor()
    await page.keyboard.press('j')
    await page.keyboard.press('p')
    await page.getByRole('dialog').getByText('highest').waitFor()
    await page.keyboard.press('1')
    await page.getByTestId('held-bar').getByText('Priority high').waitFor()
    await page.keyboard.press('z')
    await page.getByTestId('held-bar').getByText('Nothing was sent').waitFor()
    expect((await issueOf(id)).priority).toBe(3)
    for (const key of ['p', '1', 's', '2', '@']) {
      await page.keyboard.press(key)
      if ('ps@'.includes(key)) await page.getByRole('dialog').waitFor()
      else await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await page.keyboard.type('bea')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.keyboard.press('l')
    await page.getByRole('dialog').getByRole('combobox').waitFor()
    await page.keyboard.type('hull')
    await page.keyboard.press('Enter')
    const now = await eventually(
      () => issueOf(id),
      ({ priority, assignee, labels }) => priority === 1 && assignee === 'bea' && labels.includes('hull'),
    )
    expect(now).toMatchObject({ priority: 1, assignee: 'bea', labels: ['hull'] })
    expect(now.status).not.toBe('open')
    await world.client.issues.close(id, scope())
  })
})

test('several issues are selected by keys, looked at beside the list, changed together, undone together, and closed', async () => {
  const names = ['Splice one', 'Splice two', 'Splice three']
  const ids = await Promise.all(
    names.map((title, at) => create(title, { priority: 3, description: `How to **splice** rope ${at}.` })),
  )
  const priorities = async () => (await Promise.all(ids.map(issueOf))).map(({ priority }) => priority)
  await look({ path: at({ q: 'Splice' }) }, async ({ page }) => {
    await rows(page).nth(2).waitFor()
    const marked = page.locator('[data-testid=issue-row][aria-selected=true]')
    const bar = page.getByTestId('selection-bar')
    await page.keyboard.press('Space')
    await bar.getByText('1 issue selected').waitFor()
    await page.keyboard.press('Space')
    await bar.getByText('selected').waitFor({ state: 'detached' })

    await page.keyboard.press('v')
    await page.getByTestId('issue-peek').getByText('How to splice rope').waitFor()
    const first = await page.getByTestId('issue-peek').getAttribute('aria-label')
    for (const _ of ids.slice(1)) await page.keyboard.press('J')
    await bar.getByText('2 issues selected').waitFor()
    await page.keyboard.press('Space')
    await bar.getByText('3 issues selected').waitFor()
    expect(await marked.count()).toBe(3)
    expect(await page.getByTestId('issue-peek').getAttribute('aria-label')).not.toBe(first)
    expect(await axeInBoth(page, {}, (scheme) => shot(page, `issues/selected-${scheme}`))).toEqual([])

    const press = async (key: string, choice: string) => {
      await page.keyboard.press(key)
      await page.getByRole('dialog').getByText('and 2 more').waitFor()
      await page.keyboard.press(choice)
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    await press('p', '0')
    await page.keyboard.press('z')
    await page.getByTestId('held-bar').getByText('Nothing was sent').waitFor()
    expect(await priorities()).toEqual([3, 3, 3])
    // The last of two changes counts, and each of two labels.
    await press('p', '4')
    await press('p', '1')
    const labels = async () => (await Promise.all(ids.map(issueOf))).map((one) => one.labels.toSorted().join(' '))
    const label = async (name: string) => {
      await page.keyboard.press('l')
      await page.getByRole('dialog').getByRole('combobox').fill(name)
      await page.keyboard.press('Enter')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    }
    for (const name of ['rope', 'wire']) await label(name)
    expect(await eventually(priorities, (all) => all.every((one) => one === 1))).toEqual([1, 1, 1])
    expect(await eventually(labels, (all) => all.every((one) => one === 'rope wire'))).toEqual(
      ids.map(() => 'rope wire'),
    )
    // What is selected is as it is now, not as it was when it was selected.
    await marked.filter({ hasText: 'wire' }).nth(2).waitFor()
    await page.keyboard.press('p')
    await page.getByRole('dialog').locator('[aria-pressed=true]').filter({ hasText: /high$/ }).waitFor()
    await page.keyboard.press('Escape')
    await label('wire')
    expect(await eventually(labels, (all) => all.every((one) => one === 'rope'))).toEqual(ids.map(() => 'rope'))
    expect(await page.evaluate('document.activeElement?.getAttribute("aria-current")')).toBe('true')

    await page.keyboard.press('x')
    await page.getByRole('dialog', { name: 'Close 3 issues' }).waitFor()
    await page.keyboard.press('ControlOrMeta+Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const statuses = async () => (await Promise.all(ids.map(issueOf))).map(({ status }) => status)
    expect(await eventually(statuses, (all) => all.every((one) => one === 'closed'))).toEqual(ids.map(() => 'closed'))
    await page.keyboard.press('Escape')
    await bar.getByText('selected').waitFor({ state: 'detached' })
    await page.keyboard.press('v')
    await page.getByTestId('issue-peek').waitFor({ state: 'detached' })
  })
})

test('the pointer alone selects issues, one or all up to another, and changes them', async () => {
  const ids = await Promise.all(['Tar one', 'Tar two', 'Tar three'].map((title) => create(title, { priority: 3 })))
  await look({ path: at({ q: 'Tar' }) }, async ({ page }) => {
    await rows(page).nth(2).waitFor()
    const bar = page.getByTestId('selection-bar')
    const pick = (place: number) => rows(page).nth(place).getByRole('button', { name: 'Select' })
    await pick(0).click()
    await pick(2).click({ modifiers: ['Shift'] })
    await bar.getByText('3 issues selected').waitFor()
    await rows(page)
      .nth(1)
      .click({ position: { x: 600, y: 12 }, modifiers: ['ControlOrMeta'] })
    await bar.getByText('2 issues selected').waitFor()
    const left = await rows(page).nth(1).getAttribute('data-issue')
    await bar.getByRole('button', { name: 'Assignee' }).click()
    // Assignees are offered; Nobody is what it is now.
    await page.getByRole('option', { name: 'Nobody', selected: true }).waitFor()
    await page.getByRole('option', { name: 'ann' }).click()
    // The same menus, as commands of the command bar.
    await page.keyboard.press('/')
    await page.keyboard.type('priority p1')
    await page.getByTestId('command').filter({ hasText: 'Set the priority to P1 high' }).click()
    await page.getByTestId('held-bar').getByText('Priority high').first().waitFor()
    const changed = await eventually(
      () => Promise.all(ids.map(issueOf)),
      (all) => all.filter(({ assignee, priority }) => assignee === 'ann' && priority === 1).length === 2,
    )
    expect(changed.find(({ id }) => id === left)).toMatchObject({ assignee: null, priority: 3 })
    await Promise.all(ids.map((id) => world.client.issues.close(id, scope())))
  })
})

test('what somebody wrote meanwhile is shown, and nothing is undone', async () => {
  const id = await create('Chart of the bay', { description: 'as it was' })
  await look({ path: `/issues/${id}?edit=description` }, async ({ page, problems }) => {
    problems.allow(/409/)
    const editor = page.getByRole('textbox', { name: 'Description' })
    await editor.fill('mine')
    // Another field: no reason to ask.
    await world.client.issues.update(id, { ...scope(), priority: 0 })
    await page.getByRole('button', { name: 'Save' }).click()
    await editor.waitFor({ state: 'detached' })
    expect(await issueOf(id)).toMatchObject({ description: 'mine', priority: 0 })

    await page.keyboard.press('e')
    await editor.fill('mine again')
    await world.client.issues.update(id, { ...scope(), actor: 'bob', description: 'theirs' })
    await page.getByText('bob changed this while you were editing').waitFor()
    await page.getByRole('alert').getByText('theirs', { exact: true }).waitFor()
    expect(await page.getByRole('button', { name: 'Save' }).isDisabled()).toBe(true)
    expect(await editor.inputValue()).toBe('mine again')
    await page.getByRole('button', { name: 'Keep mine' }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await editor.waitFor({ state: 'detached' })
    expect((await issueOf(id)).description).toBe('mine again')
  })
})

test('a new issue: the draft outlives a closed dialog and a reload, and is sent once', async () => {
  await look({ path: at() }, async ({ page }) => {
    await row(page, issues.ready).waitFor()
    await page.keyboard.press('n')
    const title = page.getByRole('textbox', { name: 'Title' })
    await title.waitFor()
    await page.keyboard.press('Control+Enter')
    await page.getByText('Enter a title.').waitFor()
    await title.fill('A rope ladder')
    await page.getByRole('textbox', { name: 'Description (Markdown)' }).fill('Twelve rungs.')
    await page.keyboard.press('Escape')
    await page.reload()
    await row(page, issues.ready).waitFor()
    await page.keyboard.press('n')
    expect(await title.inputValue()).toBe('A rope ladder')
    await page.getByRole('combobox', { name: 'Type' }).selectOption('chore')
    await title.focus()
    await page.keyboard.press('Control+Enter')
    await page.getByTestId('issue-page').waitFor()
    const made = (await world.client.issues.list({ ...scope(), text: 'rope ladder' })).issues
    expect(made).toMatchObject([{ description: 'Twelve rungs.', issueType: 'chore' }])
    expect(new URL(page.url()).pathname).toBe(`/issues/${made[0]?.id}`)
    await page.goBack()
    await row(page, issues.ready).waitFor()
    await page.keyboard.press('n')
    expect(await title.inputValue()).toBe('')
  })
})

test('fields, labels, claims, links and comments are changed where they stand', async () => {
  const id = await create('Coil the ropes')
  const needed = await create('Find the ropes')
  await look({ path: `/issues/${id}` }, async ({ page, problems }) => {
    problems.allow(/409/)
    // The label is entered while the priority is still being saved.
    await page.route(`**/api/issues/${id}*`, (route) => setTimeout(() => void route.continue(), 500), { times: 1 })
    await page.getByRole('combobox', { name: 'Priority' }).selectOption('P0')
    await page.getByRole('combobox', { name: 'Labels' }).fill('south')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Remove the label south' }).waitFor()
    await page.getByRole('textbox', { name: 'Assignee' }).fill('cleo')
    await page.keyboard.press('Enter')
    const saved = await eventually(
      () => issueOf(id),
      ({ assignee, priority }) => assignee === 'cleo' && priority === 0,
    )
    expect(saved).toMatchObject({ priority: 0, labels: ['south'], assignee: 'cleo' })

    await page.getByRole('button', { name: 'Claim' }).click()
    await page.getByRole('button', { name: 'Release' }).waitFor()
    expect((await issueOf(id)).claim).toMatchObject({ holder: 'operator' })
    await page.getByRole('button', { name: 'Release' }).click()
    await page.getByRole('button', { name: 'Claim' }).waitFor()

    await page.getByRole('button', { name: 'Link to another issue' }).click()
    await page.getByRole('combobox', { name: 'Other issue' }).fill('find the')
    await page.getByRole('option', { name: 'Find the ropes' }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('region', { name: 'Blocked by', exact: true }).getByText('Find the ropes').waitFor()
    expect((await issueOf(id)).dependencies).toMatchObject([{ dependsOnId: needed, type: 'blocks' }])
    // What the server refuses is said with its reason.
    await page.keyboard.press('x')
    await page.getByRole('dialog').getByRole('button', { name: 'Close issue' }).click()
    await page.getByRole('dialog').getByText("can't be closed").waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: `Remove: blocked by ${needed}` }).click()
    await page.getByText('Nothing blocks this issue.').waitFor()

    await page.getByRole('textbox', { name: 'New comment' }).fill('Twice *around*.')
    await page.keyboard.press('Control+Enter')
    await page.locator('.prose-agent em', { hasText: 'around' }).waitFor()
    expect((await issueOf(id)).comments).toMatchObject([{ text: 'Twice *around*.' }])
    await page.getByText('priority: P2 → P0').waitFor()
  })
})

test('the board moves an issue by pointer, by keys and by its menu', async () => {
  const id = await create('Lift the crate', { priority: 0 })
  await look({ path: at({ view: 'board', q: 'crate' }) }, async ({ page, problems }) => {
    const column = (status: string) => page.locator(`[data-column=${status}]`)
    const card = (status: string) => column(status).locator(`[data-issue="${id}"]`)
    await card('open').waitFor()
    await card('open').dragTo(column('in_progress'))
    await card('in_progress').waitFor()
    expect((await issueOf(id)).status).toBe('in_progress')

    await page.keyboard.press('l')
    await page.keyboard.press('j')
    await page.keyboard.press('Shift+L')
    await card('blocked').waitFor()
    expect((await issueOf(id)).status).toBe('blocked')
    expect(
      await eventually(
        () => focused(page),
        (now) => now === id,
      ),
    ).toBe(id)

    await card('blocked')
      .getByRole('button', { name: `Move ${id}` })
      .click()
    await page.getByRole('menuitem', { name: 'Move to closed' }).click()
    await card('closed').waitFor()
    expect((await issueOf(id)).status).toBe('closed')

    problems.allow(/409/)
    const held = await create('Open the crate', { dependencies: [{ dependsOnId: issues.ready }] })
    await column('open').locator(`[data-issue="${held}"]`).dragTo(column('closed'))
    await page.getByRole('alert').getByText("can't be closed").waitFor()
    expect(await column('open').locator(`[data-issue="${held}"]`).count()).toBe(1)
    await world.client.issues.delete(held, { ...scope(), confirm: true })
  })
})

test('a long ID shows the end that tells it from others, and its card keeps its button and two lines of its title', async () => {
  const title = 'Splice the hawser of the harbour master at the south quay'
  const id = await create(title, { prefix: 'harbour-of-the-long-names', labels: ['rope'] })
  await look({ path: at({ q: 'hawser' }) }, async ({ page }) => {
    await row(page, id)
      .getByRole('button', { name: `Copy ID ${id}` })
      .getByText(`…${id.slice(-15)}`)
      .waitFor()
    // The narrowest columns.
    await page.setViewportSize({ width: 1_024, height: 800 })
    await page.goto(`${world.server.url}${at({ view: 'board', q: 'hawser' })}`)
    const card = row(page, id)
    await card.getByText(id.slice(-8)).waitFor()
    const [frame, button, words] = await Promise.all([
      card.boundingBox(),
      card.getByRole('button', { name: `Move ${id}` }).boundingBox(),
      card.getByText(title).boundingBox(),
    ])
    if (frame === null || button === null || words === null) throw new Error('the card is not whole')
    expect(button.x + button.width).toBeLessThanOrEqual(frame.x + frame.width)
    expect(words.height).toBeGreaterThanOrEqual(35)
    expect(words.y + words.height).toBeLessThan(frame.y + frame.height)
    // Held up by others they stand in other columns, and are as many as the statistics have.
    await page.goto(`${world.server.url}${at({ view: 'board' })}`)
    const stats = await world.client.issues.stats({ dir: world.claude.project })
    expect(stats.blocked).toBeGreaterThan(0)
    await page.getByRole('link', { name: `${stats.blocked} wait for others` }).click()
    await eventually(
      () => rows(page).count(),
      (count) => count === stats.blocked,
    )
    expect(await rows(page).count()).toBe(stats.blocked)
  })
  await world.client.issues.delete(id, { ...scope(), confirm: true })
})

test('what is ready comes first, and what is not says why', async () => {
  await look({ path: at({ view: 'ready' }) }, async ({ page }) => {
    await row(page, issues.ready).waitFor()
    const held = row(page, issues.blocked)
    await held.getByRole('link', { name: issues.ready, exact: true }).waitFor()
    await held.getByRole('button', { name: /^Why/ }).click()
    await held.getByText(`${issues.ready} blocks it and is open`).waitFor()
  })
})

test('the graph: walk along what waits for what, look at a neighbourhood, read it as a table', async () => {
  await look({ path: at({ view: 'graph', focus: issues.ready, reach: '1' }) }, async ({ page }) => {
    const node = (id: string) => page.locator(`[data-node="${id}"]`)
    await node(issues.ready).waitFor()
    await node(issues.blocked).waitFor()
    expect(await node(issues.last).count()).toBe(0)
    await page.keyboard.press('l')
    expect(await focused(page)).toBe(issues.blocked)
    await page.getByRole('button', { name: 'Show all' }).click()
    await node(issues.last).waitFor()
    expect(search(page).focus).toBeUndefined()
    await page.keyboard.press('f')
    await page.waitForURL((url) => url.searchParams.get('focus') === issues.blocked)

    const picture = () => page.locator('[data-testid=issue-graph] > svg').getAttribute('style')
    const before = await picture()
    await page.keyboard.press('+')
    expect(await picture()).not.toBe(before)
    await page.getByTestId('issue-graph').hover()
    const nearer = await picture()
    await page.mouse.wheel(0, 300)
    expect(await eventually(picture, (now) => now !== nearer)).not.toBe(nearer)

    await page.getByRole('button', { name: 'As a table' }).click()
    const table = page.getByRole('table', { name: 'Links between issues' })
    await table.getByText('Drive the piles').first().waitFor()
    expect(search(page).as).toBe('table')
    await page.goto(new URL(at({ view: 'graph' }), page.url()).href)
    await node(issues.ready).waitFor()
    await node(issues.ready).dblclick()
    await page.getByTestId('issue-page').waitFor()
  })
})

test('an issue is dispatched as a task, once, after a look at what would be made', async () => {
  const id = await create('Ring the bell', { priority: 1 })
  await look({ path: `/issues/${id}` }, async ({ page, problems }) => {
    const dialog = page.getByRole('dialog')
    const plan = dialog.getByRole('region', { name: 'Preview' })
    const make = dialog.getByRole('button', { name: 'Create task' })
    await page.getByTestId('issue-page').waitFor()
    await page.keyboard.press('t')
    await plan.getByText('new task').waitFor()
    // Keys of the page below do nothing now.
    await make.focus()
    await page.keyboard.press('x')
    expect(await dialog.count()).toBe(1)
    await dialog.getByRole('combobox', { name: 'Assign to' }).selectOption({ label: 'painter (specialist)' })
    await make.click()
    await dialog.getByText('1 task created').waitFor()
    const { tasks } = await world.client.tasks.list({ issueId: id })
    expect(tasks).toMatchObject([{ title: 'Ring the bell', specialist: 'painter', source: 'issue' }])
    await dialog.getByRole('link', { name: 'Ring the bell' }).click()
    await page.waitForURL((url) => url.pathname === `/tasks/${tasks[0]?.id}`)
    await page.goBack()
    await page.getByRole('region', { name: 'Tasks' }).getByText('Ring the bell').waitFor()

    // One whose task is not over is not dispatched again.
    const busy = await create('Hoist the flag')
    const notBefore = new Date(Date.now() + 3_600_000).toISOString()
    const task = { task: 'Hoist it.', dir: world.claude.project, issueId: busy, notBefore }
    await world.client.tasks.create(task)
    await page.goto(new URL(`/issues/${busy}`, page.url()).href)
    await page.getByTestId('issue-page').waitFor()
    await page.keyboard.press('t')
    await plan.getByText('which is unfinished').waitFor()
    expect(await make.isDisabled()).toBe(true)
    await page.keyboard.press('Escape')

    // What is held up says by what, and may be made all the same.
    problems.allow(/409/)
    const held = await create('Salute the flag', { dependencies: [{ dependsOnId: issues.ready }] })
    await page.goto(new URL(`/issues/${held}`, page.url()).href)
    await page.getByTestId('issue-page').waitFor()
    await page.keyboard.press('t')
    await plan.getByText(`is blocked by ${issues.ready}`).waitFor()
    expect(await make.isDisabled()).toBe(true)
    await dialog.getByRole('checkbox', { name: 'Create it even if the issue is closed' }).check()
    await plan.getByText('new task').waitFor()
    expect(await make.isDisabled()).toBe(false)
  })
})

test('who works on it is shown: sessions with their to-dos, by what makes us say so', async () => {
  const session = await world.session('charted')
  await world.client.links.link(session, issues.ready, scope())
  await look({ path: `/issues/${issues.ready}` }, async ({ page }) => {
    const work = page.getByRole('region', { name: 'Sessions' })
    await work.getByText('linked by a person').waitFor()
    await work.getByText('1 of 3 to-dos').waitFor()
    await work.getByRole('button', { name: /to-dos/ }).click()
    expect(await work.getByRole('listitem').count()).toBeGreaterThan(3)
    await work.getByRole('link').first().click()
    await page.waitForURL((url) => url.pathname === `/sessions/${session}`)
  })
})

test('projects are switched in the address; an id that several have asks for the one that is meant', async () => {
  await world.client.issues.create({ dir: other, id: 'twin-1', title: 'Of the other project' })
  await world.client.issues.create({ ...scope(), id: 'twin-1', title: 'Of this project' })
  await look({ path: '/issues' }, async ({ page, problems }) => {
    await row(page, issues.ready).waitFor()
    expect(await row(page, 'twin-1').count()).toBe(2)
    await page.getByRole('combobox', { name: 'Project' }).selectOption(other)
    await row(page, issues.ready).waitFor({ state: 'detached' })
    expect(search(page).project).toBe(other)
    await row(page, 'twin-1').getByText('Of the other project').click()
    await page.getByRole('heading', { name: 'Of the other project' }).waitFor()

    problems.allow(/409/)
    await page.goto(new URL('/issues/twin-1', page.url()).href)
    await page.getByText('2 projects have an issue twin-1').waitFor()
    await page.getByRole('link', { name: other }).click()
    await page.getByRole('heading', { name: 'Of the other project' }).waitFor()
  })
})

test('an issue that is not there says so, and what is nearest; a beginning of an id is enough', async () => {
  await look({ path: '/issues/nothere-9' }, async ({ page, problems }) => {
    problems.allow(/404/, /409/)
    await page.getByRole('alert').getByText('There is no issue nothere-9').waitFor()
    const hash = issues.ready.slice(issues.ready.indexOf('-') + 1)
    await page.goto(new URL(`/issues/${hash}`, page.url()).href)
    await page.waitForURL((url) => url.pathname === `/issues/${issues.ready}`)
  })
})

test('views are kept under a name, and those that come with the page work', async () => {
  await look({ path: at({ type: 'bug', order: 'updated' }) }, async ({ page }) => {
    await row(page, issues.claimed).waitFor()
    await page.getByRole('button', { name: 'Views' }).click()
    await page.getByRole('menuitem', { name: 'Save this view' }).click()
    await page.getByRole('textbox', { name: 'Name' }).fill('Bugs by change')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Bugs by change', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Ready' }).click()
    await page.waitForURL((url) => url.searchParams.get('view') === 'ready')
    expect(search(page).project).toBe(world.claude.project)
    await page.reload()
    await page.getByRole('button', { name: 'Ready', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Bugs by change' }).click()
    await page.waitForURL((url) => url.searchParams.get('type') === 'bug')
    expect(search(page)).toMatchObject({ type: 'bug', order: 'updated' })
  })
})

test('nothing of an agent’s text runs, and what hides in it is shown', async () => {
  const id = await create('\u202e<img src=x onerror=alert(1)>\u001b[31m', {
    description: '<script>alert(1)</script> [go](javascript:alert(1)) ![p](http://far.example/p.png) <b>bold</b>',
    labels: ['<i>label</i>'],
    assignee: '\u0007bell',
  })
  const views = [at(), at({ view: 'board' }), at({ view: 'ready' }), at({ view: 'graph', alone: '1' }), `/issues/${id}`]
  await look({}, async ({ page }) => {
    for (const path of views) {
      await page.goto(new URL(path, page.url()).href)
      await page.getByText('<img src=x', { exact: false }).first().waitFor({ state: 'attached' })
      expect(await page.locator('main img, main script, main b').count()).toBe(0)
      expect(await page.locator('a[href^="javascript:"]').count()).toBe(0)
    }
    await page.getByText('⟨U+202E⟩').first().waitFor()
    await page.getByText('<script>alert(1)</script>').waitFor()
  })
  await world.client.issues.delete(id, { ...scope(), confirm: true })
})

test('no view breaks a rule of accessibility, in either colours, wide or narrow', async () => {
  // `pages.test.ts` looks at open issues, the board, the graph and an issue.
  const stops: Stop[] = [
    [at({ done: '1' }), '[data-testid=issue-row]'],
    [at({ view: 'ready' }), '[data-testid=issue-row]'],
    [at({ view: 'graph', as: 'table' }), 'table'],
    [at({ q: 'no such' }), 'text=No issues match these filters.'],
    [`/issues/${issues.ready}?edit=description`, 'textarea'],
  ]
  const wrong: string[] = []
  for (const size of ['wide', 'phone'] as const)
    await look({ size }, async ({ page }) => {
      const check = async (name: string) => {
        const found = await axeInBoth(page, {}, (scheme) => shot(page, `issues/${nameOf(name)}-${size}-${scheme}`))
        wrong.push(...found.map((broken) => `${name} ${size} ${broken}`))
      }
      await eachStop(page, stops, async (path) => {
        await check(path)
        const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
        if (overflow !== 0) wrong.push(`${path} ${size}: ${overflow} px wider than the screen`)
      })
      await eachStop(page, [[`/issues/${issues.ready}`, '[data-testid=issue-page]']], async () => {
        for (const key of ['n', 'x', 't']) {
          await page.keyboard.press(key)
          await page.getByRole('dialog').waitFor()
          await page.waitForTimeout(100)
          await check(`dialog-${key}`)
          await page.keyboard.press('Escape')
          await page.getByRole('dialog').waitFor({ state: 'detached' })
        }
      })
    })
  expect(wrong).toEqual([])
})
