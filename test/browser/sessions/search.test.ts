/** The search over everything: conversations, and sessions, tasks and issues by their titles and ids. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import type { SessionId } from '../../../src/domain/ids'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { until } from '../../lab/until'
import { browserOfTests, type Dashboard, type DashboardOptions, PAGES, shot, withDashboard } from '../page/page'
import { axeCheck } from '../page/page-axe'
import { importConversations } from '../page/page-transcripts'
import { holds, scrollsSideways } from '../page/page-wait'
import { HOSTILE_TEXTS } from '../world/world-hostile-texts'

/** More matches than are ranked. */
const MANY = 2_050

const lab = new Lab()
const folder = lab.root
let server: Lode
let quay: SessionId
let task: string
let issue: string

beforeAll(async () => {
  await browserOfTests()
  server = lab.addLode('l', PAGES)
  await server.up()
  const startedAt = Date.now() - 3_600_000
  const [first] = await importConversations(server, folder, [
    {
      cwd: '/srv/harbour',
      title: 'Mend the hawser at the south quay',
      startedAt,
      lines: (write) => [
        write.prompt('Splice the hawser, please.'),
        ...write.call('Bash', { command: 'measure hawser' }, 'the hawser is 40 m long'),
        ...Array.from({ length: 60 }, (_, n) => write.say(`Strand ${n} is sound.`)),
        write.say('The hawser holds.'),
        ...write.call('Bash', { command: 'coil --verbose' }, `${'knot '.repeat(200)}the bitterend`),
      ],
    },
    {
      cwd: '/srv/harbour',
      title: 'Count the gulls',
      startedAt,
      lines: (write) => Array.from({ length: MANY }, (_, n) => write.say(`Gull number ${n}`)),
    },
    {
      cwd: '/srv/harbour',
      title: HOSTILE_TEXTS.script,
      startedAt,
      lines: (write) => Object.values(HOSTILE_TEXTS).map((text) => write.say(`barnacle ${text.slice(0, 2_000)}`)),
    },
  ])
  if (first === undefined) throw new Error('nothing was imported')
  quay = first
  const made = await server.client.tasks.create({ task: 'Order a new hawser', status: 'backlog' })
  task = made.task.id
  const scope = { dir: folder, actor: 'ann' }
  issue = (await server.client.issues.create({ ...scope, title: 'No spare hawser on board' })).issue.id
})
afterAll(() => lab.stop())

const withSearch = (path: string, work: (dashboard: Dashboard) => Promise<void>, options: DashboardOptions = {}) =>
  withDashboard({ server, path, ...options }, async (dashboard) => {
    await dashboard.page.getByRole('heading', { level: 1, name: 'Search' }).waitFor()
    await work(dashboard)
  })

const field = (page: Page) => page.getByRole('searchbox', { name: 'Search for' })
const hits = (page: Page, kind: string) => page.locator(`[data-testid="search-hit"][data-found="${kind}"]`)

test('finds what was said, and sessions, tasks and issues by their titles', async () => {
  await withSearch('/search?q=hawser', async ({ page }) => {
    for (const kind of ['sessions', 'tasks', 'issues']) await hits(page, kind).waitFor()
    await hits(page, 'words').first().waitFor()
    const marks = await hits(page, 'words').locator('mark').allTextContents()
    // The prompt, the call, what it gave out, and the answer.
    expect(marks.length).toBeGreaterThanOrEqual(4)
    expect(marks.every((mark) => mark.toLowerCase() === 'hawser')).toBe(true)
    expect(await hits(page, 'sessions').textContent()).toContain('Mend the hawser')
    expect(await hits(page, 'tasks').textContent()).toContain(task)
    expect(await hits(page, 'issues').textContent()).toContain(issue)
    expect(await axeCheck(page)).toEqual([])
    await shot(page, 'search/typical-light')
  })
})

test('a hit leads to its line in the conversation, and back', async () => {
  await withSearch('/search?q=splice', async ({ page }) => {
    await hits(page, 'words').getByRole('link').first().click()
    await page.waitForURL(`**/sessions/${quay}?at=*`)
    await page.getByRole('feed').getByText('Splice the hawser, please.').first().waitFor()
    // The word is marked where one arrives, and the conversation has the keys.
    await holds(page, "[...(CSS.highlights.get('found') ?? [])].some((range) => range.toString() === 'Splice')")
    expect(await page.evaluate('document.activeElement?.tagName')).not.toBe('INPUT')
    await page.goBack()
    await hits(page, 'words').first().waitFor()
    expect(await field(page).inputValue()).toBe('splice')
  })
})

test('a click on a count leaves these matches, and another one takes the filter out', async () => {
  await withSearch('/search?q=hawser&kind=words', async ({ page }) => {
    const output = page.getByRole('button', { name: 'output 1' })
    await output.click()
    await page.waitForURL('**/search?q=hawser+is%3Aoutput*')
    await hits(page, 'words').filter({ hasText: '40 m long' }).waitFor()
    await until('one hit', async () => (await hits(page, 'words').count()) === 1)
    await output.click()
    await page.waitForURL('**/search?q=hawser&kind=words')
    await until('all hits', async () => (await hits(page, 'words').count()) === 4)
  })
  await withSearch('/search?q=is:eror&kind=words', async ({ page, problems }) => {
    problems.allow(/400/)
    await page.getByText('The search does not know is:eror.').waitFor()
  })
})

