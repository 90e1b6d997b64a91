/** Where a session is, told live: by its transcript, its process and, where they are installed, its hooks. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { until } from '../lab/until'
import { cleanUp } from './clean-up'
import { hookSettings } from './hook-settings'
import { Lodeline } from './lodeline'
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

for (const version of CLI_VERSIONS) {
  for (const hasHooks of [true, false]) {
    test(`Claude Code ${version} ${hasHooks ? 'with' : 'without'} hooks: a conversation that is compacted by hand between two turns is idle after it`, async () => {
      const folder = mkdtempSync('/tmp/ld-')
      const home = join(folder, 'home')
      const settings = hasHooks ? hookSettings(Lodeline.hookCommand(home)) : {}
      const lab = await Lab.start({ version, script: 'compaction', settings })
      const lodeline = new Lodeline({ home, claudeRoots: [lab.claudeRoot] })
      const id = crypto.randomUUID()
      const shown = async () => (await lodeline.client.sessions.get(id).catch(() => null))?.session
      // There as on every machine where the CLI ran before: else it may live and end before its new folder is watched.
      mkdirSync(join(lab.claudeRoot, 'sessions'), { recursive: true })
      try {
        await lodeline.up()
        const working = lab.steer({ sessionId: id })
        const written = () => (existsSync(lab.transcript(id)) ? readFileSync(lab.transcript(id), 'utf8') : '')
        const say = async (content: string, answer: string) => {
          working.send({ type: 'user', message: { role: 'user', content } })
          await until(answer, () => written().includes(answer))
        }
        await say('hello', 'First answer.')
        await say('go on', 'Second answer.')
        await say('/compact', 'local-command-stdout>Compacted')
        await until('the compaction', async () => {
          const session = await shown()
          return session !== undefined && session.counts.compactions === 1 && session.status === 'idle'
        })
        // Nothing that comes later says otherwise, while the process lives.
        expect((await shown())?.statusEvidence).toMatch(/^(hook:PostCompact\(manual\)|transcript:compacted) /)
        await say('and now', 'Carrying on after the summary.')
        working.end()
        // A 2.1.197 that is fed by its input leaves no sign of its end but to hooks: it stays idle until it is silent for long.
        if (hasHooks || version !== '2.1.197') await until('the end', async () => (await shown())?.status === 'ended')
        else expect((await shown())?.status).toBe('idle')
      } finally {
        await cleanUp(
          () => lodeline.stop(),
          () => lab.stop(),
          () => rmSync(folder, { recursive: true, force: true }),
        )
      }
    }, 60_000)
  }
}
