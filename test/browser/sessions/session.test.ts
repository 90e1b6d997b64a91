/** The page of a session: its conversation from any place of it, what stands beside it, and what can be done. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { type SessionId, sessionId } from '../../../src/domain/ids'
import { until } from '../../lab/until'
import { browserOfTests, type Dashboard, type DashboardOptions, shot, withDashboard } from '../page/page'
import { axeInBoth } from '../page/page-axe'
import { holds } from '../page/page-wait'
import { follow } from '../pages/pages-stops'
import { World } from '../world/world'
import { HOSTILE_NAMES, MARK } from '../world/world-hostile-texts'
import { TranscriptLines } from '../world/world-lines'

let world: World
let charted: SessionId
let mended: SessionId

beforeAll(async () => {
  await browserOfTests()
  world = await World.start()
  const made = await Promise.all([world.session('charted'), world.session('mended')])
  ;[charted, mended] = made
})
afterAll(() => world?.stop())

/** Opens a session's page, and waits until its conversation stands. */
async function withSession(
  path: string,
  work: (dashboard: Dashboard) => Promise<void>,
  options: DashboardOptions = {},
): Promise<void> {
  await withDashboard({ server: world.server, path: `/sessions/${path}`, ...options }, async (dashboard) => {
    await stands(dashboard.page)
    await work(dashboard)
  })
}

/** Its lines may be there before what stands around them, and its keys. */
async function stands(page: Page): Promise<void> {
  await rows(page).first().waitFor({ state: 'attached' })
  await page.getByText('Reading the session …').waitFor({ state: 'detached' })
}

const rows = (page: Page) => page.getByTestId('session-row')
const row = (page: Page, text: string) => rows(page).filter({ hasText: text })
const beside = (page: Page) => page.getByRole('complementary', { name: 'Beside the conversation' })
const searchOf = (page: Page) => new URL(page.url()).searchParams
const current = (page: Page) => page.locator('[data-testid=session-row][aria-current=true]')
/** The list's own coordinates. */
const scrollTop = (page: Page) => page.evaluate<number>('document.querySelector("[role=feed]").parentElement.scrollTop')

