import { describe, expect, test } from 'bun:test'
import { classify } from './classify'

const SESSION = '310d8f28-62f9-4306-b431-426897570ab2'
const ROOT = '/home/user/.claude/projects/-home-user-project'
const bytes = (text: string) => new TextEncoder().encode(text)
const seen = (path: string, head?: string) => {
  const ref = classify(path, head === undefined ? undefined : bytes(head))
  return ref && { kind: ref.kind, sessionId: ref.sessionId, agentId: ref.subagentId }
}

describe('files are recognised by their place', () => {
  test('a session', () => {
    expect(seen(`${ROOT}/${SESSION}.jsonl`)).toEqual({ kind: 'transcript', sessionId: SESSION, agentId: null })
  })
  test('sub-agents of a session, flat and in workflows, with their meta files', () => {
    const agent = { sessionId: SESSION, agentId: 'a31bc5b50570dc20b' }
    for (const folder of ['subagents', 'subagents/workflows/wf_57c6a296-6f2']) {
      expect(seen(`${ROOT}/${SESSION}/${folder}/agent-a31bc5b50570dc20b.jsonl`)).toEqual({ kind: 'subagent', ...agent })
      expect(seen(`${ROOT}/${SESSION}/${folder}/agent-a31bc5b50570dc20b.meta.json`)).toEqual({
        kind: 'subagent_meta',
        ...agent,
      })
    }
  })
  test('a workflow’s own journal is no conversation', () => {
    expect(seen(`${ROOT}/${SESSION}/subagents/workflows/wf_1/journal.jsonl`)).toBeNull()
  })
  test('2.0.x keeps sub-agents beside sessions, and names the session inside', () => {
    expect(seen(`${ROOT}/agent-472265ed.jsonl`)).toEqual({ kind: 'subagent', sessionId: null, agentId: '472265ed' })
  })
  test('to-do files of both families; a shared list has no session', () => {
    expect(seen(`/home/user/.claude/tasks/${SESSION}/12.json`)).toEqual({
      kind: 'tasks',
      sessionId: SESSION,
      agentId: null,
    })
    expect(seen('/home/user/.claude/tasks/my-list-1/1.json')).toEqual({ kind: 'tasks', sessionId: null, agentId: null })
    expect(seen(`/home/user/.claude/todos/${SESSION}-agent-${SESSION}.json`)).toEqual({
      kind: 'tasks',
      sessionId: SESSION,
      agentId: null,
    })
    expect(seen(`/home/user/.claude/todos/${SESSION}-agent-a9d2661.json`)?.agentId).toBe('a9d2661')
  })
})

describe('files elsewhere are recognised by their first lines', () => {
  test('a recorded stream, also when the session is not the first field', () => {
    const init = `{"type":"system","subtype":"init","cwd":"/p","session_id":"${SESSION}"}\n`
    expect(seen('/tmp/run.jsonl', init)).toEqual({ kind: 'stream', sessionId: null, agentId: null })
    expect(seen('/tmp/run.jsonl', `\n{"broken\n${init}`)?.kind).toBe('stream')
  })
  test('a transcript is named by its file', () => {
    const line = `{"parentUuid":null,"type":"user","sessionId":"${SESSION}"}\n`
    expect(seen(`/backup/${SESSION}.jsonl`, line)).toEqual({ kind: 'transcript', sessionId: SESSION, agentId: null })
  })
  test('a transcript under another name is named by its lines', () => {
    const line = `{"parentUuid":null,"type":"user","sessionId":"${SESSION}"}\n`
    expect(seen('/backup/monday.jsonl', line)).toEqual({ kind: 'transcript', sessionId: null, agentId: null })
    expect(seen('/backup/monday/subagents/agent-a1.meta.json')?.sessionId).toBeNull()
  })
  test('by the beginning of a line that is longer than the head', () => {
    expect(seen('/tmp/x.jsonl', '{"type":"system","subtype":"init","cwd":"/p","tools":["A')?.kind).toBe('stream')
    expect(seen('/tmp/x.jsonl', '{"parentUuid":null,"isSidechain":false,"mes')?.kind).toBe('transcript')
  })
  test('anything else is not ours', () => {
    expect(seen('/tmp/x.jsonl', '{"a":1}\n')).toBeNull()
    expect(seen('/tmp/x.jsonl')).toBeNull()
    expect(seen('/tmp/notes.txt')).toBeNull()
    expect(seen('/home/user/.claude/settings.json')).toBeNull()
    expect(seen(`${ROOT}/${SESSION}/tool-results/x.json`)).toBeNull()
  })
})

test('names that could do harm as ids are refused', () => {
  expect(seen(`${ROOT}/${'x'.repeat(300)}.jsonl`)).toBeNull()
  expect(seen(`${ROOT}/a\nb.jsonl`)).toBeNull()
  expect(seen(`${ROOT}/.hidden.jsonl`)).toBeNull()
  expect(seen('/x/../subagents/agent-a1.jsonl')?.sessionId).toBeNull()
  expect(seen('/x/../subagents/agent-a1.meta.json')?.sessionId).toBeNull()
  expect(seen(`${ROOT}/hostile name.jsonl`)).toEqual({ kind: 'transcript', sessionId: null, agentId: null })
})
