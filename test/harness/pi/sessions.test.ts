/** What the parser makes of sessions that Pi wrote. */
import { expect, test } from 'bun:test'
import { pi } from '../../../src/harness/pi'
import { piHarness } from '../../../src/harness/pi/agent-harness'
import { pick } from '../scenario'
import { filesOf, observe, STORIES } from './sessions'

const [FIRST, FORK, FAILED] = filesOf('tools')
const [STOPPED, CLONE] = filesOf('stopped')
const [COMPACTED] = filesOf('compacted')

const lineAt = (file: typeof FIRST, place: { offset: number; length: number }): Buffer =>
  file?.bytes.subarray(place.offset, place.offset + place.length) ?? Buffer.alloc(0)

test('a file is recognised by its name, wherever it lies', () => {
  const id = '01a20a13-1bbf-75dd-8c95-22ed1749f022'
  for (const [path, sessionId] of [
    [`/home/user/.pi/agent/sessions/--home-user--/2026-11-23T20-22-34-176Z_${id}.jsonl`, id],
    [`/home/user/.pi/agent/2025-11-23T20-22-34-176Z_${id}.jsonl`, id],
    ['C:\\pi\\sessions\\2026-11-23T20-22-34-176Z_my.own-name.jsonl', 'my.own-name'],
  ])
    expect(pi.classify(path ?? '')).toMatchObject({ agent: 'pi', kind: 'transcript', sessionId: sessionId ?? '' })
  for (const path of [
    `/home/user/.pi/agent/sessions/${id}.jsonl`,
    `/x/2026-11-23T20-22-34-176Z_${id}.json`,
    '/x/2026-11-23T20-22-34-176Z_.jsonl',
    '/x/2026-11-23T20-22-34-176Z_..jsonl',
    `/x/2026-11-23T20-22-34-176Z_${'a'.repeat(101)}.jsonl`,
    '/x/2026-11-23T20-22-34-176Z_a\u0000b.jsonl',
  ])
    expect(pi.classify(path)).toBeNull()
})

test('each entry is one event, and names the one before it', () => {
  for (const file of STORIES.flatMap(filesOf)) {
    const lines = file.bytes.toString().trimEnd().split('\n')
    const events = pick(observe(file), 'event')
    expect(events.length).toBe(lines.length - 1)
    expect(new Set(events.map(({ uuid }) => uuid)).size).toBe(events.length)
    for (const [n, event] of events.entries()) expect(event.parentUuid).toBe(events[n - 1]?.uuid ?? null)
  }
})

test('all kinds of lines are known', () => {
  const kinds = STORIES.flatMap(filesOf).flatMap((file) => pick(observe(file), 'kind'))
  expect(kinds.filter(({ isKnown }) => !isKnown)).toEqual([])
  expect(new Set(kinds.map(({ name }) => name))).toContain('message/toolResult')
})

test('a conversation is read with its calls and their answers', () => {
  const seen = observe(FIRST)
  const events = pick(seen, 'event').filter(({ type }) => type !== 'system' && type !== 'attachment')
  expect(events.map(({ type, text }) => [type, text?.split('\n')[0]])).toEqual([
    ['prompt', 'Hi @@hello'],
    ['tool_call', 'I look.'],
    ['tool_result', 'hi'],
    ['tool_call', 'write'],
    ['tool_result', 'Successfully wrote to a.txt'],
    ['tool_result', expect.stringContaining('ENOENT')],
    ['tool_call', 'edit'],
    ['tool_result', expect.stringContaining('Successfully replaced')],
    ['text', 'Done.'],
    ['prompt', 'Go on @@again'],
    ['text', 'Once more.'],
  ])
  const calls = pick(seen, 'tool_call').map(({ name, toolUseId }) => [name, toolUseId])
  expect(calls.map(([name]) => name)).toEqual(['bash', 'write', 'read', 'edit'])
  const results = pick(seen, 'tool_result')
  expect(results.map(({ toolUseId, isError }) => [toolUseId, isError])).toEqual(
    calls.map(([name, id]) => [id ?? '', name === 'read']),
  )
  expect(pick(seen, 'session')[0]).toMatchObject({ cwd: '/home/user/project' })
  expect(pick(seen, 'session')).toContainEqual(expect.objectContaining({ model: 'scripted-model' }))
  expect(pick(seen, 'session')).toContainEqual(
    expect.objectContaining({ title: { text: 'Hi @@hello', source: 'prompt' } }),
  )
})

test('each request counts its tokens once; what was read from the cache is no input', () => {
  const usage = pick(observe(FIRST), 'usage')
  expect(usage.length).toBe(5)
  for (const one of usage)
    expect(one).toMatchObject({
      ...{ model: 'scripted-model', inputTokens: 600, cacheReadTokens: 400, outputTokens: 20 },
      statedNanoUsd: 840_000,
    })
})

