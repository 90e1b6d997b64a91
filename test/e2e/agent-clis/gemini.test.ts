/** The real Gemini CLI at work while Lodeline records it, on both databases: the record keeps what the CLI's own retention deletes. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { Gemini } from '../../agents/gemini'
import { GEMINI_USAGE, type GeminiScripts } from '../../agents/scripted-gemini'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { killAll, processTree } from '../../lab/processes'
import { until } from '../../lab/until'

const todos = (first: string, second: string) => ({
  tool: 'write_todos',
  args: {
    todos: [
      { description: 'Look', status: first },
      { description: 'Paint', status: second },
    ],
  },
})
const SCRIPTS: GeminiScripts = {
  lighthouse: [
    [{ think: '**Colour** White, surely.' }, { text: 'I plan first.' }, todos('in_progress', 'pending')],
    [{ tool: 'run_shell_command', args: { command: 'exit 3' } }],
    [todos('completed', 'in_progress')],
    [{ text: 'The lighthouse is white.' }],
  ],
  again: [[{ text: 'Once more.' }]],
  family: [
    [{ tool: 'invoke_agent', args: { agent_name: 'generalist', prompt: 'Look @@leaf' } }],
    [{ text: 'The family is done.' }],
  ],
  leaf: [[{ tool: 'complete_task', args: { result: { response: 'Leaf done.' } } }]],
  slow: [[{ tool: 'run_shell_command', args: { command: 'sleep 300' } }], [{ text: 'Late.' }]],
}
const KINDS = ['sqlite', 'postgres'] as const

let lab: Lab
let gemini: Gemini
const lodes = new Map<string, Lode>()
/** A session of an earlier minute, which is resumed. */
const OLD = 'aaaaaaaa-0000-4000-8000-000000000001'
let main = ''

const files = (id: string): string[] => [
  ...new Glob(`tmp/*/chats/session-*-${id.slice(0, 8)}.jsonl`).scanSync(gemini.folder),
]

beforeAll(async () => {
  lab = new Lab()
  gemini = await Gemini.start(lab.folder('c'), SCRIPTS)
  lab.ending('gemini', () => gemini[Symbol.asyncDispose]())
  await gemini.run('Of old @@again', { id: OLD })
  const [name = ''] = files(OLD)
  renameSync(join(gemini.folder, name), join(gemini.folder, name.replace(/session-\d{4}-/, 'session-2025-')))
  for (const kind of KINDS) {
    const homes = { gemini: [gemini.folder] }
    const lode = lab.addLode(kind, { databaseUrl: await lab.addDatabase(kind), homes, cwd: gemini.project })
    await lode.up()
    lodes.set(kind, lode)
  }
})
afterAll(() => lab?.[Symbol.asyncDispose](), 60_000)

const lodeOf = (kind: string): Lode => {
  const lode = lodes.get(kind)
  if (lode === undefined) throw new Error(`no ${kind}`)
  return lode
}

/** A session as soon as it rests with these words. */
const rested = (lode: Lode, id: string, text: string) =>
  until(`the record of ${id}`, async () => {
    const { sessions } = await lode.client.sessions.list({ text: id })
    const session = sessions.find((one) => one.id === id && one.status === 'idle')
    if (session === undefined) return undefined
    const { stdout } = await lode.lode('session', 'show', id, '-c')
    return stdout.includes(text) ? session : undefined
  })

const exported = async (lode: Lode, id: string): Promise<Buffer[]> =>
  await Array.fromAsync(lode.client.sessions.export(id), async ({ bytes }) =>
    Buffer.concat(await Array.fromAsync(bytes)),
  )

