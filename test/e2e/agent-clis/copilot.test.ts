/** The real Copilot CLI at work while Lodeline records it: what the record holds is what its files hold. */

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { copilotHarness } from '../../../src/harness/copilot/agent-harness'
import { Copilot } from '../../agents/copilot'
import { CHAT_USAGE, type ChatScripts, chatText } from '../../agents/scripted-chat'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { killAll, processTree } from '../../lab/processes'
import { until } from '../../lab/until'

const SCRIPTS: ChatScripts = {
  lighthouse: [
    [
      { text: 'I plan first.' },
      {
        tool: 'sql',
        args: {
          description: 'Plan',
          query:
            "INSERT INTO todos (id, title, status) VALUES ('look', 'Look', 'in_progress'), ('paint', 'Paint', 'pending')",
        },
      },
    ],
    [{ tool: 'bash', args: { command: 'exit 3', description: 'Fails' } }],
    [
      {
        tool: 'sql',
        args: {
          description: 'Go on',
          query: "UPDATE todos SET status = 'done' WHERE id = 'look'; DELETE FROM todos WHERE id = 'paint'",
        },
      },
    ],
    [{ text: 'The lighthouse is white.' }],
  ],
  again: [[{ text: 'Once more.' }]],
  family: [
    [
      {
        tool: 'task',
        args: { name: 'm', description: 'Middle', prompt: 'Go down @@middle', agent_type: 'general-purpose' },
      },
    ],
    [{ text: 'The family is done.' }],
  ],
  middle: [
    [{ tool: 'task', args: { name: 'l', description: 'Leaf', prompt: 'Deeper @@leaf', agent_type: 'explore' } }],
    [{ text: 'Middle done.' }],
  ],
  leaf: [[{ text: 'Leaf done.' }]],
  slow: [
    [{ tool: 'bash', args: { command: 'sleep 300', description: 'Waits', initial_wait: 200 } }],
    [{ text: 'Late.' }],
  ],
}

