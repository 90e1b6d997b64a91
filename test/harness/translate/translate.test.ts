/** What is read of transcripts of each CLI. All pairs of CLIs are in `pairs.test.ts`, the real ones in `real-clis.test.ts`. */
import { describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ConversationPart, type NeutralConversation, upToLastTurn } from '../../../src/domain/harness/translation'
import { claudeCodeTranslation } from '../../../src/harness/claude-code/translate'
import { codexTranslation } from '../../../src/harness/codex/translate'

const bytesOf = (lines: readonly object[]): Uint8Array =>
  new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))

const uuid = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`

const person = (text: string): ConversationPart => ({ kind: 'person', text, images: [] })
const agent = (text: string): ConversationPart => ({ kind: 'agent', text })
const neutral = (...parts: ConversationPart[]): NeutralConversation => ({
  parts,
  leftOut: { thinking: 0, cut: 0, answers: 0 },
})

/** Lines of Claude Code; each follows the one before unless it names its parent. */
const user = (n: number, content: unknown, more: object = {}) => ({
  ...{ type: 'user', uuid: uuid(n), parentUuid: n === 1 ? null : uuid(n - 1), message: { role: 'user', content } },
  ...more,
})
const said = (n: number, id: string, content: object[], more: object = {}) => ({
  ...{ type: 'assistant', uuid: uuid(n), parentUuid: uuid(n - 1) },
  message: { id, role: 'assistant', model: 'm', content },
  ...more,
})
const call = (id: string) => ({ type: 'tool_use', id, name: 'Bash', input: { command: id } })
const answer = (id: string) => [{ type: 'tool_result', tool_use_id: id, content: `result of ${id}` }]

describe('Claude Code', () => {
  const read = (lines: readonly object[]) => claudeCodeTranslation.read([bytesOf(lines)])

  test('calls that were made side by side keep their answers', () => {
    const { parts } = read([
      user(1, 'Do both'),
      said(2, 'm1', [call('a')]),
      said(3, 'm1', [call('b')]),
      user(4, answer('a'), { parentUuid: uuid(2) }),
      user(5, answer('b'), { parentUuid: uuid(3) }),
      said(6, 'm2', [{ type: 'text', text: 'Both done.' }]),
    ])
    expect(parts).toMatchObject([
      person('Do both'),
      { kind: 'call', id: 'a', answer: { text: 'result of a' } },
      { kind: 'call', id: 'b', answer: { text: 'result of b' } },
      agent('Both done.'),
    ])
  })

  test('a branch that was left, sub-agents, reminders and thinking are not carried over', () => {
    const { parts, leftOut } = read([
      user(1, 'Begin'),
      said(2, 'm1', [{ type: 'text', text: 'A way that was left.' }]),
      user(3, 'Not this', { isSidechain: true }),
      said(4, 'm2', [{ type: 'thinking', thinking: 'Hm.', signature: 's' }], { parentUuid: uuid(1) }),
      said(5, 'm2', [{ type: 'text', text: 'Another way.' }]),
      user(6, '<local-command-stdout>x</local-command-stdout>'),
      user(7, [
        { type: 'text', text: '<system-reminder>Be good.</system-reminder>' },
        { type: 'text', text: 'Go on' },
      ]),
    ])
    expect(parts).toEqual([person('Begin'), agent('Another way.'), person('Go on')])
    expect(leftOut.thinking).toBe(1)
  })

  test('after a compaction the summary stands for what was before', () => {
    const { parts } = read([
      user(1, 'Old words'),
      said(2, 'm1', [{ type: 'text', text: 'Old answer.' }]),
      {
        type: 'system',
        subtype: 'compact_boundary',
        uuid: uuid(3),
        parentUuid: null,
        content: 'Conversation compacted',
      },
      user(4, 'What happened so far', { isCompactSummary: true }),
      said(5, 'm2', [{ type: 'text', text: 'New answer.' }]),
    ])
    expect(parts).toEqual([person('What happened so far'), agent('New answer.')])
  })
})

describe('Codex', () => {
  const item = (payload: object, more: object = {}) => ({
    timestamp: '2026-01-01T00:00:00Z',
    type: 'response_item',
    payload,
    ...more,
  })
  const message = (role: string, ...texts: string[]) =>
    item({
      type: 'message',
      role,
      content: texts.map((text) => ({ type: role === 'assistant' ? 'output_text' : 'input_text', text })),
    })
  const meta = (payload: object) => ({ timestamp: '2026-01-01T00:00:00Z', type: 'session_meta', payload })
  const read = (lines: readonly object[]) => codexTranslation.read([bytesOf(lines)])

  test('what the CLI says about the place is not carried over, and a person keeps the words beside it', () => {
    const { parts } = read([
      message('developer', '<permissions instructions>all</permissions instructions>'),
      message('user', '<environment_context>here</environment_context>'),
      message('user', '# AGENTS.md instructions', 'Paint it'),
      item({ type: 'reasoning', summary: [], encrypted_content: 'x' }),
      message('assistant', 'Painted.'),
    ])
    expect(parts).toEqual([person('Paint it'), agent('Painted.')])
  })

  test('a compaction leaves what it put in the place of the history', () => {
    const { payload: kept } = message('user', 'A summary of all') as { payload: object }
    const lines = [message('user', 'Old words'), message('assistant', 'Old answer.')]
    const compacted = (payload: object) => ({ timestamp: '2026-01-01T00:00:00Z', type: 'compacted', payload })
    expect(
      read([...lines, compacted({ message: '', replacement_history: [kept] }), message('assistant', 'New.')]).parts,
    ).toEqual([person('A summary of all'), agent('New.')])
    expect(read([...lines, compacted({ message: 'In short' })]).parts).toEqual([
      person('Old words'),
      person('In short'),
    ])
  })

  test('turns that a person took back are gone', () => {
    const back = {
      timestamp: '2026-01-01T00:00:00Z',
      type: 'event_msg',
      payload: { type: 'thread_rolled_back', num_turns: 1 },
    }
    const lines = ['One', 'Two'].flatMap((word) => [message('user', word), message('assistant', `${word} done.`)])
    expect(read([...lines, back]).parts).toEqual([person('One'), agent('One done.')])
  })

  test('a fork begins with the lines of its base up to the place that it names', () => {
    const base = [
      meta({ id: uuid(1) }),
      message('user', 'Shared'),
      message('assistant', 'Yes.'),
      message('user', 'Later'),
    ]
    const lines = base.map((line, ordinal) => ({ ...line, ordinal }))
    const fork = [
      meta({ id: uuid(2), history_base: { thread_id: uuid(1), end_ordinal_exclusive: 3 } }),
      message('user', 'Own'),
    ]
    expect(codexTranslation.baseOf(bytesOf(fork))).toBe(uuid(1))
    expect(codexTranslation.baseOf(bytesOf(base))).toBeNull()
    expect(codexTranslation.read([bytesOf(lines), bytesOf(fork)]).parts).toEqual([
      person('Shared'),
      agent('Yes.'),
      person('Own'),
    ])
  })
})

test('a thread of Codex names the provider of the settings: of the profile that is chosen, else of all, else its own', () => {
  const root = mkdtempSync('/tmp/ld-')
  const { providerIn } = codexTranslation.writer
  try {
    expect(providerIn(root)).toBeNull()
    const settings = (text: string) => writeFileSync(join(root, 'config.toml'), text)
    settings('model_provider = "mine"\n[profiles.work]\nmodel_provider = "theirs"\n')
    expect(providerIn(root)).toBe('mine')
    settings('profile = "work"\nmodel_provider = "mine"\n[profiles.work]\nmodel_provider = "theirs"\n')
    expect(providerIn(root)).toBe('theirs')
    settings('model_provider = [')
    expect(providerIn(root)).toBeNull()
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
})

test('a copy ends after the last finished turn', () => {
  const turn = [person('One'), agent('Done.')]
  const open: ConversationPart = { kind: 'call', id: 'a', name: 'Bash', input: {}, answer: null }
  expect(upToLastTurn(neutral(...turn, person('Two'), agent('I look.'), open)).parts).toEqual(turn)
  expect(upToLastTurn(neutral(...turn)).parts).toEqual(turn)
  expect(upToLastTurn(neutral(person('One'), open)).parts).toEqual([])
})