describe('a conversation', () => {
  beforeAll(async () => {
    main = await gemini.run('Paint the lighthouse @@lighthouse')
  })

  for (const kind of KINDS)
    test(`is recorded while it goes on: once, whole, with its usage and its to-dos (${kind})`, async () => {
      const lode = lodeOf(kind)
      const session = await rested(lode, main, 'The lighthouse is white.')
      const { input, cached, output, thoughts } = GEMINI_USAGE
      expect(session).toMatchObject({
        ...{
          agent: 'gemini',
          title: 'Paint the lighthouse @@lighthouse',
          cwd: gemini.project,
          model: 'gemini-2.5-pro',
        },
        counts: { malformedLines: 0, toolCalls: 3 },
        usage: {
          inputTokens: 4 * (input - cached),
          cacheReadTokens: 4 * cached,
          outputTokens: 4 * (output + thoughts),
        },
      })
      const list = await lode.client.todos.list({ sessionId: main })
      expect(list.todos.map(({ content, status }) => [content, status])).toEqual([
        ['Look', 'completed'],
        ['Paint', 'in_progress'],
      ])
      const { stdout } = await lode.lode('session', 'show', main, '-c')
      for (const words of ['White, surely.', 'I plan first.', 'exit 3']) expect(stdout).toContain(words)
      expect((await lode.lode('search', 'lighthouse')).stdout).toContain(main.slice(0, 8))
      expect(await exported(lode, main)).toEqual([readFileSync(join(gemini.folder, files(main)[0] ?? 'none'))])
    })

  for (const kind of KINDS)
    test(`names its agent, and is found by it (${kind})`, async () => {
      const { client } = lodeOf(kind)
      await rested(lodeOf(kind), main, 'The lighthouse is white.')
      expect((await client.sessions.list({ agent: 'gemini' })).sessions.map(({ id }) => String(id))).toContain(main)
      expect((await client.sessions.list({ agent: 'codex' })).sessions).toEqual([])
    })
})

test('a sub-agent stands below the call that launched it, with what it used', async () => {
  const id = await gemini.run('Begin @@family')
  for (const kind of KINDS) {
    const lode = lodeOf(kind)
    await rested(lode, id, 'The family is done.')
    const [node] = await until('the sub-agent', async () => {
      const { subagents } = await lode.client.subagents.list({ sessionId: id })
      return subagents.length === 1 && subagents[0]?.status === 'completed' ? subagents : undefined
    })
    expect(node).toMatchObject({ type: 'generalist', depth: 1, model: 'gemini-2.5-pro' })
    expect(node?.toolUseId).toStartWith('invoke_agent__call_')
    expect(node?.resultPreview).toContain('Leaf done.')
    expect(node?.usage?.outputTokens).toBe(GEMINI_USAGE.output + GEMINI_USAGE.thoughts)
    expect((await exported(lode, id)).length).toBe(2)
  }
})

test('a turn that was killed is kept as far as it was written', async () => {
  const child = gemini.start('Wait @@slow', { id: 'bbbbbbbb-0000-4000-8000-000000000001' })
  for (const kind of KINDS)
    await until('the prompt', async () => {
      const { sessions } = await lodeOf(kind).client.sessions.list({ text: 'Wait @@slow' })
      return sessions[0]?.usage.outputTokens ? sessions[0] : undefined
    })
  killAll(processTree(child.pid))
  await child.exited
  for (const kind of KINDS) {
    const { sessions } = await lodeOf(kind).client.sessions.list({ text: 'Wait @@slow' })
    expect(sessions[0]?.counts).toMatchObject({ events: 2, malformedLines: 0 })
  }
})

test('what the retention of the CLI deletes is in the record still, and comes out of it byte for byte', async () => {
  // The resume opens a second file; the next start deletes every file of the session.
  await gemini.run('And now? @@again', { resume: OLD })
  const bytes = files(OLD).map((name) => readFileSync(join(gemini.folder, name)))
  expect(bytes.length).toBe(2)
  for (const kind of KINDS) {
    const session = await rested(lodeOf(kind), OLD, 'And now?')
    expect(session.usage.outputTokens).toBe(2 * (GEMINI_USAGE.output + GEMINI_USAGE.thoughts))
  }
  await gemini.run('Another @@again')
  expect(files(OLD)).toEqual([])
  const inOrder = (list: Buffer[]): Buffer[] => list.toSorted(Buffer.compare)
  for (const kind of KINDS) expect(inOrder(await exported(lodeOf(kind), OLD))).toEqual(inOrder(bytes))
})
