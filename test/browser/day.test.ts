/** A whole day is replayed: by hand, by itself, by its address, in the person's time zone. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { sessionId } from '../../src/domain/ids'
import { type Dashboard, shot, type View, withDashboard } from './page/page'
import { axeCheck } from './page/page-axe'
import { holds, scrollsSideways } from './page/page-wait'
import { TranscriptLines } from './world/world-lines'

const FIXTURES = join(import.meta.dir, '../fixtures/claude-code/transcripts/2.1.328')

/** Clocks go forward in the night before, in Berlin: 10:00 in UTC is noon. */
const NOON = Date.parse('2026-03-29T10:00:00Z')

/** Two sessions of two projects, four hours apart. */
async function record({ client, home }: Dashboard) {
  const [harbour, tower] = [sessionId(crypto.randomUUID()), sessionId(crypto.randomUUID())]
  const lamp = new TranscriptLines(harbour, '/home/user/harbour', NOON)
  const bell = new TranscriptLines(tower, '/home/user/tower', NOON + 4 * 3_600_000)
  const edit = { file_path: '/home/user/harbour/lights.ts', old_string: 'red', new_string: 'green' }
  const write = (id: string, lines: string[]) => {
    const path = join(home, `${id}.jsonl`)
    writeFileSync(path, `${lines.join('\n')}\n`)
    return path
  }
  const paths = [
    write(harbour, [
      lamp.prompt('Make the harbour lights <b>green</b>'),
      lamp.say('I look at the lights first.'),
      ...lamp.call('Bash', { command: 'npm test' }, 'FAIL lights.test.ts', { isError: true }),
      ...lamp.call('Edit', edit, 'done', { toolUseResult: { filePath: edit.file_path, structuredPatch: [] } }),
      lamp.say('The lights are green.'),
    ]),
    write(tower, [
      bell.prompt('Ring the bells'),
      ...bell.call('Bash', { command: 'make bells' }, 'ding'),
      bell.say('The bells ring.'),
    ]),
  ]
  await client.import({ paths: [...paths, FIXTURES] })
  return { harbour, tower }
}

const sessions = (page: Page) => page.getByTestId('day-session')
const slider = (page: Page) => page.getByRole('slider', { name: 'Time of the day' })
const moment = (page: Page) => new URL(page.url()).searchParams.get('t')

const VIEWS: readonly View[] = [
  { size: 'wide', scheme: 'light', timeZone: 'Europe/Berlin' },
  { size: 'phone', scheme: 'dark', timeZone: 'Europe/Berlin' },
]

for (const view of VIEWS)
  test(`a day is replayed on a ${view.size} page, and leads to the replay of a session`, async () => {
    await withDashboard(view, async (dashboard) => {
      const { page, server } = dashboard
      const name = (what: string) => `day/${what}-${view.size}-${view.scheme}`
      const { harbour } = await record(dashboard)
      await page.goto(`${server.url}/sessions`)
      await page.getByRole('link', { name: 'Replay a day' }).click()
      await page.getByRole('heading', { level: 1, name: 'Day' }).waitFor()
      await page.getByLabel('Day', { exact: true }).fill('2026-03-29')
      await page.waitForURL(/day=2026-03-29/)

      // It begins with the day's first work. The day has 23 hours, and this is noon.
      await sessions(page).filter({ hasText: 'Make the harbour lights <b>green</b>' }).waitFor()
      expect(await sessions(page).count()).toBe(1)
      expect(await slider(page).getAttribute('aria-valuetext')).toContain('12:00:00')
      const [from, to] = [await slider(page).getAttribute('min'), await slider(page).getAttribute('max')]
      expect(Number(to) - Number(from)).toBe(23 * 3_600_000 - 1_000)

      // A moment by its address: before it is answered a call is open, and nothing later is known.
      await page.goto(`${server.url}/day?day=2026-03-29&t=2026-03-29T10:00:02.000Z`)
      await page.getByRole('region', { name: 'At work' }).getByText('npm test').waitFor()
      for (const later of ['lights.ts', 'The lights are green.', 'Ring the bells'])
        expect(await page.getByText(later).count()).toBe(0)
      expect(await scrollsSideways(page)).toBe(false)
      expect(await axeCheck(page)).toEqual([])
      await shot(page, name('moment'))

      // Sixty times as fast; four hours of rest are jumped over.
      await page.getByRole('combobox', { name: 'Speed' }).selectOption('60')
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Play', exact: true }).click()
      await sessions(page).filter({ hasText: 'The bells ring.' }).waitFor()
      await page.waitForURL(/t=2026-03-29T21%3A59%3A59/)
      const rest = page.getByRole('region', { name: 'Earlier that day' })
      await rest.getByText('1 file changed: lights.ts').waitFor()
      await rest.getByText('The lights are green.').waitFor()

      // The same moment of one session: its own replay.
      await page.goto(`${server.url}/day?day=2026-03-29&t=2026-03-29T10:00:02.000Z`)
      await page.getByRole('link', { name: 'Make the harbour lights' }).click()
      await page.waitForURL(new RegExp(`/sessions/${harbour}\\?t=2026-03-29T10%3A00%3A02`))
      await page.getByRole('slider', { name: 'Time of the session' }).waitFor()
      await holds(page, `document.querySelectorAll('[data-testid=session-row]').length === 3`)
      await page.goBack()
      await page.getByRole('region', { name: 'At work' }).waitFor()
    })
  })

test('a day is narrowed by project, and gone through with keys, the band and neighbouring days', async () => {
  await withDashboard({ path: '/', timeZone: 'Europe/Berlin' }, async (dashboard) => {
    const { page, server } = dashboard
    await record(dashboard)
    await page.goto(`${server.url}/day?day=2026-03-29&t=2026-03-29T20:00:00.000Z`)
    await sessions(page).nth(1).waitFor()
    await page.getByLabel('Project').selectOption({ label: 'tower (1)' })
    await page.waitForURL(/project=/)
    await holds(page, `document.querySelectorAll('[data-testid=day-session]').length === 1`)
    expect(moment(page)).toBe('2026-03-29T20:00:00.000Z')

    await page.locator('#page').focus()
    await page.keyboard.press('ArrowLeft')
    await page.waitForURL(/t=2026-03-29T19%3A59%3A00/)
    await page.keyboard.press('ArrowRight')
    await page.waitForURL(/t=2026-03-29T20%3A00%3A00/)
    await page.keyboard.press('+')
    expect(await page.getByRole('combobox', { name: 'Speed' }).inputValue()).toBe('30')
    await page.keyboard.press('Space')
    await page.getByRole('button', { name: 'Play', exact: true }).waitFor()
    await page.waitForURL(/t=2026-03-29T21%3A59%3A59/)

    // The band is as wide as the slider: its middle is half the day.
    await page.getByRole('button', { name: /^When sessions were at work/ }).click()
    await page.waitForURL(/t=2026-03-29T10%3A(29|30)/)
    await page.getByText('Nothing had begun yet.').waitFor()

    await page.getByRole('button', { name: 'The next day' }).click()
    await page.getByText('No session was at work on this day.').waitFor()
    expect(moment(page)).toBeNull()
    await page.goto(`${server.url}/day?day=2026-11-20`)
    await sessions(page).first().waitFor()
    await shot(page, 'day/fixtures-wide-light')
    await page.goto(`${server.url}/day?day=2026-02-31&t=never`)
    await page.getByRole('heading', { level: 1, name: 'Day' }).waitFor()
  })
})
