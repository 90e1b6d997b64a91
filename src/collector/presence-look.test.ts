import { afterEach, beforeEach, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claudeCodePresence as presence } from '../harness/claude-code/reach/presence-file'
import { goneProcesses } from './presence-look'
import type { ProcessTable } from './process-table'

let root: string
beforeEach(() => {
  root = mkdtempSync('/tmp/ld-')
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Those that live, by pid; all began at their pid's ticks. */
const table = (...alive: number[]): ProcessTable => ({
  findStart: async (pid) => (alive.includes(pid) ? { text: String(pid), at: pid } : null),
  findDomain: async () => 'machine:pid:[1]',
})

function put(pid: number, sessionId: string, more: Record<string, unknown> = {}): string {
  const path = join(root, `${pid}.json`)
  writeFileSync(path, JSON.stringify({ pid, sessionId, procStart: String(pid), startedAt: pid, ...more }))
  return path
}

test('tells sessions of which only dead processes are left', async () => {
  const paths = [
    put(11, 'killed'),
    put(12, 'alive'),
    put(13, 'resumed'),
    put(14, 'resumed'),
    // A later process was given the number.
    put(15, 'replaced', { procStart: '99' }),
    put(16, 'elsewhere', { pidDomain: 'other:pid:[2]' }),
  ]
  const gone = await goneProcesses([{ presence, paths }], table(12, 14, 15))
  expect(gone.map(({ sessionId, pid, started }) => [sessionId as string, pid, started]).sort()).toEqual([
    ['killed', 11, '11'],
    ['replaced', 15, '99'],
  ])
})

test('passes over what is no file of the CLI', async () => {
  const odd = join(root, '17.json')
  writeFileSync(odd, '{')
  const name = join(root, 'notes.json')
  writeFileSync(name, '{}')
  expect(await goneProcesses([{ presence, paths: [odd, name, join(root, '18.json')] }], table())).toEqual([])
})