async function press(page: Page, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

test('shows what was said, with agents folded in at the call that launched them, at any depth', async () => {
  await withSession(charted, async ({ page }) => {
    expect(await page.getByRole('heading', { level: 1 }).textContent()).toContain('Chart the harbour')
    // Opens at its end.
    await page.getByRole('heading', { name: 'What the chart shows' }).waitFor()
    expect(await page.getByRole('cell', { name: '7.2 m' }).count()).toBe(1)
    await shot(page, 'session/end')
    await page.keyboard.press('Home')
    await row(page, 'Chart the harbour for the new quay.').waitFor()
    const survey = page.getByRole('region', { name: 'Sub-agent Survey the depths' })
    await survey.scrollIntoViewIfNeeded()
    expect(await survey.locator('[data-status=completed]').count()).toBe(1)
    await survey.getByRole('button', { name: /Survey the depths/ }).click()
    await survey.getByText('SURVEY: the depths of the harbour').waitFor()
    const deep = survey.getByRole('region', { name: 'Sub-agent Sound the southern rock' })
    await deep.getByRole('button', { name: /Sound the southern rock/ }).click()
    await deep.getByText('The rock lies at 4.9 m.').waitFor()
    await shot(page, 'session/agents')
    // Whole, with the way back.
    await deep.getByRole('link', { name: /^Open all lines/ }).click()
    const path = page.getByRole('navigation', { name: 'Sub-agents' })
    await path.getByText('Sound the southern rock').waitFor()
    await row(page, 'DEEP: sound the rock in the south').first().waitFor()
    expect(searchOf(page).get('agent')).not.toBeNull()
    await path.getByRole('button', { name: 'go to launch' }).click()
    await path.getByRole('link', { name: 'main' }).waitFor()
    expect(await current(page).getAttribute('data-kind')).toBe('tool')
    expect(await current(page).textContent()).toContain('Sound the southern rock')
    await path.getByRole('link', { name: 'main' }).click()
    await page.getByRole('heading', { name: 'What the chart shows' }).waitFor()
  })
})

test('shows changes of files as changes, pictures as pictures, and errors as errors', async () => {
  await withSession(mended, async ({ page }) => {
    await page.keyboard.press('Home')
    await row(page, 'I look at the files first.').waitFor()
    const picture = page.getByRole('img', { name: /PNG of \d+ B that the agent saw/ })
    await picture.scrollIntoViewIfNeeded()
    expect(await page.evaluate<number>('document.querySelector("main img").naturalWidth')).toBe(8)
    const edit = row(page, 'tariff.ts').and(page.locator('[data-kind=tool]')).filter({ hasText: 'Edit' }).first()
    await edit.getByRole('button', { name: /^Edit/ }).click()
    const change = page.getByRole('table', { name: /Changes in .*tariff\.ts/ }).first()
    await change.scrollIntoViewIfNeeded()
    const text = await change.getByRole('row').allTextContents()
    expect(text.some((line) => line.includes('−removed') && line.includes('Math.floor(days * RATE)'))).toBe(true)
    expect(text.some((line) => /^7\+added/.test(line) && line.includes('Math.round(days * RATE)'))).toBe(true)
    // The answer has it with its place: it is not there twice.
    expect(await page.getByRole('table').count()).toBe(1)
    await shot(page, 'session/change')
    const failed = row(page, 'check.sh').and(page.locator('[data-kind=tool]'))
    await failed.scrollIntoViewIfNeeded()
    expect(await failed.locator('[data-status=failed]').count()).toBe(1)
    await row(page, 'light.ts: no test').waitFor()
  })
})

test('asks before a link of an agent opens', async () => {
  await withSession(mended, async ({ page }) => {
    await page.getByRole('button', { name: 'the notes' }).click()
    const dialog = page.getByRole('dialog', { name: 'Leave Lodeline?' })
    await dialog.getByText('https://example.com/notes?of=tariff').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
  })
})

test('marks compactions, forks and resumes, with links to the other session', async () => {
  const [compacted, recordings] = await Promise.all([world.session('compacted'), world.recordings()])
  await withSession(compacted, async ({ page }) => {
    await page.getByText('Compacted: the model continues from the summary').waitFor()
    await page.getByText('Summary of the compacted part').first().waitFor()
    await shot(page, 'session/compacted')
  })
  const forked = await world.client.sessions.get(recordings.forked)
  const parent = forked.session.forkedFrom
  await withSession(recordings.forked, async ({ page }) => {
    if (parent === null) {
      // The recording may be named by either of the two.
      await page.getByText('Forked here to').waitFor()
    } else {
      await page.keyboard.press('Home')
      await page.getByText('Forked here from').first().waitFor()
      const link = page.getByRole('link', { name: 'another session' }).first()
      expect(await link.getAttribute('href')).toBe(`/sessions/${parent}`)
    }
  })
})

test('what stands beside it leads to where it was launched, and says what runs and what is unread', async () => {
  const [watching, unread] = await Promise.all([world.session('watching'), world.session('unread')])
  await withSession(watching, async ({ page }) => {
    const list = beside(page)
    const todo = list.locator('[aria-current=step]')
    expect(await todo.textContent()).toContain('Watching')
    expect(
      await list.locator('li').filter({ hasText: 'Light the lamp' }).locator('[data-status=completed]').count(),
    ).toBe(1)
    const lookout = list.getByRole('button', { name: /Look out/ })
    expect(await lookout.locator('[data-status=running]').count()).toBe(1)
    await lookout.click()
    await current(page).filter({ hasText: 'Look out' }).waitFor()
    expect(searchOf(page).get('at')).not.toBeNull()
    expect(await current(page).locator('[data-status=running]').first().isVisible()).toBe(true)
    await shot(page, 'session/running')
    // Sent there again, after looking elsewhere.
    await press(page, 'Home')
    await current(page).filter({ hasText: 'Look out' }).waitFor({ state: 'detached' })
    await lookout.click()
    await current(page).filter({ hasText: 'Look out' }).waitFor()
  })
  await withSession(unread, async ({ page }) => {
    const gauge = beside(page).getByRole('listitem').filter({ hasText: 'Read the tide gauge' })
    await gauge.locator('[data-status=unread]').waitFor()
    await gauge.getByRole('button', { name: 'Mark as read' }).click()
    await gauge.locator('[data-status=unread]').waitFor({ state: 'detached' })
  })
})

test('finds words in all agents of the session and goes where they stand; the address keeps it', async () => {
  await withSession(charted, async ({ page }) => {
    await page.keyboard.press('f')
    await page.keyboard.type('rock lies')
    const hit = page.getByRole('option').first()
    await hit.waitFor()
    expect(await hit.textContent()).toContain('rock lies')
    await shot(page, 'session/find')
    await page.keyboard.press('Enter')
    const found = row(page, 'The rock lies at 4.9 m.')
    await found.waitFor()
    await holds(page, 'document.activeElement?.getAttribute("aria-current") === "true"')
    const place = searchOf(page)
    expect(place.get('agent')).not.toBeNull()
    expect(place.get('at')).not.toBeNull()
    expect(place.get('find')).toBe('rock lies')
    await page.reload()
    await row(page, 'The rock lies at 4.9 m.').waitFor()
    expect(await current(page).textContent()).toContain('The rock lies at 4.9 m.')
    // An event alone is enough: whose line it is, the record knows.
    await page.goto(`${world.server.url}/sessions/${charted}?at=${place.get('at')}`)
    await current(page).filter({ hasText: 'The rock lies at 4.9 m.' }).waitFor()
    expect(searchOf(page).get('agent')).toBe(place.get('agent'))
  })
})

test('everything can be done by keys, and the browser goes back the way that was come', async () => {
  await withSession(charted, async ({ page }) => {
    await press(page, 'Home', 'j')
    await holds(page, 'document.activeElement?.dataset.testid === "session-row"')
    await press(page, ']')
    expect(await current(page).getAttribute('data-kind')).toBe('prompt')
    // Down to the first agent's call.
    for (let step = 0; step < 60 && !(await current(page).textContent())?.includes('Survey the depths'); step++)
      await press(page, 'j')
    await holds(page, 'document.activeElement?.textContent.includes("Survey the depths")')
    await press(page, 'Enter')
    await current(page).getByText('subagent_type').waitFor()
    await press(page, 'Enter')
    await current(page).getByText('subagent_type').waitFor({ state: 'detached' })
    await press(page, 'l')
    await page.getByText('SURVEY: the depths of the harbour').last().waitFor()
    await press(page, 'l')
    await page.getByRole('navigation', { name: 'Sub-agents' }).waitFor()
    await row(page, 'Surveyed: north is sand, south is rock.').waitFor()
    await press(page, 'h')
    await page.getByRole('navigation', { name: 'Sub-agents' }).waitFor({ state: 'detached' })
    await current(page).filter({ hasText: 'Survey the depths' }).waitFor()
    await page.goBack()
    await page.getByRole('navigation', { name: 'Sub-agents' }).waitFor()
    await press(page, 't')
    await page.getByTestId('session-timeline').waitFor()
    await press(page, 't')
    await page.getByTestId('session-timeline').waitFor({ state: 'detached' })
    await press(page, '?')
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    for (const label of ['next prompt', 'find in the session', 'open the row, then go to its sub-agent'])
      await list.getByText(label).waitFor()
  })
})

test('the timeline has a lane for each agent, as a picture and as a table, and leads to what was said then', async () => {
  await withSession(charted, async ({ page }) => {
    await page.getByRole('navigation', { name: 'Views of the session' }).getByText('Timeline').click()
    const timeline = page.getByTestId('session-timeline')
    const lane = timeline.getByRole('button', { name: /^Sound the southern rock: working .* Go to the conversation/ })
    await lane.waitFor()
    expect(await timeline.getByRole('button', { name: /Go to the conversation/ }).count()).toBe(5)
    await shot(page, 'session/timeline')
    await timeline.getByRole('button', { name: 'As a table' }).click()
    expect(await timeline.getByRole('rowheader').allTextContents()).toContain('Sound the southern rock')
    await timeline.getByRole('button', { name: 'As a table' }).click()
    await lane.focus()
    await page.keyboard.press('Enter')
    await row(page, 'DEEP: sound the rock in the south').first().waitFor()
    expect(searchOf(page).get('at')).not.toBeNull()
  })
})

test('a message to the session shows where it is on its way, and can be taken back', async () => {
  await withSession(mended, async ({ page, client }) => {
    await page.keyboard.press('m')
    const dialog = page.getByRole('dialog', { name: 'Message to the session' })
    await dialog.getByLabel('Text').fill('Mind the rock in the south.')
    await page.keyboard.press('Control+Enter')
    const sent = dialog.getByRole('listitem').filter({ hasText: 'Mind the rock' })
    await sent.locator('[data-status=queued]').waitFor()
    await shot(page, 'session/message')
    const { messages } = await client.messages.list({ to: mended })
    expect(messages.map(({ text, status }) => [text, status])).toEqual([['Mind the rock in the south.', 'produced']])
    await sent.getByRole('button', { name: 'Withdraw this message' }).click()
    await sent.locator('[data-status=withdrawn]').waitFor()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
  })
})

test('says the exact command that opens it in a terminal', async () => {
  await withSession(mended, async ({ page }) => {
    await page.keyboard.press('o')
    const dialog = page.getByRole('dialog', { name: 'Open in a terminal' })
    await dialog.getByText(`lode session resume ${mended}`).waitFor()
    await dialog.getByRole('button', { name: 'Show the agent CLI’s own command' }).click()
    await dialog.getByText(new RegExp(`--resume=${mended}`)).waitFor()
  })
})

/** Where the CLI would write the transcript of a new session of `/tmp/NAME`. */
function transcript(name: string): { id: SessionId; path: string } {
  const id = sessionId(crypto.randomUUID())
  const folder = join(world.claude.claudeRoot, `projects/-tmp-${name}`)
  mkdirSync(folder, { recursive: true })
  return { id, path: join(folder, `${id}.jsonl`) }
}

/** A session of this many lines, written as the CLI writes it. */
async function written(count: number): Promise<{ id: SessionId; say(text: string): void }> {
  const { id, path } = transcript('long')
  const lines = new TranscriptLines(id, '/tmp/long', Date.now() - count * 1_000)
  const text: string[] = []
  while (text.length < count) {
    if (text.length % 50 === 0) text.push(lines.prompt(`Prompt of line ${text.length}.`))
    else text.push(lines.say(`Line ${text.length}.\n${'It goes on. '.repeat(text.length % 40)}`))
  }
  writeFileSync(path, `${text.join('\n')}\n`)
  let found: unknown
  await until('the long session', async () => {
    found = await world.client.sessions.get(id).then(({ session }) => session.counts.events, String)
    return found === count
  }).catch((error: unknown) => {
    throw new Error(`${String(error)}; last found: ${found}`)
  })
  return { id, say: (words) => appendFileSync(path, `${lines.say(words)}\n`) }
}

test('a long session is drawn where it is looked at, and nothing jumps when lines come', async () => {
  const { id, say } = await written(3_000)
  await withSession(id, async ({ page }) => {
    await row(page, 'Line 2999.').waitFor()
    expect(await rows(page).count()).toBeLessThan(80)
    // A reader at the end stays there.
    say('The first that is new.')
    await row(page, 'The first that is new.').waitFor()
    expect(await page.getByRole('button', { name: /^Newest/ }).count()).toBe(0)
    // A reader elsewhere stays there.
    await press(page, '[', '[', '[', '[')
    await row(page, 'Prompt of line 2800.').waitFor()
    await holds(page, 'document.activeElement?.textContent.includes("Prompt of line 2800.")')
    const before = await current(page).boundingBox()
    for (let at = 0; at < 5; at++) say(`New while one reads, ${at}.`)
    await page.getByRole('button', { name: 'Newest · 5 new lines' }).waitFor()
    expect(await current(page).boundingBox()).toEqual(before)
    await press(page, 'Home')
    await row(page, 'Prompt of line 0.').waitFor()
    expect(await scrollTop(page)).toBe(0)
    await page.getByRole('button', { name: /^Newest/ }).click()
    await row(page, 'New while one reads, 4.').waitFor()
    expect(await rows(page).count()).toBeLessThan(80)
  })
})

test('scrolling by wheel shows every line in its order, without a gap or a line twice', async () => {
  const { id } = await written(600)
  await withSession(id, async ({ page }) => {
    await press(page, 'Home')
    await row(page, 'Prompt of line 0.').waitFor()
    await page.mouse.move(500, 400)
    const seen = new Set<number>()
    for (let step = 0; step < 400 && !seen.has(599); step++) {
      await page.mouse.wheel(0, 500)
      await page.waitForTimeout(30)
      await page.locator('[role=feed][aria-busy=false]').waitFor()
      const drawn = await page.evaluate<[number, number, number][]>(
        `[...document.querySelectorAll('[data-testid=session-row]')].map((one) => {
          const box = one.getBoundingClientRect(); return [Number(one.dataset.number), box.top, box.bottom] })`,
      )
      drawn.sort(([a], [b]) => a - b)
      for (const [at, [number, , bottom]] of drawn.entries()) {
        seen.add(number)
        const next = drawn[at + 1]
        // The current row may be drawn far from the others.
        if (next !== undefined && next[0] === number + 1) expect(Math.abs(next[1] - bottom)).toBeLessThan(1)
      }
    }
    expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: 600 }, (_, number) => number))
  })
})

