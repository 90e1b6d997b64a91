/** A session of Codex on the page: as one of every other agent CLI, with what only Codex has. */

import { expect, test } from 'bun:test'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { CODEX_FIXTURES } from '../../harness/codex/rollouts'
import { Lab } from '../../lab/lab'
import { PAGES, shot, withDashboard } from '../page/page'

const SESSION = '01a1f86f-5d90-7ad1-9f1d-d35780dd99e1'

test('the conversation shows its calls, and the sub-agent at the call that launched it', async () => {
  await using lab = new Lab()
  const root = lab.folder('codex')
  for (const story of ['plan', 'subagents-v1'])
    cpSync(join(CODEX_FIXTURES, '0.169.0', story), root, { recursive: true })
  const server = lab.addLode('l', { ...PAGES, homes: { codex: [root] } })
  await server.up()
  await withDashboard({ server, path: `/sessions/${SESSION}` }, async ({ page }) => {
    await page.getByText('The sub-agents are done.').first().waitFor()
    // What came of it stands there before its lines are read.
    await page.getByText('spawn_agent').first().waitFor()
    await shot(page, 'codex-session')
    expect(await page.getByTitle('codex 0.169.0').textContent()).toBe('scripted-model')
    const text = (await page.locator('main').textContent()) ?? ''
    for (const words of ['Delegate @@sub', 'spawn_agent', 'explorer', 'Lagrange']) expect(text).toContain(words)
  })
})