test('the best lines stand in the command bar', async () => {
  await withSearch('/search', async ({ page }) => {
    await page.keyboard.press('ControlOrMeta+k')
    await page.getByRole('combobox', { name: 'Command bar' }).fill('splicing')
    const found = page.getByTestId('command').filter({ hasText: 'Splice the hawser, please.' })
    await found.click()
    await page.waitForURL(`**/sessions/${quay}?at=*`)
  })
})

test('keys alone find, choose and open', async () => {
  await withSearch('/search', async ({ page }) => {
    await holds(page, 'document.activeElement?.type === "search"')
    await page.keyboard.type('hawser')
    await page.waitForURL('**/search?q=hawser')
    await hits(page, 'issues').waitFor()
    await hits(page, 'words').first().waitFor()
    await page.keyboard.press('Enter')
    await holds(page, 'document.activeElement?.dataset.testid === "search-hit"')
    await page.keyboard.press('j')
    await page.keyboard.press('k')
    await page.keyboard.press('End')
    await holds(page, 'document.activeElement?.dataset.found === "issues"')
    await page.keyboard.press('Enter')
    await page.waitForURL(`**/issues/${issue}*`)
    await page.goBack()
    await hits(page, 'issues').waitFor()
    await page.keyboard.press('f')
    await holds(page, 'document.activeElement?.type === "search"')
  })
})

const preview = (page: Page) => page.getByRole('region', { name: 'Conversation around the result' })