test('goes on where it was after the server was killed and started again', async () => {
  const { id, say } = await written(120)
  await withSession(id, async ({ page, server, problems }) => {
    problems.allow(/failed: GET/, /console error: Failed to load resource/)
    await row(page, 'Line 119.').waitFor()
    await server.kill()
    await page.locator('[data-live=disconnected]').waitFor()
    say('Said while nobody listened.')
    await server.up()
    await row(page, 'Said while nobody listened.').waitFor()
    await page.locator('[data-live=live]').waitFor()
  })
})

/** Goes on to another session's page, in the page that is open. */
async function goTo(page: Page, path: string): Promise<void> {
  await follow(page, `/sessions/${path}`)
  await stands(page)
}

test('stays whole with hostile texts, and lets none of them do anything', async () => {
  const { sessions, broken } = await world.hostile()
  await withSession(
    broken,
    async ({ page, context }) => {
      for (const id of [broken, ...HOSTILE_NAMES.map((name) => sessions[name])]) {
        await goTo(page, id)
        await press(page, 'Home')
        await rows(page).first().waitFor()
        // Each row is opened, and what it then shows is there.
        for (let step = 0; step < 16; step++) await press(page, 'j', 'Enter')
        await page.waitForTimeout(150)
        expect(await page.evaluate(`globalThis.${MARK}`)).toBeUndefined()
        expect(
          await page.evaluate<number>(
            'document.querySelectorAll("main :is(script, style, iframe, form[action], link, base, video, a[href^=javascript i], img:not([src^=data]))").length',
          ),
        ).toBe(0)
        expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390)
        expect(context.pages()).toHaveLength(1)
      }
    },
    { size: 'phone' },
  )
})

