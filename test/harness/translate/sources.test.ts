/** What is read of conversations of Pi, opencode, Copilot CLI, Gemini CLI and Qwen Code: of files that they wrote, and of lines made by hand. */
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import type { NeutralConversation } from '../../../src/domain/harness/translation'
import { copilot } from '../../../src/harness/copilot'
import { copilotTranslation } from '../../../src/harness/copilot/translate'
import { gemini } from '../../../src/harness/gemini'
import { geminiTranslation } from '../../../src/harness/gemini/translate'
import { opencodeTranslation } from '../../../src/harness/opencode/translate'
import { piTranslation } from '../../../src/harness/pi/translate'
import { qwen } from '../../../src/harness/qwen'
import { qwenTranslation } from '../../../src/harness/qwen/translate'
import { filesOf } from '../agent-fixtures'
import { journalsOfStory, type Story } from '../opencode/database'

const AT = '2026-01-01T00:00:00Z'
const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`
const bytesOf = (lines: readonly object[]): Uint8Array =>
  Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

/** One line for each part. */
const told = ({ parts }: NeutralConversation): string[] =>
  parts.map((part) => {
    if (part.kind !== 'call') return `${part.kind}: ${part.text.slice(0, 60)}`
    const { name, answer } = part
    return `${name} -> ${answer?.isError === true ? 'failed: ' : ''}${answer?.text.split('\n', 1)[0]?.slice(0, 40)}`
  })

describe('Pi', () => {
  const message = (id: string, parentId: string | null, role: string, text: string, more: object = {}) => ({
    ...{ type: 'message', id, parentId, timestamp: AT },
    message: { role, content: [{ type: 'text', text }], ...more },
  })
  const header = { type: 'session', version: 3, id: 's', timestamp: AT, cwd: '/p' }
  const read = (...lines: object[]) => piTranslation.read([bytesOf([header, ...lines])])

  test('the branch that ends with the last entry, without prompts of the CLI, errors and what was kept from the model', () => {
    const { parts, leftOut } = read(
      message('a', null, 'system', 'Be good.'),
      message('b', 'a', 'user', 'Begin'),
      message('c', 'b', 'assistant', 'A way that was left.'),
      {
        ...message('d', 'b', 'assistant', ''),
        message: {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.' },
            { type: 'text', text: 'Another way.' },
          ],
          errorMessage: 'overloaded',
        },
      },
      { type: 'custom_message', id: 'e', parentId: 'd', timestamp: AT, customType: 'x', content: 'A reminder.' },
      message('f', 'e', 'bashExecution', '', { command: 'ls', output: 'a', excludeFromContext: true }),
      message('g', 'f', 'bashExecution', '', { command: 'pwd', output: '/p' }),
      message('h', 'g', 'user', 'Go on'),
    )
    expect(told({ parts, leftOut })).toEqual([
      'person: Begin',
      'agent: Another way.',
      'person: $ pwd\n/p',
      'person: Go on',
    ])
    expect(leftOut.thinking).toBe(1)
  })

  test('a compaction leaves its summary and what it kept, and an entry that was edited is what it was made', () => {
    const conversation = read(
      message('a', null, 'user', 'Old'),
      message('b', 'a', 'assistant', 'Kept.'),
      { type: 'compaction', id: 'c', parentId: 'b', timestamp: AT, summary: 'In short', firstKeptEntryId: 'b' },
      message('d', 'c', 'user', 'A secret'),
      message('e', 'd', 'user', 'Too much'),
      {
        type: 'context_edit',
        id: 'f',
        parentId: 'e',
        timestamp: AT,
        targetId: 'd',
        replacement: { content: 'Nothing' },
      },
      { type: 'context_edit', id: 'g', parentId: 'f', timestamp: AT, targetId: 'e', replacement: null },
    )
    expect(told(conversation)).toEqual(['person: In short', 'agent: Kept.', 'person: Nothing'])
  })

  test('entries of the first releases follow one another', () => {
    const line = (role: string, text: string) => ({ type: 'message', timestamp: AT, message: { role, content: text } })
    expect(told(read(line('user', 'One'), line('assistant', 'Two')))).toEqual(['person: One', 'agent: Two'])
  })

  test('a compaction of the first releases counts the entries up to the first that it kept, the header included', () => {
    const line = (role: string, text: string) => ({ type: 'message', timestamp: AT, message: { role, content: text } })
    const compaction = { type: 'compaction', timestamp: AT, summary: 'In short', firstKeptEntryIndex: 2 }
    const conversation = read(line('user', 'Old'), line('assistant', 'Kept.'), compaction, line('user', 'New'))
    expect(told(conversation)).toEqual(['person: In short', 'agent: Kept.', 'person: New'])
  })
})

describe('Copilot CLI', () => {
  const read = (...lines: object[]) => copilotTranslation.read([bytesOf(lines)])
  const line = (type: string, data: object, more: object = {}) => ({ type, data, id: uuid(1), timestamp: AT, ...more })
  const message = (content: string, more: object = {}) =>
    line('assistant.message', { content, toolRequests: [], ...more })

  test('what it wrote: calls with their answers, without its own instructions', () => {
    const [file] = filesOf(copilot, 'plan')
    const parts = told(copilotTranslation.read([file?.bytes ?? Buffer.alloc(0)]))
    expect(parts[0]).toStartWith('person: ')
    expect(parts.some((part) => part.includes('You are the GitHub Copilot CLI'))).toBe(false)
    expect(parts.filter((part) => part.endsWith('-> undefined'))).toEqual([])
  })

  test('sub-agents and what is said under a person\u2019s name stay behind', () => {
    const conversation = read(
      line('user.message', { content: 'Begin' }),
      line('user.message', { content: 'From a sub-agent', source: 'agent-1' }),
      line('assistant.message', { content: 'Of the sub-agent' }, { agentId: 'a' }),
      message('', { reasoningText: 'Hm.', toolRequests: [{ toolCallId: 'c1', name: 'bash', arguments: {} }] }),
      line('tool.execution_complete', { toolCallId: 'c1', success: false, error: { message: 'no' } }),
      line('tool.execution_complete', { toolCallId: 'c2', success: true, result: { content: 'lost' } }),
      message('Done.'),
    )
    expect(told(conversation)).toEqual(['person: Begin', 'bash -> failed: no', 'agent: Done.'])
    expect(conversation.leftOut).toEqual({ thinking: 1, cut: 0, answers: 1 })
  })

  test('a compaction leaves its summary, and what was said while it was made', () => {
    const conversation = read(
      line('user.message', { content: 'Old' }),
      line('session.compaction_start', {}),
      message('Meanwhile.'),
      line('session.compaction_complete', { success: true, summaryContent: 'In short' }),
      line('session.compaction_start', {}),
      line('session.compaction_complete', { success: false, error: 'no' }),
      message('After.'),
    )
    expect(told(conversation)).toEqual(['person: In short', 'agent: Meanwhile.', 'agent: After.'])
    expect(told(read(message('Old.'), line('session.context_cleared', {}), message('New.')))).toEqual(['agent: New.'])
  })
})

describe('opencode', () => {
  async function story(name: Story): Promise<NeutralConversation> {
    const home = mkdtempSync('/tmp/ld-')
    try {
      const [journal] = await journalsOfStory(home, name)
      return opencodeTranslation.read([journal?.bytes ?? Buffer.alloc(0)])
    } finally {
      rmSync(home, { recursive: true, force: true })
    }
  }

  test('what it wrote: calls with their answers, and after a compaction its summary', async () => {
    const plan = told(await story('plan'))
    expect(plan[0]).toStartWith('person: ')
    expect(plan.filter((part) => part.startsWith('todowrite -> ')).length).toBeGreaterThan(0)
    const compacted = await story('compact')
    expect(compacted.parts[0]?.kind).toBe('person')
    expect(compacted.parts.length).toBeGreaterThan(0)
  })

  test('what was taken back and what the CLI says under a person\u2019s name stay behind', () => {
    const row = (table: string, id: string, data: object, more: object = {}) => ({
      ...{ table, id, version: '1' },
      row: {
        id,
        session_id: 's',
        message_id: `m${id.slice(1)}`,
        time_created: Number(id.slice(1)) || 1,
        data,
        ...more,
      },
    })
    const text = (id: string, words: string, more: object = {}) =>
      row('part', id, { type: 'text', text: words, ...more })
    const conversation = opencodeTranslation.read([
      bytesOf([
        { table: 'session', id: 's', version: '1', row: { id: 's', revert: '{"messageID":"m3"}' } },
        ...[1, 3].map((n) => row('message', `m${n}`, { role: 'user', summary: { diffs: [] } })),
        row('message', 'm2', { role: 'assistant' }),
        text('p1', 'Begin'),
        { ...text('p1', 'A note', { synthetic: true }), id: 'q1' },
        text('p2', 'Here.'),
        text('p3', 'Taken back'),
      ]),
    ])
    expect(told(conversation)).toEqual(['person: Begin', 'agent: Here.'])
  })
})

describe('Gemini CLI', () => {
  const read = (...lines: object[]) => geminiTranslation.read([bytesOf(lines)])
  const message = (id: string, type: string, text: string, more: object = {}) => ({
    ...{ id, timestamp: AT, type, content: [{ text }], ...more },
  })

  test('what it wrote: a reply that stands twice is one, with the answers of its calls', () => {
    const [file] = filesOf(gemini, 'errors')
    expect(told(geminiTranslation.read([file?.bytes ?? Buffer.alloc(0)]))).toEqual([
      'person: x @@bad',
      'no_such_tool -> failed: Tool "no_such_tool" not found. Did you m',
      'read_file -> failed: File not found: /home/user/project/missi',
      'agent: Done.',
    ])
  })

  test('a step back and a changed whole count, and documents of 2025 are read', () => {
    const context = message('0', 'user', '<session_context>\nHere.')
    const lines = [context, message('1', 'user', 'One'), message('2', 'gemini', 'Two'), message('3', 'user', 'Three')]
    expect(told(read(...lines, { $rewindTo: '2' }))).toEqual(['person: One'])
    expect(told(read(...lines, { $set: { messages: [message('4', 'user', 'Anew')] } }))).toEqual(['person: Anew'])
    const document = Buffer.from(JSON.stringify({ sessionId: 's', projectHash: 'h', messages: lines }, null, 2))
    expect(told(geminiTranslation.read([document]))).toEqual(['person: One', 'agent: Two', 'person: Three'])
  })
})

describe('Qwen Code', () => {
  const line = (n: number, type: string, parts: object[], more: object = {}) => ({
    ...{ uuid: uuid(n), parentUuid: n === 1 ? null : uuid(n - 1), sessionId: uuid(99), timestamp: AT, type },
    ...{ message: { parts }, ...more },
  })

  test('what it wrote: calls with their answers', () => {
    const [file] = filesOf(qwen, 'plan-off')
    const parts = told(qwenTranslation.read([file?.bytes ?? Buffer.alloc(0)]))
    expect(parts.slice(0, 3)).toEqual([
      'person: x @@plan',
      'agent: I will plan first.',
      'todo_write -> failed: Tool "todo_write" is a built-in tool tha',
    ])
  })

  test('the branch that was gone on with counts, and a compression leaves the history that it made', () => {
    const history = [
      { role: 'user', parts: [{ text: 'In short' }] },
      { role: 'model', parts: [{ text: 'Understood.' }] },
    ]
    const compressed = { subtype: 'chat_compression', systemPayload: { compressedHistory: history } }
    const lines = [
      line(1, 'user', [{ text: 'Old' }]),
      line(2, 'system', [], compressed),
      line(3, 'assistant', [{ text: 'Left.' }]),
      line(4, 'assistant', [{ text: 'Hm.', thought: true }, { text: 'New.' }], { parentUuid: uuid(2) }),
    ]
    const conversation = qwenTranslation.read([bytesOf(lines)])
    expect(told(conversation)).toEqual(['person: In short', 'agent: Understood.', 'agent: New.'])
    expect(conversation.leftOut.thinking).toBe(1)
  })
})

test('calls of one id that a model numbers anew in each answer stay calls of their own', () => {
  const call = (n: number, command: string) => ({
    ...{
      uuid: uuid(n),
      parentUuid: n === 1 ? null : uuid(n - 1),
      sessionId: uuid(99),
      timestamp: AT,
      type: 'assistant',
    },
    message: { parts: [{ functionCall: { id: 'call_0', name: 'sh', args: { command } } }] },
  })
  const answer = (n: number, output: string) => ({
    ...{ uuid: uuid(n), parentUuid: uuid(n - 1), sessionId: uuid(99), timestamp: AT, type: 'tool_result' },
    message: { parts: [{ functionResponse: { id: 'call_0', name: 'sh', response: { output } } }] },
  })
  const { parts } = qwenTranslation.read([bytesOf([call(1, 'a'), answer(2, 'one'), call(3, 'b'), answer(4, 'two')])])
  expect(told({ parts, leftOut: { thinking: 0, cut: 0, answers: 0 } })).toEqual(['sh -> one', 'sh -> two'])
  expect(new Set(parts.map((part) => (part.kind === 'call' ? part.id : ''))).size).toBe(2)
})
