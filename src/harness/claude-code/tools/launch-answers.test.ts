import { describe, expect, test } from 'bun:test'
import { readAnswer } from '.'

const SESSION = '5e551011-0000-4000-8000-000000000197'
const PLACE = { uuid: 'line-1', toolUseId: 'toolu_1', subagentId: null, at: 1_795_170_332_452, sessionId: SESSION }
const answer = (structured: unknown, content: unknown = '') =>
  readAnswer(structured, content, PLACE, 'transcript:tool_result')
const kinds = (seen: ReturnType<typeof answer>) =>
  seen.map((one) => (one.kind === 'kind' ? `${one.name} ${one.isKnown}` : one.kind))

describe('an answer of a form that is not known', () => {
  test('is reported, and what it does say is recorded', () => {
    const seen = answer({ status: 'sent_away', agentId: 'a0123456789abcdef', prompt: 'Look', outputFile: '/x' })
    expect(kinds(seen)).toEqual(['subagent', 'answer/agent false'])
    // Neither in the background nor in front of anybody, and not over: it does not say so.
    expect(seen[0]).toMatchObject({ toolUseId: 'toolu_1', evidence: 'tool_result', prompt: 'Look', outputFile: '/x' })
    expect(seen[0]).not.toHaveProperty('isBackground')
    expect(seen[0]).not.toHaveProperty('end')
  })

  test('is reported where it names nothing that could be recorded', () => {
    expect(kinds(answer({ isAsync: true, agent: { id: 'a1' } }))).toEqual(['answer/agent false'])
    expect(kinds(answer({ agentId: { id: 'a1' }, prompt: 'Look' }))).toEqual(['answer/agent false'])
    expect(kinds(answer({ stdout: '', backgroundTaskId: { id: 'b1' } }))).toEqual(['answer/background false'])
    expect(kinds(answer(undefined, [{ type: 'text', text: 'Async agent launched, see below.' }]))).toEqual([
      'answer/agent false',
    ])
    expect(kinds(answer(undefined, 'Command running in background, as b-1'))).toEqual(['answer/background false'])
  })

  test('answers of other tools are none', () => {
    expect(answer({ stdout: 'x', stderr: '', backgroundTaskId: null })).toEqual([])
    expect(answer({ agentId: 'a0123456789abcdef', message: 'hello' })).toEqual([])
    expect(answer({ type: 'text', file: { filePath: '/x', content: 'isAsync' } })).toEqual([])
    expect(answer(undefined, 'Command output')).toEqual([])
  })
})

describe('who reads an output', () => {
  const read = (name: string, content: string, more: object = {}, session = SESSION) =>
    answer({
      type: 'text',
      file: {
        filePath: `/tmp/claude-0/-p/${session}/tasks/${name}.output`,
        content,
        startLine: 1,
        numLines: 2,
        totalLines: 2,
        ...more,
      },
    })
  const words = (stop: string | null) =>
    JSON.stringify({
      type: 'assistant',
      message: { stop_reason: stop, content: [{ type: 'text', text: 'The last words' }] },
    })

  test('to the end has read a shell, if it had ended by then', () => {
    expect(read('b21kaxygp', 'one\ntwo\n')).toMatchObject([
      { kind: 'background', taskId: 'b21kaxygp', look: { at: PLACE.at, isWhole: false } },
    ])
    expect(read('b21kaxygp', 'one\n', { totalLines: 3 })).toEqual([])
  })

  test('has read an agent where its last words stand there', () => {
    const agent = 'a59fe2b26e6325bff'
    const whole = { kind: 'subagent', subagentId: agent, look: { at: PLACE.at, isWhole: true } }
    expect(read(agent, `{"type":"user"}\n${words('end_turn')}\n`)).toMatchObject([whole])
    expect(read(agent, `${words('end_turn')}\n{"type":"attachment"}`)).toMatchObject([whole])
    expect(read(agent, `${words('end_turn')}\n{"type":"user"}`)).toEqual([])
    expect(read(agent, `${words('tool_use')}`)).toEqual([])
    expect(read(agent, 'no transcript')).toEqual([])
  })

  test("a file of another session, or of another place, is no output of this session's work", () => {
    expect(read('b21kaxygp', 'one', {}, '5e551011-0000-4000-8000-000000000328')).toEqual([])
    expect(read('../b21kaxygp', 'one')).toEqual([])
    expect(read('notes', 'one')).toEqual([])
  })
})