for (const kind of ['sqlite', 'postgres'] as const) {
  describe(kind, () => {
    let lab: Lab
    let copilot: Copilot
    let lode: Lode
    const main = '0cb916db-26aa-40f2-86b5-1ba81b225fd2'

    beforeAll(async () => {
      lab = new Lab()
      copilot = await Copilot.start(lab.folder('c'), SCRIPTS)
      lab.ending('copilot', () => copilot[Symbol.asyncDispose]())
      const databaseUrl = await lab.addDatabase(kind)
      // The folder is not there yet: the CLI makes it at its first run.
      lode = lab.addLode('l', { databaseUrl, homes: { copilot: [copilot.folder] }, cwd: copilot.project })
      await lode.up()
    })
    afterAll(() => lab?.[Symbol.asyncDispose](), 60_000)

    /** A session as soon as its process has ended with this many answers. */
    const ended = (id: string, text: string) =>
      until(`the record of ${id}`, async () => {
        const { sessions } = await lode.client.sessions.list({ text: id })
        const session = sessions.find((one) => one.id === id && one.status === 'ended')
        if (session === undefined) return undefined
        const { stdout } = await lode.lode('session', 'show', id, '-c')
        return stdout.includes(text) ? session : undefined
      })

    const fileOf = (id: string, root = copilot.folder): string => join(root, 'session-state', id, 'events.jsonl')

    /** The files of a session as the record gives them back. */
    const exported = async (id: string) =>
      await Array.fromAsync(lode.client.sessions.export(id), async ({ bytes }) =>
        Buffer.concat(await Array.fromAsync(bytes)),
      )

    test('a conversation is recorded while it goes on: once, whole, with its usage', async () => {
      expect(await copilot.run('Paint the lighthouse @@lighthouse', { session: main })).toBe(main)
      const session = await ended(main, 'The lighthouse is white.')
      expect(session).toMatchObject({
        ...{
          agent: 'copilot',
          title: 'Paint the lighthouse @@lighthouse',
          cwd: copilot.project,
          model: 'scripted-model',
        },
        ...{ agentVersion: '1.0.102', gitBranch: 'main' },
        counts: { malformedLines: 0 },
        usage: {
          inputTokens: 4 * (CHAT_USAGE.input - CHAT_USAGE.cached),
          cacheReadTokens: 4 * CHAT_USAGE.cached,
          outputTokens: 4 * CHAT_USAGE.output,
        },
      })
      const { stdout } = await lode.lode('session', 'show', main, '-c')
      expect(stdout).toContain('I plan first.')
      expect((await lode.lode('search', 'lighthouse')).stdout).toContain(main.slice(0, 8))
    })

    test('its to-dos are those of the database that the CLI keeps', async () => {
      const { todos } = await lode.client.todos.list({ sessionId: main })
      const own = new Database(join(dirname(fileOf(main)), 'session.db'), { readonly: true })
      const rows = own.query<{ id: string; status: string }, []>('select id, status from todos').all()
      own.close()
      expect(rows).toEqual([{ id: 'look', status: 'done' }])
      expect(todos.map(({ nativeId, status }) => [nativeId, status])).toEqual([['look', 'completed']])
    })

    test('the record holds each line of the file that says something, and the bytes of the file', async () => {
      const bytes = readFileSync(fileOf(main))
      const harness = await copilotHarness.read()
      const ref = (await copilotHarness.files()).classify(fileOf(main))
      const { observations } = harness.parseLines(bytes, { ref: ref ?? ('none' as never), offset: 0 })
      const kinds = observations.filter(({ kind: one }) => one === 'kind')
      expect(kinds.filter((one) => !('isKnown' in one && one.isKnown))).toEqual([])
      const events = observations.filter(({ kind: one }) => one === 'event')
      expect((await lode.client.sessions.get(main)).session.counts.events).toBe(events.length)
      expect(await exported(main)).toEqual([bytes])
    })

    test('a resume goes on in the same session', async () => {
      expect(await copilot.run('And now? @@again', { session: main })).toBe(main)
      // The CLI tells its usage at its end, behind its last words.
      const tokens = 5 * CHAT_USAGE.output
      await until('the usage', async () => (await ended(main, 'Once more.')).usage.outputTokens === tokens)
    })

    test('a fork that the CLI makes names its origin, and counts what it adds', async () => {
      const copy = await copilot.fork(main)
      await copilot.run('And on @@again', { session: copy })
      const session = await ended(copy, 'Once more.')
      expect(session).toMatchObject({ forkedFrom: main, title: 'And on @@again' })
      expect(session.usage.outputTokens).toBe(CHAT_USAGE.output)
      const { todos } = await lode.client.todos.list({ sessionId: copy })
      expect(todos).toEqual([])
    })

    test('sub-agents stand below the calls that launched them, at any depth', async () => {
      const id = await copilot.run('Begin @@family')
      await ended(id, 'The family is done.')
      const { subagents } = await lode.client.subagents.list({ sessionId: id })
      const middle = subagents.find(({ depth }) => depth === 1)
      expect(middle).toMatchObject({ parentId: null, status: 'completed', resultPreview: 'Middle done.' })
      expect(middle?.toolUseId).toStartWith('call_')
      expect(subagents.find(({ depth }) => depth === 2)).toMatchObject({
        ...{ parentId: middle?.id ?? null, parentToolUseId: middle?.toolUseId ?? null, resultPreview: 'Leaf done.' },
      })
    })

    test('a turn that was killed is kept as far as it went, with its usage, and goes on after a resume', async () => {
      const child = copilot.start('Wait @@slow')
      const id = await until('the call', async () => {
        const { sessions } = await lode.client.sessions.list({ text: 'Wait @@slow' })
        return sessions.find(({ counts }) => counts.toolCalls > 0)?.id
      })
      killAll(processTree(child.pid))
      await child.exited
      expect(await copilot.run('Again @@again', { session: id })).toBe(id)
      expect((await ended(id, 'Once more.')).usage.outputTokens).toBe(2 * CHAT_USAGE.output)
      expect(await exported(id)).toEqual([readFileSync(fileOf(id))])
    })

    test('on another machine the CLI goes on with what the record gives back', async () => {
      const home = lab.folder('elsewhere')
      const path = fileOf(main, join(home, '.copilot'))
      mkdirSync(dirname(path), { recursive: true })
      const [bytes = Buffer.alloc(0)] = await exported(main)
      writeFileSync(path, bytes)
      expect(await copilot.run('Here too @@again', { session: main, home })).toBe(main)
      const words = copilot.model.requests.at(-1)?.messages.map(chatText).join('\n')
      expect(words).toContain('The lighthouse is white.')
      expect(readFileSync(path).subarray(0, bytes.length)).toEqual(bytes)
    })

    test('a folder of another machine is imported, and again without effect', async () => {
      const sessions = async () =>
        (await lode.client.sessions.list({ agent: 'copilot' })).sessions
          .map(({ id, counts }) => [id, counts])
          .toSorted()
      const before = await sessions()
      const { exitCode, stdout } = await lode.lode('import', join(copilot.folder, 'session-state'))
      expect({ exitCode, stdout }).toMatchObject({ exitCode: 0 })
      expect(await sessions()).toEqual(before)
    })
  })
}
