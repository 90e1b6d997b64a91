import { expect, test } from 'bun:test'
import type { Doctor } from '../../api/contract/wire'
import { doctorView } from './doctor'

const problem = { path: '/home/agent/.claude/projects/-quay/one.jsonl', reason: 'it can not be read: EACCES' }

const doctor = (gaps: Doctor['gaps']): Doctor => ({
  version: '0.1.0',
  runtime: 'bun',
  storage: { kind: 'sqlite', location: '/l.db', schemaVersion: 8, bytes: 1, rows: {}, settings: {} },
  agentVersions: [],
  knownKinds: 1,
  unknownKinds: [],
  malformedLines: [],
  collector: {
    roots: ['/home/agent/.claude/projects'],
    isRunning: true,
    files: 1,
    filesBehind: 0,
    lastScanAt: null,
    problems: gaps,
  },
  gaps,
})

test('says once what is not wholly recorded', () => {
  const text = doctorView(doctor([problem]), null, 200, 'bubblewrap (bwrap) is not installed')
  expect(text).toContain('none for tasks here: bubblewrap')
  expect(text).toContain('1 gap in the record:')
  expect(text.split(problem.path)).toHaveLength(2)
  expect(text).not.toContain('no problems found')
})

test('says that nothing is odd', () => {
  expect(doctorView(doctor([]), null, 200, null)).toContain('no problems found.')
})