test('a turn ends idle, and the last words of a turn are final', () => {
  const seen = observe(FIRST)
  expect(pick(seen, 'activity').at(-1)).toMatchObject({ state: 'idle', evidence: 'transcript:stop' })
  expect(pick(seen, 'event').flatMap(({ isFinal, text }) => (isFinal ? [text] : []))).toEqual(['Done.', 'Once more.'])
  expect(pick(seen, 'activity').map(({ state }) => state)).toContain('working')
})

test('a fork names its origin, and what was copied into it says nothing of its own', () => {
  for (const [fork, origin, own] of [
    [FORK, FIRST, ['Another way @@again', 'Once more.']],
    [CLONE, STOPPED, ['in the clone @@again', 'Once more.']],
  ] as const) {
    const seen = observe(fork)
    expect(pick(seen, 'session')[0]).toMatchObject({ forkedFrom: origin?.ref.sessionId ?? '' })
    const events = pick(seen, 'event')
    expect(events.flatMap(({ isCopied, text }) => (isCopied ? [] : [text]))).toEqual([...own])
    expect(events.filter(({ isCopied }) => isCopied).length).toBe(pick(observe(origin), 'event').length)
  }
})

test('a request that failed is an error, and the session rests', () => {
  const seen = observe(FAILED)
  expect(pick(seen, 'event').at(-1)).toMatchObject({ type: 'error', text: expect.stringContaining('bad request') })
  expect(pick(seen, 'activity').at(-1)).toMatchObject({ state: 'idle', evidence: 'transcript:error' })
})

test('a turn that a person stopped rests, and a name that a person gave is the title', () => {
  const seen = observe(STOPPED)
  expect(pick(seen, 'event')).toContainEqual(
    expect.objectContaining({ type: 'system', text: 'This operation was aborted' }),
  )
  expect(pick(seen, 'event').map(({ type }) => type)).not.toContain('error')
  expect(pick(seen, 'activity').map(({ state }) => state)).toContain('idle')
  expect(pick(seen, 'session')).toContainEqual(
    expect.objectContaining({ title: { text: 'My name', source: 'person' } }),
  )
  expect(pick(seen, 'event')).toContainEqual(
    expect.objectContaining({ type: 'attachment', text: '$ echo by hand\nby hand\n' }),
  )
})

test('a compaction is told with its summary, and the tokens of the summary count', () => {
  const seen = observe(COMPACTED)
  const found = pick(seen, 'event').find(({ type }) => type === 'compaction')
  expect(found?.text).toStartWith('ok')
  expect(pick(seen, 'usage').find(({ uuid }) => uuid === found?.uuid)).toMatchObject({
    ...{ inputTokens: 1_200, outputTokens: 40, model: 'scripted-model' },
  })
})

test('a line is shown whole: words, calls, changes of files and answers', async () => {
  const events = pick(observe(FIRST), 'event')
  const call = events.find(({ toolName }) => toolName === 'edit')
  const thought = events.find(({ toolName }) => toolName === 'bash')
  const answer = events.find(({ type }) => type === 'tool_result')
  if (call === undefined || thought === undefined || answer === undefined) throw new Error('no such events')
  expect((await piHarness.words.contentOf(lineAt(FIRST, call))).blocks).toEqual([
    expect.objectContaining({ kind: 'call', name: 'edit' }),
    { kind: 'patch', path: 'a.txt', hunks: [{ oldStart: 0, newStart: 0, lines: ['-one', '+two'] }] },
  ])
  expect((await piHarness.words.contentOf(lineAt(FIRST, thought))).blocks.map(({ kind }) => kind)).toEqual([
    ...['thinking', 'text', 'call'],
  ] as never)
  expect(await piHarness.words.textOf(lineAt(FIRST, thought))).toContain('I think first.')
  expect((await piHarness.words.contentOf(lineAt(FIRST, answer))).blocks).toEqual([
    expect.objectContaining({ kind: 'answer', isError: false, text: expect.stringContaining('hi') }),
  ])
})

test('an image of an answer is shown, and one that is none is kept as data', async () => {
  const line = (part: object): Buffer =>
    Buffer.from(JSON.stringify({ type: 'message', message: { role: 'toolResult', toolCallId: 'a', content: [part] } }))
  const image = { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' }
  expect((await piHarness.words.contentOf(line(image))).blocks).toMatchObject([
    { kind: 'answer', images: [{ mediaType: 'image/png', base64: 'iVBORw0KGgo=' }] },
  ])
  for (const bad of [
    { ...image, mimeType: 'image/svg+xml' },
    { ...image, data: '"><script>' },
  ])
    expect((await piHarness.words.contentOf(line(bad))).blocks).toMatchObject([
      { kind: 'answer', images: [] },
      { kind: 'other' },
    ])
})
