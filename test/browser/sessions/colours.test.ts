/** Code has the colours of its language, which a worker finds: whatever the code is, the page shows it whole and answers at once. */
import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { sessionId } from '../../../src/domain/ids'
import { type Dashboard, shot, withDashboard } from '../page/page'
import { axeInBoth } from '../page/page-axe'
import { scrollsSideways } from '../page/page-wait'
import { TranscriptLines } from '../world/world-lines'

const HOSTILE = [
  `+const a = "<img src=x onerror='document.title=1'></span><script>document.title=2</script>" // &lt;b&gt;`,
  '+/* begins here',
  '+let inside = 1 */ let outside = 2',
  ' export function light(days: number): string { return `of \u202e"x"` }',
  '-const gone = 12',
]
const plainOf = (line: string) => line.slice(1).replace('\u202e', '⟨U+202E⟩')

/** A session whose calls changed these files, and which said something with code. */
async function record({ client, home }: Dashboard, files: Record<string, string[]>) {
  const id = sessionId(crypto.randomUUID())
  const lines = new TranscriptLines(id, '/home/user/harbour', Date.parse('2026-11-20T23:59:55Z'))
  const calls = Object.entries(files).flatMap(([file, changed]) => {
    const filePath = `/home/user/harbour/${file}`
    const structuredPatch = [{ oldStart: 1, oldLines: 1, newStart: 1, newLines: 1, lines: changed }]
    return lines.call('Edit', { file_path: filePath, old_string: 'a', new_string: 'b' }, 'The file was updated.', {
      toolUseResult: { filePath, structuredPatch },
    })
  })
  const said = 'So:\n\n```ts\nconst lamp = "<b>red</b>" // why\n```\n\n```unknown\nconst lamp = 1\n```'
  const path = join(home, `${id}.jsonl`)
  writeFileSync(path, `${[lines.prompt('Paint the lights'), ...calls, lines.say(said)].join('\n')}\n`)
  await client.import({ paths: [path] })
  return id
}

const tableOf = (page: Page, file: string) => page.getByRole('table', { name: `Changes in ${file}` })
const isColoured = (page: Page, file: string) => tableOf(page, file).locator('[class^=text-code-]').first().waitFor()

test('changes and blocks of code are coloured by their language, in both schemes, and nothing of them is markup', async () => {
  await withDashboard({}, async (dashboard) => {
    const { page, server } = dashboard
    const id = await record(dashboard, { 'lights.ts': HOSTILE, 'lights.unknown': HOSTILE, 'query.sql': ['+select 1'] })
    await page.goto(`${server.url}/sessions/${id}?view=changes`)
    const table = tableOf(page, 'lights.ts')
    await isColoured(page, 'lights.ts')
    await table.locator('.text-code-string', { hasText: '<script>document.title=2</script>' }).waitFor()
    await table.locator('.text-code-comment', { hasText: 'let inside = 1 */' }).waitFor()
    await table.locator('.text-code-keyword', { hasText: 'let' }).waitFor()
    await table.locator('.text-code-number', { hasText: '12' }).waitFor()
    await tableOf(page, 'query.sql').locator('.text-code-keyword', { hasText: 'select' }).waitFor()
    for (const file of ['lights.ts', 'lights.unknown']) {
      const cells = await tableOf(page, file).locator('[role=cell][dir=ltr]').allTextContents()
      expect(cells).toEqual(HOSTILE.map(plainOf))
    }
    expect(await tableOf(page, 'lights.unknown').locator('[class^=text-code-]').count()).toBe(0)
    expect(await page.locator('main img, main script').count()).toBe(0)
    expect(await page.title()).not.toMatch(/^[12]$/)
    expect(await axeInBoth(page, {}, (scheme) => shot(page, `colours/changes-${scheme}`))).toEqual([])

    await page.getByRole('button', { name: 'side by side' }).click()
    await isColoured(page, 'lights.ts')
    await shot(page, 'colours/side-by-side')
    for (const width of [390, 768, 1280, 1920]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await scrollsSideways(page)).toBe(false)
      await shot(page, `colours/changes-${width}`)
    }

    await page.getByRole('button', { name: 'Conversation', exact: true }).click()
    const block = page.locator('pre', { hasText: 'red' })
    await block.locator('.text-code-string', { hasText: '"<b>red</b>"' }).waitFor()
    expect(await page.getByTestId('new-day').allTextContents()).toEqual(['Sat, 21 November 2026'])
    expect(await block.textContent()).toBe('const lamp = "<b>red</b>" // why')
    const unknown = page.locator('pre', { hasText: 'const lamp = 1' })
    expect(await unknown.textContent()).toBe('const lamp = 1')
    expect(await unknown.locator('span').count()).toBe(0)
    expect(await axeInBoth(page, {}, (scheme) => shot(page, `colours/said-${scheme}`))).toEqual([])
  })
})

