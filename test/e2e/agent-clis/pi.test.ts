/** The real Pi at work while Lodeline records it: what the record holds is what its files hold. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Glob } from 'bun'
import { piHarness } from '../../../src/harness/pi/agent-harness'
import { Pi } from '../../agents/pi'
import { CHAT_USAGE, type ChatScripts, chatText } from '../../agents/scripted-chat'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { killAll, processTree } from '../../lab/processes'
import { until } from '../../lab/until'

const SCRIPTS: ChatScripts = {
  lighthouse: [
    [{ think: 'White, surely.' }, { text: 'I look first.' }, { tool: 'bash', args: { command: 'exit 3' } }],
    [{ tool: 'write', args: { path: 'paint.txt', content: 'white\n' } }],
    [{ text: 'The lighthouse is white.' }],
  ],
  again: [[{ text: 'Once more.' }]],
  slow: [[{ tool: 'bash', args: { command: 'sleep 300' } }], [{ text: 'Late.' }]],
}

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(kind, () => {
    let lab: Lab
    let pi: Pi
    let lode: Lode
    let main = ''

    beforeAll(async () => {
      lab = new Lab()
      pi = await Pi.start(lab.folder('c'), SCRIPTS)
      lab.ending('pi', () => pi[Symbol.asyncDispose]())
      const databaseUrl = await lab.addDatabase(kind)
      const settings = { 'agents.pi.executable': pi.program() }
      lode = lab.addLode('l', { databaseUrl, homes: { pi: [pi.folder] }, cwd: pi.project, settings })
      await lode.up()
    })
    afterAll(() => lab?.[Symbol.asyncDispose](), 60_000)

    /** A session as soon as it rests with this answer. */
    const rested = (id: string, text: string) =>
      until(`the record of ${id}`, async () => {
        const { sessions } = await lode.client.sessions.list({ text: id })
        const session = sessions.find((one) => one.id === id && one.status === 'idle')
        if (session === undefined) return undefined
        const { stdout } = await lode.lode('session', 'show', id, '-c')
        return stdout.includes(text) ? session : undefined
      })

    const fileOf = (id: string): string => {
      const [name] = [...new Glob(`sessions/**/*_${id}.jsonl`).scanSync(pi.folder)]
      return join(pi.folder, name ?? 'none')
    }

    /** The files of a session as the record gives them back. */
    const exported = async (id: string) =>
      await Array.fromAsync(lode.client.sessions.export(id), async ({ bytes }) =>
        Buffer.concat(await Array.fromAsync(bytes)),
      )

    test('a conversation is recorded once, whole, with its tokens', async () => {
      main = await pi.run('Paint the lighthouse @@lighthouse')
      expect(await rested(main, 'The lighthouse is white.')).toMatchObject({
        ...{ agent: 'pi', title: 'Paint the lighthouse @@lighthouse', cwd: pi.project, model: 'scripted-model' },
        counts: { malformedLines: 0, toolCalls: 2 },
        usage: {
          inputTokens: 3 * (CHAT_USAGE.input - CHAT_USAGE.cached),
          cacheReadTokens: 3 * CHAT_USAGE.cached,
          outputTokens: 3 * CHAT_USAGE.output,
        },
      })
      expect((await lode.lode('session', 'show', main, '-c')).stdout).toContain('I look first.')
      expect((await lode.lode('search', 'lighthouse')).stdout).toContain(main.slice(0, 8))
      expect((await lode.lode('session', 'resume', main, '--print')).stdout).toContain(`/pi --session ${main}`)
      expect((await lode.lode('doctor')).stdout).toContain('0 unknown')
    })

    test('the record holds each entry of the file, and the bytes of the file', async () => {
      const bytes = readFileSync(fileOf(main))
      const harness = await piHarness.read()
      const ref = (await piHarness.files()).classify(fileOf(main))
      const { observations } = harness.parseLines(bytes, { ref: ref ?? ('none' as never), offset: 0 })
      const events = observations.filter(({ kind: one }) => one === 'event')
      expect((await lode.client.sessions.get(main)).session.counts.events).toBe(events.length)
      expect(await exported(main)).toEqual([bytes])
    })

    test('a resume goes on in the same session, and a fork is one of its own', async () => {
      expect(await pi.run('And now? @@again', { resume: main })).toBe(main)
      expect((await rested(main, 'Once more.')).usage.outputTokens).toBe(4 * CHAT_USAGE.output)
      const fork = await pi.run('Another way @@again', { fork: main })
      // Its copy of the origin has the same words, and a list is not one moment of the record: all of it is waited for.
      await until('the record of the fork', async () => {
        const { sessions } = await lode.client.sessions.list({ text: fork })
        const { forkedFrom, title, usage } = sessions.find(({ id }) => id === fork) ?? {}
        const isRead = forkedFrom === main && title === 'Another way @@again'
        return isRead && usage?.outputTokens === CHAT_USAGE.output
      })
    })

    test('a turn that was killed is kept as far as it went, and goes on after a resume', async () => {
      const child = pi.start('Wait @@slow')
      const id = await until('the call', async () => {
        const { sessions } = await lode.client.sessions.list({ text: 'Wait @@slow' })
        return sessions.find(({ counts }) => counts.toolCalls > 0)?.id
      })
      killAll(processTree(child.pid))
      await child.exited
      expect(await pi.run('Again @@again', { resume: id })).toBe(id)
      await rested(id, 'Once more.')
      expect((await exported(id))[0]).toEqual(readFileSync(fileOf(id)))
    })

    test('on another machine it goes on with what the record gives back, and knows what was said', async () => {
      const home = lab.folder('elsewhere')
      pi.prepare(home)
      const path = join(home, 'given-back', fileOf(main).split('/').at(-1) ?? '')
      mkdirSync(dirname(path), { recursive: true })
      const [bytes] = await exported(main)
      writeFileSync(path, bytes ?? '')
      expect(await pi.run('Here too @@again', { resume: path, home })).toBe(main)
      expect(readFileSync(path).subarray(0, bytes?.length)).toEqual(bytes ?? Buffer.alloc(0))
      expect(pi.model.requests.at(-1)?.messages.map(chatText)).toContain('The lighthouse is white.')
    })

    test('a folder of another machine is imported, and again without effect', async () => {
      const copy = lab.folder('copy')
      cpSync(join(pi.folder, 'sessions'), join(copy, 'sessions'), { recursive: true })
      const look = async () =>
        (await lode.client.sessions.list({ agent: 'pi' })).sessions.map(({ id, counts }) => [id, counts])
      const before = await look()
      const { exitCode, stdout } = await lode.lode('import', copy)
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      expect((await look()).toSorted()).toEqual(before.toSorted())
    })
  })
}
