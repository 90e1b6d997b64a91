/** The real Codex CLI at work while Lodeline records it: what the record holds is what its files hold. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { codexHarness } from '../../../src/harness/codex/agent-harness'
import { Codex } from '../../agents/codex'
import { type Step, USAGE } from '../../agents/scripted-model'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { killAll, processTree } from '../../lab/processes'
import { until } from '../../lab/until'

const SPACE = 'multi_agent_v1'
const SCRIPTS: Record<string, Step[]> = {
  lighthouse: [
    [
      { text: 'I plan first.' },
      {
        tool: 'update_plan',
        args: {
          plan: [
            { step: 'Look', status: 'in_progress' },
            { step: 'Paint', status: 'pending' },
          ],
        },
      },
    ],
    [{ tool: 'exec_command', args: { cmd: 'exit 3' } }],
    [{ text: 'The lighthouse is white.' }],
  ],
  again: [[{ text: 'Once more.' }]],
  family: [
    [{ tool: 'spawn_agent', namespace: SPACE, args: { message: 'Go down @@middle' } }],
    [{ tool: 'exec_command', args: { cmd: 'sleep 3', yield_time_ms: 5_000 } }],
    [{ text: 'The family is done.' }],
  ],
  middle: [[{ tool: 'spawn_agent', namespace: SPACE, args: { message: 'Deeper @@leaf' } }], [{ text: 'Middle done.' }]],
  leaf: [[{ text: 'Leaf done.' }]],
  slow: [[{ tool: 'exec_command', args: { cmd: 'sleep 300', yield_time_ms: 60_000 } }], [{ text: 'Late.' }]],
}

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(kind, () => {
    let lab: Lab
    let codex: Codex
    let lode: Lode
    let main = ''

    beforeAll(async () => {
      lab = new Lab()
      codex = await Codex.start(lab.folder('c'), SCRIPTS)
      lab.ending('codex', () => codex[Symbol.asyncDispose]())
      const databaseUrl = await lab.addDatabase(kind)
      // The folder is not there yet: the CLI makes it at its first run.
      lode = lab.addLode('l', { databaseUrl, homes: { codex: [codex.folder] }, cwd: codex.project })
      await lode.up()
    })
    afterAll(() => lab?.[Symbol.asyncDispose](), 60_000)

    /** A session as soon as it rests with this many answers. */
    const rested = (id: string, text: string) =>
      until(`the record of ${id}`, async () => {
        const { stdout } = await lode.lode('session', 'show', id, '-c')
        if (!stdout.includes(text)) return undefined
        // Asked for after its last words, so that it counts them.
        const { sessions } = await lode.client.sessions.list({ text: id })
        // Its process may have been seen, and seen to be gone.
        return sessions.find((one) => one.id === id && (one.status === 'idle' || one.status === 'ended'))
      })

    const rolloutOf = (id: string): string => {
      const [name] = [...new Glob(`sessions/**/*${id}.jsonl`).scanSync(codex.folder)]
      return join(codex.folder, name ?? 'none')
    }

    /** The files of a session as the record gives them back. */
    const exported = async (id: string) =>
      await Array.fromAsync(lode.client.sessions.export(id), async ({ bytes }) => ({
        bytes: Buffer.concat(await Array.fromAsync(bytes)),
      }))

    test('a conversation is recorded while it goes on: once, whole, with its usage and its plan', async () => {
      main = await codex.run('Paint the lighthouse @@lighthouse')
      const session = await rested(main, 'The lighthouse is white.')
      expect(session).toMatchObject({
        ...{ agent: 'codex', title: 'Paint the lighthouse @@lighthouse', cwd: codex.project, model: 'scripted-model' },
        ...{ agentVersion: '0.169.0', gitBranch: 'main' },
        counts: { malformedLines: 0 },
        usage: {
          inputTokens: 3 * (USAGE.input - USAGE.cached),
          cacheReadTokens: 3 * USAGE.cached,
          outputTokens: 3 * USAGE.output,
        },
      })
      const { todos } = await lode.client.todos.list({ sessionId: main })
      expect(todos.map(({ content, status }) => [content, status])).toEqual([
        ['Look', 'in_progress'],
        ['Paint', 'pending'],
      ])
      const { stdout } = await lode.lode('session', 'show', main, '-c')
      expect(stdout).toContain('I plan first.')
      expect((await lode.lode('search', 'lighthouse')).stdout).toContain(main.slice(0, 8))
    })

    test('the record holds each line of the file that says something, and the bytes of the file', async () => {
      const bytes = readFileSync(rolloutOf(main))
      const harness = await codexHarness.read()
      const ref = (await codexHarness.files()).classify(rolloutOf(main), bytes)
      const { observations } = harness.parseLines(bytes, { ref: ref ?? ('none' as never), offset: 0 })
      const events = observations.filter(({ kind: one }) => one === 'event')
      expect((await lode.client.sessions.get(main)).session.counts.events).toBe(events.length)
      expect((await exported(main)).map((file) => file.bytes)).toEqual([bytes])
    })

    test('a resume goes on in the same session, and a fork is one of its own', async () => {
      expect(await codex.run('And now? @@again', { resume: main })).toBe(main)
      expect((await rested(main, 'Once more.')).usage.outputTokens).toBe(4 * USAGE.output)
      const fork = await codex.run('Another way @@again', { fork: main })
      expect(await rested(fork, 'Once more.')).toMatchObject({
        forkedFrom: main,
        usage: { outputTokens: USAGE.output },
      })
    })

    test('sub-agents stand below the calls that launched them, at any depth', async () => {
      const id = await codex.run('Begin @@family', { config: { 'agents.max_depth': '3' } })
      await rested(id, 'The family is done.')
      const nodes = await until('both sub-agents', async () => {
        const { subagents } = await lode.client.subagents.list({ sessionId: id })
        return subagents.length === 2 && subagents.every(({ status }) => status === 'completed') ? subagents : undefined
      })
      const middle = nodes.find(({ depth }) => depth === 1)
      expect(middle).toMatchObject({ parentId: null, resultPreview: 'Middle done.' })
      expect(middle?.toolUseId).toStartWith('call_')
      expect(nodes.find(({ depth }) => depth === 2)).toMatchObject({
        ...{ parentId: middle?.id ?? null, parentToolUseId: middle?.toolUseId ?? null, resultPreview: 'Leaf done.' },
      })
      expect((await exported(id)).length).toBe(3)
    })

    test('a turn that was killed is kept as far as it went, and goes on after a resume', async () => {
      const child = codex.start('Wait @@slow')
      const id = await until('the call', async () => {
        const { sessions } = await lode.client.sessions.list({ text: 'Wait @@slow' })
        return sessions.find(({ counts }) => counts.toolCalls > 0)?.id
      })
      // With the program that the wrapper of npm starts.
      killAll(processTree(child.pid))
      await child.exited
      expect(await codex.run('Again @@again', { resume: id })).toBe(id)
      await rested(id, 'Once more.')
      expect((await exported(id))[0]?.bytes).toEqual(readFileSync(rolloutOf(id)))
    })

    test('a rollout that the CLI packs stays the same journal, and goes on in it', async () => {
      const path = rolloutOf(main)
      const whole = readFileSync(path)
      const { session: before } = await lode.client.sessions.get(main)
      const weekAgo = (Date.now() - 8 * 86_400_000) / 1_000
      utimesSync(path, weekAgo, weekAgo)
      await codex.run('Tidy up @@again', { config: { 'features.local_thread_store_compression': 'true' } })
      await until('the packed file', () => existsSync(`${path}.zst`) && !existsSync(path))
      // Everything that is there now is looked at.
      const { exitCode, stdout } = await lode.lode('import', codex.folder, '--json')
      expect({ exitCode, ...JSON.parse(stdout) }).toMatchObject({ exitCode: 0, problems: [] })
      const { session: after } = await lode.client.sessions.get(main)
      expect(after.counts).toEqual(before.counts)
      expect((await exported(main))[0]?.bytes).toEqual(whole)
      expect(await codex.run('Unpacked @@again', { resume: main })).toBe(main)
      expect(readFileSync(path).subarray(0, whole.length)).toEqual(whole)
      await until('the rest', async () => (await exported(main))[0]?.bytes.equals(readFileSync(path)))
      const { journals } = await lode.client.sessions.journals(main)
      expect(journals.map((each) => [each.path, each.incarnations.length])).toEqual([[path, 1]])
      // One that comes packed, of a thread that was never seen.
      const other = crypto.randomUUID()
      const text = whole.toString().replaceAll(main, other)
      writeFileSync(`${path.replace(main, other)}.zst`, Bun.zstdCompressSync(text))
      expect((await rested(other, 'The lighthouse is white.')).counts).toEqual(before.counts)
      expect((await exported(other))[0]?.bytes.toString()).toBe(text)
    })

    test('on another machine the CLI goes on with what the record gives back', async () => {
      const home = lab.folder('elsewhere')
      const path = rolloutOf(main).replace(codex.folder, join(home, '.codex'))
      mkdirSync(dirname(path), { recursive: true })
      const [file] = await exported(main)
      writeFileSync(path, file?.bytes ?? '')
      expect(await codex.run('Here too @@again', { resume: main, home })).toBe(main)
      expect(readFileSync(path).subarray(0, file?.bytes.length)).toEqual(file?.bytes ?? Buffer.alloc(0))
    })

    test('a folder of another machine is imported, sub-agents included, and again without effect', async () => {
      const copy = lab.folder('copy')
      cpSync(join(codex.folder, 'sessions'), join(copy, 'sessions'), { recursive: true })
      const before = (await lode.client.sessions.list({ agent: 'codex' })).sessions.map(({ id, counts }) => [
        id,
        counts,
      ])
      const { exitCode, stdout } = await lode.lode('import', copy)
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      const after = (await lode.client.sessions.list({ agent: 'codex' })).sessions.map(({ id, counts }) => [id, counts])
      expect(after.toSorted()).toEqual(before.toSorted())
    })
  })
}
