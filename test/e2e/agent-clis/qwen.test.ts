/** The real Qwen Code at work while Lodeline records it, on both databases: what the record holds is what its files hold. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { Qwen } from '../../agents/qwen'
import { CHAT_USAGE, type ChatScripts, chatText } from '../../agents/scripted-chat'
import { Lab } from '../../lab/lab'
import type { Lode } from '../../lab/lode'
import { until } from '../../lab/until'

const todos = (first: string, second: string) => ({
  tool: 'todo_write',
  args: {
    todos: [
      { id: '1', content: 'Look', status: first },
      { id: '2', content: 'Paint', status: second },
    ],
  },
})
const SCRIPTS: ChatScripts = {
  lighthouse: [
    [{ think: 'White, surely.' }, { text: 'I plan first.' }, todos('in_progress', 'pending')],
    [{ tool: 'run_shell_command', args: { command: 'exit 3', is_background: false } }],
    [todos('completed', 'in_progress')],
    [{ text: 'The lighthouse is white.' }],
  ],
  again: [[{ text: 'Once more.' }]],
  family: [
    [{ tool: 'agent', args: { description: 'Look', prompt: 'Look @@leaf', subagent_type: 'general-purpose' } }],
    [{ text: 'The family is done.' }],
  ],
  leaf: [[{ text: 'Leaf done.' }]],
}
const KINDS = ['sqlite', 'postgres'] as const

let lab: Lab
let qwen: Qwen
const lodes: Lode[] = []
let main = ''

beforeAll(async () => {
  lab = new Lab()
  qwen = await Qwen.start(lab.folder('c'), SCRIPTS)
  lab.ending('qwen', () => qwen[Symbol.asyncDispose]())
  for (const kind of KINDS) {
    const homes = { qwen: [qwen.folder] }
    const lode = lab.addLode(kind, { databaseUrl: await lab.addDatabase(kind), homes, cwd: qwen.project })
    await lode.up()
    lodes.push(lode)
  }
})
afterAll(() => lab?.[Symbol.asyncDispose](), 60_000)

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

const fileOf = (id: string): Buffer =>
  readFileSync(join(qwen.folder, [...new Glob(`projects/*/chats/${id}.jsonl`).scanSync(qwen.folder)][0] ?? 'none'))

test('a conversation is recorded while it goes on: once, whole, with its usage and its to-dos', async () => {
  main = await qwen.run('Paint the lighthouse @@lighthouse')
  // What the CLI asks for its memory counts too, and no reply reports it.
  const asked = qwen.model.requests.length
  for (const lode of lodes) {
    const session = await rested(lode, main, 'The lighthouse is white.')
    expect(session).toMatchObject({
      ...{ agent: 'qwen', title: 'Paint the lighthouse @@lighthouse', cwd: qwen.project, model: 'scripted-model' },
      ...{ agentVersion: '0.24.4', counts: { malformedLines: 0, toolCalls: 3 } },
      usage: {
        inputTokens: asked * (CHAT_USAGE.input - CHAT_USAGE.cached),
        cacheReadTokens: asked * CHAT_USAGE.cached,
        outputTokens: asked * CHAT_USAGE.output,
      },
    })
    const list = await lode.client.todos.list({ sessionId: main })
    expect(list.todos.map(({ content, status }) => [content, status])).toEqual([
      ['Look', 'completed'],
      ['Paint', 'in_progress'],
    ])
    const { stdout } = await lode.lode('session', 'show', main, '-c')
    for (const words of ['I plan first.', 'exit 3']) expect(stdout).toContain(words)
    expect(await exported(lode, main)).toEqual([fileOf(main)])
  }
})

test('a resume goes on in the same session', async () => {
  expect(await qwen.run('And now? @@again', { resume: main })).toBe(main)
  const sent = qwen.model.requests.flatMap(({ messages }) => messages.map(chatText))
  expect(sent.some((text) => text.includes('And now?'))).toBe(true)
  for (const lode of lodes) {
    await rested(lode, main, 'Once more.')
    expect(await exported(lode, main)).toEqual([fileOf(main)])
  }
})

test('a sub-agent in the background stands below its call, with its model, its tokens and its result', async () => {
  const id = await qwen.run('Begin @@family')
  for (const lode of lodes) {
    await rested(lode, id, 'The family is done.')
    const [node] = await until('the sub-agent', async () => {
      const { subagents } = await lode.client.subagents.list({ sessionId: id })
      return subagents.length === 1 && subagents[0]?.status === 'completed' ? subagents : undefined
    })
    expect(node).toMatchObject({
      ...{ type: 'general-purpose', description: 'Look', depth: 1, model: 'scripted-model' },
      ...{ background: true, resultPreview: 'Leaf done.' },
    })
    expect(node?.toolUseId).toStartWith('call_')
    expect(node?.usage?.outputTokens).toBe(CHAT_USAGE.output)
    expect((await exported(lode, id)).length).toBe(3)
  }
})

test('a folder of another machine is imported, sub-agents included, and again without effect', async () => {
  const copy = lab.folder('copy')
  cpSync(join(qwen.folder, 'projects'), join(copy, 'projects'), { recursive: true })
  for (const lode of lodes) {
    const counts = async () =>
      (await lode.client.sessions.list({ agent: 'qwen' })).sessions.map(({ id, counts: all }) => [id, all]).toSorted()
    const before = await counts()
    const { exitCode } = await lode.lode('import', copy)
    expect(exitCode).toBe(0)
    expect(await counts()).toEqual(before)
    expect((await lode.client.sessions.list({ agent: 'claude-code' })).sessions).toEqual([])
  }
})
