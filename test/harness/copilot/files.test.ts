/** Where the files of a session are. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { copilotHarness } from '../../../src/harness/copilot/agent-harness'
import { classify } from '../../../src/harness/copilot/classify'
import { copilotFiles } from '../../../src/harness/copilot/files'
import { COPILOT_FIXTURES, SESSION, sessionOf } from './sessions'

let root: string
beforeAll(() => {
  root = mkdtempSync('/tmp/ld-')
  for (const story of ['plan', 'subagent']) cpSync(join(COPILOT_FIXTURES, '1.0.102', story), root, { recursive: true })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

test('the folder is that of the environment, or the one in the home', () => {
  expect(copilotHarness.root({ HOME: '/home/user' })).toBe('/home/user/.copilot')
  expect(copilotHarness.root({ HOME: '/home/user', COPILOT_HOME: '/c' })).toBe('/c')
})

test('a session is known by its place, of older releases too; what stands beside its events is none of it', () => {
  const folder = `/home/user/.copilot/session-state/${SESSION}`
  for (const path of [`${folder}/events.jsonl`, `${folder}.jsonl`])
    expect(classify(path)).toEqual({ agent: 'copilot', kind: 'transcript', path, sessionId: SESSION, subagentId: null })
  for (const path of [`${folder}/session.db`, `${folder}/workspace.yaml`, `${folder}/files/events.jsonl`])
    expect(classify(path)).toBeNull()
  expect(classify('/home/user/.copilot/session-state/notes/events.jsonl')).toBeNull()
})

test('the file of a session is found, and what changed since a time', () => {
  const { ref } = sessionOf('plan')
  expect(copilotFiles.ofSession(root, ref.sessionId ?? '')).toEqual([ref.path.replace('/home/user/.copilot', root)])
  expect(copilotFiles.ofSession(root, SESSION)).toEqual([])
  expect(copilotFiles.changedSince(root, 0)).toHaveLength(2)
  expect(copilotFiles.changedSince(root, Date.now() + 60_000)).toEqual([])
  const older = join(root, `session-state/${SESSION}.jsonl`)
  writeFileSync(older, '')
  expect(copilotFiles.ofSession(root, SESSION)).toEqual([older])
  rmSync(older)
})