for (const [size, width] of [
  ['wide', 1_280],
  ['phone', 390],
] as const)
  test(`breaks no rule of accessibility in light and dark, ${size}`, async () => {
    await withSession(
      charted,
      async ({ page }) => {
        for (const [name, path, steps] of [
          ['charted', charted, ['Home']],
          ['opened', mended, ['Home', 'j', 'j', 'j', 'j', 'j', 'Enter', 'j', 'j', 'Enter']],
          ['timeline', `${charted}?view=timeline`, []],
          ['find', `${charted}?find=rock`, []],
          ['beside', `${charted}?view=beside`, []],
          ['running', await world.session('watching'), ['m']],
        ] as const) {
          await goTo(page, path)
          await press(page, ...steps)
          await page.waitForTimeout(300)
          const wrong = await axeInBoth(page, {}, (scheme) => shot(page, `session/${size}-${scheme}/${name}`))
          expect([name, ...wrong]).toEqual([name])
          expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width)
        }
      },
      { size },
    )
  })

test('a session that is not there, and one of which nothing is recorded, say what to do', async () => {
  await withDashboard(
    { server: world.server, path: '/sessions/00000000-0000-4000-8000-000000000000' },
    async ({ page, problems }) => {
      problems.allow(/404/)
      await page.getByRole('alert').waitFor()
      expect(await page.getByRole('alert').textContent()).toContain('00000000')
    },
  )
  const { registration } = await world.client.sessions.register({ title: 'A chat' })
  await withDashboard({ server: world.server, path: `/sessions/${registration.address}` }, async ({ page }) => {
    await page.getByText('nothing is recorded yet').waitFor()
    await page.getByText(`lode session messages ${registration.address}`).waitFor()
  })
})

