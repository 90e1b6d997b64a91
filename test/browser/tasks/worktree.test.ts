/** What a task left in its worktree is looked at, merged and dropped on its page. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { operations } from '../../../src/api/contract/operations'
import { schemaOf } from '../../api/answers/declared-answers'
import { until } from '../../lab/until'
import { browserOfTests, shot, withDashboard } from '../page/page'
import { axeInBoth } from '../page/page-axe'
import { scrollsSideways } from '../page/page-wait'
import { World } from '../world/world'

let world: World
const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
    cwd: world.claude.project,
    encoding: 'utf8',
  }).trim()

beforeAll(async () => {
  await browserOfTests()
  world = await World.start({ settings: { 'worker.allow': ['Bash'] } })
  git('config', 'user.name', 'Ada')
  git('config', 'user.email', 'ada@example.org')
  git('add', '--all')
  git('commit', '-q', '-m', 'first')
})
afterAll(() => world?.stop())

test('a worktree is shown against its base, merged with what is in no commit, and dropped', async () => {
  const { client, claude } = world
  const { task } = await client.tasks.create({ task: 'Hang up a lamp', dir: claude.project, worktree: {} })
  await until('its end', async () => (await client.tasks.get(task.id)).task.status === 'completed')
  expect(schemaOf(operations.tasks.work).safeParse(await client.tasks.work(task.id)).success).toBe(true)
  await withDashboard({ server: world.server, path: `/tasks/${task.id}` }, async ({ page }) => {
    const part = page.getByRole('region', { name: 'Worktree', exact: true })
    await part.getByRole('button', { name: 'Show changes' }).click()
    await part.getByText('1 commit ahead of main, 0 behind, 1 file in no commit.').waitFor()
    await part.getByRole('list', { name: 'Commits' }).getByText('Add a lamp').waitFor()
    await part.getByRole('table', { name: 'Changes in lamp.txt' }).getByText('light').waitFor()
    const code = part.getByRole('table', { name: 'Changes in rope.ts' })
    await code.locator('.text-code-keyword', { hasText: 'const' }).waitFor()
    await code.locator('.text-code-number', { hasText: '12' }).waitFor()
    await axeInBoth(page)
    await shot(page, 'task/worktree')
    for (const width of [390, 768, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      expect(await scrollsSideways(page)).toBe(false)
      if (width === 390) await shot(page, 'task/worktree-phone')
    }

    await part.getByRole('button', { name: 'Merge' }).click()
    const merging = page.getByRole('dialog', { name: 'Merge into main?' })
    await merging.getByText('First commit 1 file that no commit has').waitFor()
    await merging.getByRole('button', { name: 'Merge' }).click()
    await part.getByText(/Merged\. main is at/).waitFor()
    expect(git('show', 'main:lamp.txt')).toBe('light')
    expect(existsSync(join(claude.project, 'rope.ts'))).toBe(true)

    await part.getByRole('button', { name: 'Drop' }).click()
    const dropping = page.getByRole('dialog', { name: /^Drop / })
    await dropping.getByText('Nothing is lost.').waitFor()
    // The button that has the focus keeps the worktree.
    await page.keyboard.press('Enter')
    await dropping.waitFor({ state: 'detached' })
    expect(git('branch', '--list', 'lode/*')).not.toBe('')
    await part.getByRole('button', { name: 'Drop' }).click()
    await dropping.getByRole('button', { name: 'Drop' }).click()
    await dropping.waitFor({ state: 'detached' })
    await until('the branch to be gone', async () => git('branch', '--list', 'lode/*') === '')
  })
})
