/** A session is given away, and compared with its fork, on pages that its own page leads to. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sessionId } from '../../src/domain/ids'
import { type Dashboard, shot, type View, withDashboard } from './page/page'
import { axeCheck } from './page/page-axe'
import { holds, scrollsSideways } from './page/page-wait'
import { TranscriptLines } from './world/world-lines'

const AGENTS = join(import.meta.dir, '../fixtures/claude-code/transcripts/2.1.328/subagents')

/** A session with calls that fail and write, a fork of it, and one of the real CLI with a sub-agent. */
async function record({ client, home }: Dashboard) {
  const [origin, fork] = [sessionId(crypto.randomUUID()), sessionId(crypto.randomUUID())]
  const lines = new TranscriptLines(origin, '/home/user/harbour', Date.parse('2026-11-20T10:00:00Z'))
  const edit = (file: string, from: string, to: string) =>
    lines.call(
      'Edit',
      { file_path: `/home/user/harbour/${file}`, old_string: from, new_string: to },
      'The file was updated.',
      {
        toolUseResult: {
          filePath: `/home/user/harbour/${file}`,
          structuredPatch: [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: [`-${from}`, `+${to}`] }],
        },
      },
    )
  const common = [
    lines.prompt('Make the harbour lights green'),
    lines.say('I look at **the lights** first.'),
    ...Array.from({ length: 12 }, (_, at) =>
      lines.call('Read', { file_path: `/home/user/harbour/lamp-${at}.ts` }, 'export {}'),
    ).flat(),
    ...lines.call('Bash', { command: 'npm test' }, 'FAIL lights.test.ts', { isError: true }),
    ...edit('lights.ts', "colour: 'red'", "colour: 'green'"),
  ]
  const own = [
    lines.prompt('Now the buoys'),
    ...edit('buoys.ts', 'one', 'two'),
    lines.say('Lights and buoys are green.'),
  ]
  const copy = common.map((line) => {
    const { uuid, ...rest } = JSON.parse(line)
    return JSON.stringify({ ...rest, uuid, sessionId: fork, forkedFrom: { sessionId: origin, messageUuid: uuid } })
  })
  const other = new TranscriptLines(fork, '/home/user/harbour', Date.parse('2026-11-20T11:00:00Z'))
  const forked = [
    ...copy,
    other.prompt('Now the bells instead'),
    ...other.call('Write', { file_path: '/home/user/harbour/bells.ts', content: 'ring' }, 'written'),
    ...other.call('Bash', { command: 'npm test' }, 'FAIL bells', { isError: true }),
    other.say('The bells do not ring yet.'),
  ]
  const write = (id: string, text: string[]) => writeFileSync(join(home, `${id}.jsonl`), `${text.join('\n')}\n`)
  write(origin, [...common, ...own])
  write(fork, forked)
  await client.import({ paths: [join(home, `${origin}.jsonl`), join(home, `${fork}.jsonl`), AGENTS] })
  const parent = (await client.sessions.list({})).sessions.find(({ counts }) => counts.subagents > 0)
  if (parent === undefined) throw new Error('the recordings changed')
  return { fork, origin, parent: parent.id }
}

const VIEWS: readonly View[] = [
  { size: 'wide', scheme: 'light' },
  { size: 'phone', scheme: 'dark' },
]

