/** Where a session is, told live: by its transcript, its process and, where they are installed, its hooks. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { cleanUp } from './clean-up'
import { hookSettings } from './hook-settings'
import { Lodeline } from './lodeline'
import { until } from './process-tree'
import { CLI_VERSIONS, Lab } from './real-cli'

for (const version of CLI_VERSIONS) {
  for (const hasHooks of [true, false]) {
    describe(`Claude Code ${version} ${hasHooks ? 'with' : 'without'} hooks`, () => {
      let folder: string
      const id = crypto.randomUUID()
      let lab: Lab
      let lodeline: Lodeline

      beforeAll(async () => {
        folder = mkdtempSync('/tmp/ld-')
        const home = join(folder, 'home')
        const settings = hasHooks ? hookSettings(Lodeline.hookCommand(home)) : {}
        lab = await Lab.start({ version, script: 'resume', settings })
        lodeline = new Lodeline({ home, claudeRoots: [lab.claudeRoot] })
        await lodeline.up()
      }, 30_000)

      afterAll(
        () =>
          cleanUp(
            () => lodeline?.stop(),
            () => lab?.stop(),
            () => rmSync(folder, { recursive: true, force: true }),
          ),
        30_000,
      )

      const status = (wanted: string) =>
        until(`the status ${wanted}`, async () => {
          const found = await lodeline.client.sessions.get(id).catch(() => null)
          return found?.session.status === wanted && found.session.statusEvidence
        })

      test('running while a tool runs, lost when the process is killed, ended after a good end', async () => {
        const run = lab.launch({ prompt: 'long', sessionId: id })
        await until('the long command', () => {
          const file = lab.transcript(id)
          return existsSync(file) && readFileSync(file, 'utf8').includes('Long work')
        })
        expect(await status('running')).not.toBe('')
        await until('the running tool', async () => {
          const { tree } = await lodeline.client.sessions.tree(id)
          return tree.runningTools.length === 1 && tree.runningTools[0]?.name === 'Bash'
        })
        await run.crash()
        expect(await status('lost')).not.toBe('')
        await lab.run({ prompt: 'carry on', resume: id })
        expect(await status('ended')).not.toBe('')
      }, 60_000)
    })
  }
}