test('a long file comes in parts, and a long line whole and plain', async () => {
  const whole = Array.from({ length: 50_000 }, (_, at) => `+const line${at} = 'of a file' // ${at}`)
  const long = `const data = "${'<i>x</i>'.repeat(12_500)}"`
  await withDashboard({}, async (dashboard) => {
    const { page, server } = dashboard
    const id = await record(dashboard, {
      'long.ts': ['+let before = 1', `+${long}`, '+let after = 2'],
      'file.ts': whole,
    })
    await page.goto(`${server.url}/sessions/${id}?view=changes`)
    await isColoured(page, 'long.ts')
    const cells = tableOf(page, 'long.ts').locator('[role=cell][dir=ltr]')
    expect((await cells.nth(1).textContent())?.length).toBe(long.length)
    expect(await cells.nth(1).locator('span').count()).toBe(0)
    await cells.nth(2).locator('.text-code-number').waitFor()

    const file = page.getByRole('figure').filter({ has: tableOf(page, 'file.ts') })
    await file.scrollIntoViewIfNeeded()
    await isColoured(page, 'file.ts')
    expect(await file.getByRole('row').count()).toBe(400)
    await file.getByRole('button', { name: '1,000 of 49,600 more lines' }).click()
    await file.getByRole('button', { name: '1,000 of 48,600 more lines' }).waitFor()
    const last = file.getByRole('row').nth(1_399)
    await last.scrollIntoViewIfNeeded()
    await last.locator('.text-code-comment', { hasText: '// 1399' }).waitFor()
    // What nobody looks at is not coloured.
    expect(await file.locator('[class^=text-code-]').count()).toBeLessThan(1_400 * 2)
  })
})

test('code that holds up the worker, or a worker that is not there, leaves the code plain and the page as it is', async () => {
  await withDashboard({ isNew: true }, async (dashboard) => {
    const { page, server, problems } = dashboard
    const id = await record(dashboard, { 'lights.ts': HOSTILE, 'other.py': ['+x = 1'] })
    let asked = 0
    await page.route('**/assets/code-worker-*.js', (route) => {
      asked++
      const body = "postMessage('ready'); onmessage = () => { for (;;); }"
      return asked === 1 ? route.fulfill({ contentType: 'text/javascript', body }) : route.continue()
    })
    await page.goto(`${server.url}/sessions/${id}?view=changes`)
    await tableOf(page, 'lights.ts').waitFor()
    // The page goes on while the worker never comes back.
    await page.getByRole('button', { name: 'by time' }).click()
    await page.getByRole('button', { name: 'by file' }).click()
    // What held it up is left plain, and the next file is coloured by a new worker.
    await page.locator('[class^=text-code-]').first().waitFor()
    expect(asked).toBe(2)

    await page.unroute('**/assets/code-worker-*.js')
    problems.allow(/code-worker/, /404/)
    await page.route('**/assets/code-worker-*.js', (route) => route.fulfill({ status: 404, body: '' }))
    await page.reload()
    await tableOf(page, 'lights.ts').getByText('const gone').waitFor()
    const cells = await tableOf(page, 'lights.ts').locator('[role=cell][dir=ltr]').allTextContents()
    expect(cells).toEqual(HOSTILE.map(plainOf))
    await page.getByRole('button', { name: 'by time' }).click()
    await page.getByRole('button', { name: 'by file' }).click()
    expect(await page.locator('[class^=text-code-]').count()).toBe(0)
  })
})
