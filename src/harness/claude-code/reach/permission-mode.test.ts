import { afterEach, beforeEach, expect, test } from 'bun:test'
import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { permissionModes } from './permission-mode'

let folder: string
beforeEach(() => {
  folder = mkdtempSync('/tmp/ld-')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const line = (more: object): string => `${JSON.stringify({ type: 'user', ...more })}\n`

test('the mode that a transcript names last counts, and no quotation of it', () => {
  const path = join(folder, 'one.jsonl')
  const modeOf = permissionModes()
  expect(modeOf(path)).toBeNull()
  appendFileSync(path, line({ message: { content: 'a' } }))
  expect(modeOf(path)).toBeNull()
  appendFileSync(path, line({ permissionMode: 'plan' }))
  expect(modeOf(path)).toBe('plan')
  appendFileSync(path, line({ type: 'permission-mode', permissionMode: 'bypassPermissions' }))
  appendFileSync(path, line({ toolUseResult: { permissionMode: 'default' } }))
  appendFileSync(path, line({ isSidechain: true, permissionMode: 'acceptEdits' }))
  appendFileSync(path, '{"type":"user","permissionMode":"def')
  expect(modeOf(path)).toBe('bypassPermissions')
})

test('a recorded transcript of Claude Code says its mode', () => {
  const fixture = '../../../../test/fixtures/claude-code/transcripts/2.1.197/subagents'
  const path = resolve(import.meta.dir, fixture, '31ba713b-2840-4b88-b15c-42bb321d25ab.jsonl')
  expect(permissionModes()(path)).toBe('default')
})
