/** Where the files of a session are, and when one is known to be of it. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FileHeads, recognise } from '../../../src/collector/file-heads'
import { codexHarness } from '../../../src/harness/codex/agent-harness'
import { codexFiles } from '../../../src/harness/codex/files'
import { CODEX_FIXTURES, rolloutsOf } from './rollouts'

let root: string
beforeAll(() => {
  root = mkdtempSync('/tmp/ld-')
  for (const story of ['subagents-v1', 'plan'])
    cpSync(join(CODEX_FIXTURES, '0.169.0', story), root, { recursive: true })
})
afterAll(() => rmSync(root, { recursive: true, force: true }))

test('the folder is that of the environment, or the one in the home', () => {
  expect(codexHarness.root({ HOME: '/home/user' })).toBe('/home/user/.codex')
  expect(codexHarness.root({ HOME: '/home/user', CODEX_HOME: '/c' })).toBe('/c')
})

test('the files of a session are its own and those of its sub-agents, and no others', () => {
  const [main, child] = rolloutsOf('subagents-v1')
  const found = codexFiles.ofSession(root, main?.ref.sessionId ?? '')
  expect(found.map((path) => path.slice(-41, -6))).toEqual(
    [main, child].map((one) => one?.ref.path.slice(-41, -6) ?? 'none'),
  )
  expect(found.map((path) => recognise(codexFiles, path)?.sessionId)).toEqual([
    main?.ref.sessionId ?? '',
    main?.ref.sessionId ?? '',
  ])
  expect(codexFiles.ofSession(root, 'nobody')).toEqual([])
  expect(codexFiles.ofSession(join(root, 'nowhere'), 'nobody')).toEqual([])
})

test('what changed since a time is found in the folder of its day', () => {
  expect(codexFiles.changedSince(root, 0)).toHaveLength(4)
  expect(codexFiles.changedSince(root, Date.now() + 60_000)).toEqual([])
})

test('a file that does not say yet whose it is, is asked again when it has grown', () => {
  const [, child] = rolloutsOf('subagents-v1')
  const path = join(root, 'sessions/2026/11/21', (child?.ref.path ?? '').split('/').at(-1) ?? '')
  mkdirSync(dirname(path), { recursive: true })
  const heads = new FileHeads()
  for (const length of [0, 200]) {
    writeFileSync(path, (child?.bytes ?? Buffer.alloc(0)).subarray(0, length))
    expect(heads.find(codexFiles, path)).toMatchObject({ isUndecided: true })
  }
  writeFileSync(path, child?.bytes ?? '')
  const found = { ref: { kind: 'subagent', sessionId: child?.ref.sessionId ?? '' }, isUndecided: false }
  expect(heads.find(codexFiles, path)).toMatchObject(found)
  rmSync(path)
  expect(heads.find(codexFiles, path)).toMatchObject(found)
  heads.forget(path)
  expect(heads.find(codexFiles, path)).toMatchObject({ isUndecided: true })
  expect(heads.find(codexFiles, '/x/history.jsonl')).toBeNull()
})