/** A session that changed files, in which a call failed, and that made a commit and a pull request. */
async function ended(): Promise<SessionId> {
  const { id, path } = transcript('ended')
  const lines = new TranscriptLines(id, '/tmp/ended', Date.now() - 600_000)
  const edit = (from: string, to: string) => {
    const hunk = { oldStart: 4, oldLines: 1, newStart: 4, newLines: 1, lines: [`-${from}`, `+${to}`] }
    return lines.call('Edit', { file_path: '/tmp/ended/src/walk.ts', old_string: from, new_string: to }, 'Done.', {
      toolUseResult: { filePath: '/tmp/ended/src/walk.ts', structuredPatch: [hunk] },
    })
  }
  const text = [
    lines.prompt('Mend the walk.'),
    ...edit('step(1)', 'step(2)'),
    ...lines.call('Bash', { command: 'npm test' }, 'pytest failed: 1 issue found', { isError: true }),
    ...lines.call('Edit', { file_path: '/tmp/ended/no.ts', old_string: 'a', new_string: 'b' }, 'No such file', {
      isError: true,
    }),
    ...edit('step(2)', 'step(3)'),
    ...Array.from({ length: 200 }, (_, at) => lines.say(`Thinking aloud ${at}.`)),
    ...lines.call('Bash', { command: 'git commit -am mend' }, '[main 1a2b3c4] Mend the walk\n 1 file changed'),
    ...lines.call('Bash', { command: 'gh pr create' }, 'https://github.com/o/r/pull/12\n'),
    ...lines.call('Bash', { command: 'gh pr merge --squash' }, ''),
    lines.say('The walk is **mended**, see pull request 12.'),
  ]
  writeFileSync(path, `${text.join('\n')}\n`)
  await until(
    'the ended session',
    async () => (await world.client.sessions.get(id).catch(() => null))?.session.counts.events === text.length,
  )
  return id
}

