/** Where a session is, told live: by its transcript, its process and, where they are installed, its hooks. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type CliVersion, OUTER_CLIS } from '../../lab/claude'
import { Lab, type LabWith } from '../../lab/lab'
import { hookCommand, type Lode } from '../../lab/lode'
import { until } from '../../lab/until'
import { hookSettings } from './hook-settings'

/** A CLI, and an installation that follows it and hears its hooks if it has them. */
async function followed(version: CliVersion, script: string, hasHooks: boolean) {
  const lab = new Lab()
  const settings = hasHooks ? hookSettings(hookCommand(join(lab.root, 'home'))) : {}
  const claude = await lab.addClaude({ version, script, settings })
  return { lab: Object.assign(lab, { claude }), lodeline: lab.addLode('home', { claudeRoots: [claude.claudeRoot] }) }
}

for (const version of OUTER_CLIS) {
  for (const hasHooks of [true, false]) {
    describe(`Claude Code ${version} ${hasHooks ? 'with' : 'without'} hooks`, () => {
      const id = crypto.randomUUID()
      let lab: LabWith<'claude'>
      let lodeline: Lode

      beforeAll(async () => {
        ;({ lab, lodeline } = await followed(version, 'resume', hasHooks))
        await lodeline.up()
      })

      afterAll(() => lab?.stop(), 30_000)

      const status = (wanted: string) =>
        until(`the status ${wanted}`, async () => {
          const found = await lodeline.client.sessions.get(id).catch(() => null)
          return found?.session.status === wanted && found.session.statusEvidence
        })

      test('running while a tool runs, lost when the process is killed, ended after a good end', async () => {
        const run = lab.claude.launch({ prompt: 'long', sessionId: id })
        await until('the long command', () => {
          const file = lab.claude.transcript(id)
          return existsSync(file) && readFileSync(file, 'utf8').includes('Long work')
        })
        expect(await status('running')).not.toBe('')
        await until('the running tool', async () => {
          const { tree } = await lodeline.client.sessions.tree(id)
          return tree.runningTools.length === 1 && tree.runningTools[0]?.name === 'Bash'
        })
        await run.crash()
        expect(await status('lost')).not.toBe('')
        await lab.claude.run({ prompt: 'carry on', resume: id })
        expect(await status('ended')).not.toBe('')
      })
    })
  }
}

for (const version of OUTER_CLIS) {
  for (const hasHooks of [true, false]) {
    test(`Claude Code ${version} ${hasHooks ? 'with' : 'without'} hooks: a conversation that is compacted by hand between two turns is idle after it`, async () => {
      const { lab, lodeline } = await followed(version, 'compaction', hasHooks)
      const id = crypto.randomUUID()
      const shown = async () => (await lodeline.client.sessions.get(id).catch(() => null))?.session
      // There as on every machine where the CLI ran before: else it may live and end before its new folder is watched.
      mkdirSync(join(lab.claude.claudeRoot, 'sessions'), { recursive: true })
      try {
        await lodeline.up()
        const working = lab.claude.steer({ sessionId: id })
        const written = () =>
          existsSync(lab.claude.transcript(id)) ? readFileSync(lab.claude.transcript(id), 'utf8') : ''
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
        else await until('an idle session', async () => (await shown())?.status === 'idle')
      } finally {
        await lab.stop()
      }
    })
  }
}
