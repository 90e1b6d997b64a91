/** Sessions of several agent CLIs side by side: commands and pages name the CLI of each, and show those of one where it is asked for. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'

const FIXTURES = join(import.meta.dir, '../../fixtures')
const AGENTS = ['codex', 'gemini', 'qwen'] as const

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(kind, () => {
    let lab: Lab
    let lode: Lode

    beforeAll(async () => {
      lab = new Lab()
      lode = lab.addLode('l', { databaseUrl: await lab.addDatabase(kind) })
      await lode.up()
      for (const agent of AGENTS) cpSync(join(FIXTURES, agent), join(lab.folder(agent), 'files'), { recursive: true })
    })
    afterAll(() => lab?.[Symbol.asyncDispose](), 60_000)

    const json = async <Answer>(...words: string[]): Promise<Answer> => {
      const { exitCode, stdout, stderr } = await lode.lode(...words, '--json')
      if (exitCode !== 0) throw new Error(stderr)
      return JSON.parse(stdout) as Answer
    }
    type Sessions = { sessions: { id: string; agent: string }[] }

    test('an import tells the files of each CLI by themselves', async () => {
      for (const agent of AGENTS) {
        const { exitCode, stderr } = await lode.lode('import', join(lab.root, agent))
        expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 })
      }
      const { sessions } = await json<Sessions>('session', 'list', '--all')
      expect(new Set(sessions.map(({ agent }) => agent))).toEqual(new Set(AGENTS))
      expect((await lode.client.status()).sessions.byAgent).toEqual({ codex: 7, gemini: 8, qwen: 6 })
    })

    test('lists name the CLI where there are several, and show those of one', async () => {
      const all = await lode.lode('session', 'list')
      expect(all.stdout.split('\n', 1)[0]).toContain('CLI')
      for (const agent of AGENTS) {
        const { sessions } = await json<Sessions>('session', 'list', '--agent', agent)
        expect(new Set(sessions.map((session) => session.agent))).toEqual(new Set([agent]))
        expect((await lode.lode('session', 'show', sessions[0]?.id ?? '')).stdout).toContain(agent)
        const { hits } = await json<{ hits: { agent: string }[] }>('search', 'bug', '--agent', agent)
        expect(new Set(hits.map((hit) => hit.agent))).toEqual(new Set([agent]))
        const { rows } = await json<{ rows: { key: string }[] }>('cost', 'list', '--by', 'agent', '--agent', agent)
        expect(rows.map(({ key }) => key)).toEqual([agent])
        expect((await lode.client.tree.level({ agent })).entries.length).toBeGreaterThan(0)
      }
      // Also of one alone: the record has others.
      const { stdout } = await lode.lode('session', 'list', '--agent', 'codex')
      expect(stdout).toMatch(/^ID +CLI .*\n\S+ +codex /)
    })

    test('one session, and costs by session, name it as well', async () => {
      const { sessions } = await json<Sessions>('session', 'list', '--agent', 'gemini')
      const id = sessions[0]?.id ?? ''
      for (const what of ['tree', 'timeline'])
        expect((await lode.lode('session', what, id)).stdout.split('\n', 1)[0]).toContain(`${id}  gemini  `)
      expect((await lode.lode('cost', 'list', '--by', 'session')).stdout).toMatch(/ CLI +SESSION\n/)
    })

    test('a conversation names it too, and one that is a JSON document is exported as it is', async () => {
      const id = '22222222-2222-4222-8222-222222222225'
      expect((await lode.lode('session', 'show', id, '-c')).stdout.split('\n', 1)[0]).toStartWith(`${id}  codex  `)
      const { stdout, stderr } = await lode.lode('session', 'export', id, '--to', lab.folder('out'), '--json')
      expect({ stderr, ...JSON.parse(stdout) }).toMatchObject({ stderr: '', hasTranscript: true })
    })

    test('the server tells which are recorded, and what each can do', async () => {
      const { agentClis } = await lode.client.agentClis.list()
      expect(agentClis.filter(({ isRecorded }) => isRecorded).map(({ name }) => name)).toEqual([
        'gemini',
        'codex',
        'qwen',
      ])
      expect(agentClis.find(({ name }) => name === 'gemini')).toMatchObject({
        title: 'Gemini CLI',
        canRun: false,
        continuesIn: ['claude-code', 'codex', 'opencode', 'copilot', 'pi'],
      })
      expect(agentClis.find(({ name }) => name === 'codex')).toMatchObject({
        canRun: true,
        continuesIn: ['claude-code', 'opencode', 'copilot', 'pi'],
      })
    })

    test('a session of a CLI that is recorded only is no task of its own CLI, but of another', async () => {
      const { sessions } = await json<Sessions>('session', 'list', '--agent', 'gemini')
      const id = sessions[0]?.id ?? ''
      const refused = await lode.lode('session', 'resume', id, '--as-task')
      expect(refused.exitCode).not.toBe(0)
      expect(refused.stderr).toContain("Lodeline records Gemini CLI but can't run it.")
      expect(refused.stderr).toContain(`lode session resume ${id} --as-task --with claude-code`)
      const made = await lode.lode('session', 'resume', id, '--as-task', '--with', 'claude-code', '--json')
      expect({ exitCode: made.exitCode, stderr: made.stderr }).toMatchObject({ exitCode: 0 })
      expect(JSON.parse(made.stdout).task).toMatchObject({ neededClis: ['claude-code'], claudeSessionId: id })
    })

    test('a CLI that there is not is refused, with those that there are', async () => {
      for (const words of [
        ['session', 'list'],
        ['search', 'bug'],
        ['cost', 'list'],
      ]) {
        const { exitCode, stderr } = await lode.lode(...words, '--agent', 'copycat')
        expect(exitCode).not.toBe(0)
        expect(stderr).toContain("Lodeline knows no agent CLI 'copycat'.")
        expect(stderr).toMatch(/--agent takes one of .*claude-code/)
      }
    })
  })
}