for (const view of VIEWS)
  test(`a session is shared and compared on a ${view.size} page`, async () => {
    await withDashboard(view, async (dashboard) => {
      const { page, client, server } = dashboard
      const name = (what: string) => `outcome/${what}-${view.size}-${view.scheme}`
      const { fork, origin, parent } = await record(dashboard)
      await page.goto(`${server.url}/sessions/${parent}`)
      await page.getByRole('button', { name: 'Share or export' }).click()
      const dialog = page.getByRole('dialog', { name: 'Share this session' })
      await dialog.getByText('No secret of a known form is in it').waitFor()
      await axeCheck(page)
      await dialog.getByRole('button', { name: 'Create link' }).click()
      await dialog.getByText('It is shown only here').waitFor()
      await shot(page, name('share'))
      const link = (await dialog.locator('code', { hasText: '/api/shared' }).textContent()) ?? ''
      const [share] = (await client.shares.list()).shares
      expect(share).toMatchObject({ sessionId: parent, state: 'active' })

      // Whoever has the link needs no login.
      const stranger = await page
        .context()
        .browser()
        ?.newContext(
          view.size === 'wide'
            ? { viewport: { width: 1280, height: 800 } }
            : { viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
        )
      const guest = await stranger?.newPage()
      await guest?.goto(link)
      expect(await guest?.locator('section[id^=turn-]').count()).toBeGreaterThan(0)
      await guest?.locator('summary').first().click()
      if (guest !== undefined) await shot(guest, name('shared'))
      await dialog.getByRole('button', { name: /^Revoke the link/ }).click()
      await dialog.getByRole('button', { name: /^Revoke the link/ }).waitFor({ state: 'detached' })
      await guest?.reload()
      await guest?.getByRole('heading', { name: 'This link does not work' }).waitFor()
      await stranger?.close()
      await page.keyboard.press('Escape')

      await page.goto(`${server.url}/sessions/${origin}`)
      // Calls that only looked are one line; a chip goes to the failed call, and the rail to where it is pressed.
      const rail = page.getByTestId('map-rail')
      await rail.waitFor()
      await page.getByRole('button', { name: /^Read 12/ }).waitFor()
      await page.getByRole('navigation', { name: 'What stands out' }).getByRole('button', { name: '1 error' }).click()
      await page.locator('[data-testid=session-row][aria-current=true]', { hasText: 'npm test' }).waitFor()
      expect(await scrollsSideways(page)).toBe(false)
      await axeCheck(page)
      await shot(page, name('map'))
      await rail.click({ position: { x: 6, y: 1 } })
      await page.locator('[data-number="0"][aria-current=true]').waitFor()
      // Only one kind of lines; each leads to its place.
      const shown = page.getByRole('combobox', { name: 'Shown lines' })
      await shown.selectOption('edit')
      const only = page.getByRole('list', { name: 'Lines of one kind' }).getByRole('listitem')
      await only.filter({ hasText: 'buoys.ts' }).waitFor()
      expect(await only.count()).toBe(2)
      expect(new URL(page.url()).searchParams.get('only')).toBe('edit')
      expect(await scrollsSideways(page)).toBe(false)
      await axeCheck(page)
      await shot(page, name('only'))
      await shown.selectOption('error')
      await only.filter({ hasText: 'npm test' }).waitFor()
      await only.first().focus()
      await page.keyboard.press('Enter')
      await page.locator('[data-testid=session-row]', { hasText: 'npm test' }).first().waitFor()
      expect(new URL(page.url()).searchParams.get('only')).toBe(null)
      // What was there beside what is there now; a comment at a line is a message that names file and line.
      await page.getByRole('button', { name: '2 files changed' }).click()
      await page.getByRole('button', { name: 'side by side' }).click()
      await page
        .getByRole('row')
        .filter({ hasText: /colour: 'red'.*colour: 'green'/ })
        .waitFor()
      await axeCheck(page)
      await shot(page, name('changes'))
      await page.getByRole('button', { name: 'Comment on lights.ts' }).click()
      await page.getByRole('textbox', { name: 'Comment' }).fill('Why not blue?')
      await page.getByRole('button', { name: 'Send' }).click()
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      expect((await client.messages.list({ to: origin })).messages.map(({ text }) => text)).toEqual([
        "About lights.ts, removed line 1:\n> colour: 'red'\n\nWhy not blue?",
      ])
      await page.getByRole('button', { name: 'Conversation', exact: true }).click()

      // The session at a moment, by its address; then on from there, sixty times as fast.
      await page.getByRole('button', { name: 'Replay' }).click()
      const rows = page.getByTestId('session-row')
      await holds(page, `document.querySelectorAll('[data-testid=session-row]').length === 1`)
      // Nothing later is seen before the page knows the session, either.
      const known = Promise.withResolvers<void>()
      await page.route(
        (url) => url.pathname === `/api/sessions/${origin}`,
        async (route) => {
          await known.promise
          await route.continue()
        },
      )
      await page.goto(`${server.url}/sessions/${origin}?t=2026-11-20T10:00:27.000Z`)
      for (const isKnown of [false, true]) {
        if (isKnown) known.resolve()
        if (isKnown) await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
        await rows.filter({ hasText: 'FAIL lights.test.ts' }).waitFor()
        for (const later of ['Edit', 'Forked here']) expect(await rows.filter({ hasText: later }).count()).toBe(0)
      }
      await shot(page, name('replay'))
      await axeCheck(page)
      await page.getByRole('combobox', { name: 'Speed' }).selectOption('60')
      await page.getByRole('button', { name: 'Play', exact: true }).click()
      await rows.filter({ hasText: 'Lights and buoys are green.' }).waitFor()
      await page.waitForURL(/t=2026-11-20T10%3A00%3A33/)
      await page.getByRole('button', { name: 'End the replay' }).click()
      await page.getByRole('region', { name: 'Outcome' }).waitFor()
      await page.getByRole('button', { name: 'Compare with another session' }).click()
      // The fork comes first.
      await page.getByRole('list', { name: 'Sessions to compare with' }).getByRole('link').first().click()
      await page.getByRole('table', { name: 'What came of each' }).waitFor()
      expect(new URL(page.url()).searchParams.get('b')).toBe(fork)
      await page.getByRole('link', { name: /common line/ }).waitFor()
      // What either did to a file, beside one another; what both have is only counted.
      const files = page.getByRole('region', { name: 'Files' })
      await files.getByRole('button', { name: 'lights.ts' }).click()
      await files.getByText('1 change in the common part').waitFor()
      expect(await files.getByText('No change of its own').count()).toBe(2)
      await files.getByRole('button', { name: 'buoys.ts' }).click()
      await files
        .getByRole('figure')
        .filter({ hasText: /one.*two/s })
        .waitFor()
      expect(await files.getByRole('figure').count()).toBe(1)
      expect(await scrollsSideways(page)).toBe(false)
      expect(await page.getByRole('list', { name: 'Turns in step' }).getByRole('article').count()).toBeGreaterThan(0)
      await axeCheck(page)
      await shot(page, name('compare'))
      await page.getByRole('button', { name: 'Share or export' }).click()
      const sharing = page.getByRole('dialog', { name: 'Share this comparison' })
      await sharing.getByRole('button', { name: 'Create link' }).click()
      const compared = (await sharing.locator('code', { hasText: '/api/shared' }).textContent()) ?? ''
      expect(await (await fetch(compared)).text()).toContain('left out.')
      await sharing.getByRole('list', { name: 'Links that work' }).waitFor()
      await shot(page, name('compare-share'))
    })
  })