test('the conversation around a result stands beside it, with the words marked, and follows the cursor', async () => {
  await withSearch('/search?q=sound&kind=words', async ({ page, problems }) => {
    const current = preview(page).locator('li[aria-current="true"]')
    await current.getByText('Strand').waitFor()
    const asked = () => problems.requests.filter((url) => url.includes('/rows?')).length
    const before = asked()
    expect(problems.requests.find((url) => url.includes('/rows?'))).toContain('limit=24')
    // The neighbours of the line, and the word in them too.
    expect(await preview(page).locator('li').count()).toBeGreaterThan(10)
    expect(await preview(page).locator('li').count()).toBeLessThanOrEqual(24)
    expect(await preview(page).locator('mark').first().textContent()).toBe('sound')
    expect(await axeCheck(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    await shot(page, 'search/preview-light')

    await hits(page, 'words').first().focus()
    for (const key of ['j', 'j', 'ArrowDown', 'k']) await page.keyboard.press(key)
    const third = await hits(page, 'words').nth(2).locator('p').textContent()
    await current.getByText(third ?? '?').waitFor()
    await until('the line in the middle is in sight', async () => {
      const [line, list] = await Promise.all([current.boundingBox(), preview(page).getByRole('list').boundingBox()])
      return line !== null && list !== null && line.y >= list.y && line.y + line.height <= list.y + list.height
    })
    // A cursor that only passes asks for nothing.
    expect(asked() - before).toBeLessThanOrEqual(4)

    await page.keyboard.press('Enter')
    await page.waitForURL(`**/sessions/${quay}?at=*`)
  })
})

test('what is found behind the kept beginning of a long output is shown in the preview', async () => {
  await withSearch('/search?q=bitterend&kind=words', async ({ page }) => {
    const current = preview(page).locator('li[aria-current="true"]')
    await current.locator('mark').getByText('bitterend').waitFor()
  })
})

test('one key hides the conversation beside the results, and a phone has none and asks for none', async () => {
  await withSearch('/search?q=hawser', async ({ page }) => {
    await preview(page).waitFor()
    await hits(page, 'tasks').waitFor()
    expect(await axeCheck(page)).toEqual([])
    await hits(page, 'words').first().focus()
    await page.keyboard.press('v')
    await preview(page).waitFor({ state: 'detached' })
    await page.reload()
    await hits(page, 'words').first().waitFor()
    expect(await preview(page).count()).toBe(0)
    await hits(page, 'words').first().focus()
    await page.keyboard.press('v')
    await preview(page).waitFor()
  })
  await withSearch(
    '/search?q=hawser',
    async ({ page, problems }) => {
      await hits(page, 'words').first().waitFor()
      await hits(page, 'tasks').waitFor()
      expect(await preview(page).count()).toBe(0)
      expect(problems.requests.filter((url) => url.includes('/rows?'))).toEqual([])
    },
    { size: 'phone' },
  )
})

/** Letters in one breath: keys that are pressed from here may come apart on a busy machine. */
const typed = (word: string): string => `(() => {
  const field = document.querySelector('input[type=search]')
  const { set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')
  for (let length = 1; length <= ${word.length}; length++) {
    set.call(field, '${word}'.slice(0, length))
    field.dispatchEvent(new Event('input', { bubbles: true }))
  }
})()`

test('one request for a word and not for each letter, and one that nobody waits for is broken off', async () => {
  await withSearch('/search?q=strand', async ({ page, problems }) => {
    await hits(page, 'words').first().waitFor()
    const asked = () => problems.requests.filter((url) => url.includes('/api/search?')).length
    const before = asked()
    let release = () => {}
    const held = new Promise<void>((resolve) => {
      release = resolve
    })
    await page.route('**/api/search?q=gull*', async (route) => {
      await held
      await route.continue().catch(() => {})
    })
    const broken = page.waitForEvent('requestfailed', (request) => request.url().includes('/api/search?q=gull'))
    await page.evaluate(typed('gull'))
    await page.waitForURL('**/search?q=gull')
    // The last answer stays meanwhile.
    expect(await hits(page, 'words').first().textContent()).toContain('Strand')
    await field(page).fill('splice')
    expect((await broken).failure()?.errorText).toBe('net::ERR_ABORTED')
    release()
    await hits(page, 'words').filter({ hasText: 'Splice' }).first().waitFor()
    expect(asked() - before).toBe(2)
  })
})

test('says that only the newest of very many matches were ranked', async () => {
  await withSearch('/search?q=gull&kind=words', async ({ page }) => {
    await page.getByText('There may be more matches than the newest that were looked at.').waitFor()
    expect(await hits(page, 'words').count()).toBe(100)
    expect(await hits(page, 'sessions').count()).toBe(0)
    await shot(page, 'search/full-light')
  })
})

test('what it is narrowed to stands in the address, and outlives a reload', async () => {
  await withSearch('/search?q=hawser', async ({ page }) => {
    await page.getByRole('button', { name: 'tasks', exact: true }).click()
    await page.waitForURL('**/search?q=hawser&kind=tasks')
    await hits(page, 'words').first().waitFor({ state: 'detached' })
    await page.reload()
    await hits(page, 'tasks').waitFor()
    expect(await page.getByTestId('search-hit').count()).toBe(1)
  })
  await withSearch(`/search?q=sound&session=${quay.slice(0, 8)}`, async ({ page }) => {
    await hits(page, 'words').first().waitFor()
    expect(await hits(page, 'words').count()).toBe(60)
    await page.getByRole('button', { name: `Remove filter: session ${quay.slice(0, 8)}` }).click()
    await page.waitForURL('**/search?q=sound')
    await page.getByText('No task title, text or ID contains these words.').waitFor()
  })
})

test('part of an id finds what it names', async () => {
  await withSearch(`/search?q=${task.slice(0, 6)}`, async ({ page }) => {
    await hits(page, 'tasks').filter({ hasText: 'Order a new hawser' }).waitFor()
  })
  await withSearch(`/search?q=${quay.slice(0, 10)}`, async ({ page }) => {
    await hits(page, 'sessions').filter({ hasText: 'Mend the hawser' }).waitFor()
  })
})

test('hostile text that is found is only text', async () => {
  await withSearch('/search?q=barnacle', async ({ page }) => {
    await hits(page, 'words').first().waitFor()
    expect(await hits(page, 'words').count()).toBe(Object.keys(HOSTILE_TEXTS).length)
    expect(await page.locator('main script, main style, main iframe, main form img, main svg[onload]').count()).toBe(0)
    expect(await hits(page, 'words').filter({ hasText: '␛' }).count()).toBeGreaterThan(0)
    expect(await scrollsSideways(page)).toBe(false)
    await preview(page).locator('mark').first().waitFor()
    await shot(page, 'search/hostile')
  })
})

test('a session that there is not is named as wrong, with what to do', async () => {
  await withSearch('/search?q=gull&session=zz', async ({ page, problems }) => {
    problems.allow(/404|400/)
    const said = await page.getByRole('alert').first().textContent()
    expect(said).toContain('zz')
    expect(said).toContain('Try again')
  })
})

test('is readable and usable empty, narrow and dark', async () => {
  const phone = { size: 'phone', scheme: 'dark' } as const
  await withSearch(
    '/search',
    async ({ page }) => {
      await page.getByText('What are you looking for?').waitFor()
      expect(await axeCheck(page)).toEqual([])
      await page.getByRole('link', { name: 'is:prompt after:7d' }).click()
      await hits(page, 'words').filter({ hasText: 'Splice the hawser, please.' }).waitFor()
      await page.goBack()
      await shot(page, 'search/empty-phone-dark')
      await field(page).fill('hawser')
      await hits(page, 'words').first().waitFor()
      expect(await axeCheck(page)).toEqual([])
      expect(await scrollsSideways(page)).toBe(false)
      await shot(page, 'search/typical-phone-dark')
    },
    phone,
  )
  await withSearch('/search?q=nobodysaidthis', async ({ page }) => {
    await page.getByText('No line contains all of these words.').waitFor()
    await page.getByText('parts of words in the newest lines').waitFor()
    expect(await axeCheck(page)).toEqual([])
  })
})