test('a page opens with what came of the session, leads to its errors, and joins its changes by file', async () => {
  const id = await ended()
  await withSession(id, async ({ page }) => {
    const outcome = page.getByRole('region', { name: 'Outcome' })
    await outcome.getByText('#12').waitFor()
    const words = (await outcome.textContent()) ?? ''
    for (const part of ['The walk is', '2 errors', '1 file changed', '1a2b3c4', '#12merged'])
      expect(words).toContain(part)
    await shot(page, 'session-outcome')
    await press(page, 'Home', '}')
    await current(page).filter({ hasText: 'npm test' }).waitFor()
    await press(page, '}')
    await current(page).filter({ hasText: 'no.ts' }).waitFor()
    await press(page, '{')
    await current(page).filter({ hasText: 'npm test' }).waitFor()
    await outcome.getByRole('button', { name: '1 file changed' }).click()
    const changes = page.getByTestId('session-changes')
    await changes.getByRole('heading', { name: 'src/walk.ts' }).waitFor()
    expect(await changes.getByRole('table').count()).toBe(2)
    expect(await changes.textContent()).toMatch(/step\(1\).*step\(2\).*step\(3\)/s)
    await shot(page, 'session-changes')
    expect(await axeInBoth(page)).toEqual([])
    // In the list it is found by what it came to.
    await page.goto(`${world.server.url}/sessions?errors=1..5&sort=files`)
    const listed = page.getByTestId('listed-session')
    await listed.filter({ hasText: 'Mend the walk.' }).waitFor()
    await page.getByRole('group', { name: 'Errors' }).getByRole('button', { name: /^None/ }).click()
    await listed.filter({ hasText: 'Mend the walk.' }).waitFor({ state: 'detached' })
    expect(searchOf(page).get('errors')).toBe('..1')
  })
})
