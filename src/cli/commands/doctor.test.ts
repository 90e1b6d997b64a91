import { expect, test } from 'bun:test'
import type { Doctor } from '../../api/contract/wire'
import type { HookState } from '../../app/agents/agent-setup'
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
    backfill: null,
    lastScanAt: null,
    problems: gaps,
  },
  gaps,
})

test('says once what is not wholly recorded', () => {
  const text = doctorView(doctor([problem]), null, 200, {
    noSandbox: 'bubblewrap (bwrap) is not installed',
    unboxed: [],
    network: ['common'],
    doubt: null,
    hooks: [],
    missing: [],
    mod: 'none',
  })
  expect(text).toContain('open: tasks here can reach everything')
  expect(text).toContain('none for tasks here: bubblewrap')
  expect(text).toContain('1 gap in the record:')
  expect(text.split(problem.path)).toHaveLength(2)
  expect(text).not.toContain('no problems found')
})

test('names folders of settings that are not there', () => {
  const missing = [{ key: 'agents.codex.homes', path: '/home/agent/.codx' }]
  const machine = { noSandbox: null, network: [], doubt: null, unboxed: [], hooks: [], missing, mod: 'none' } as const
  const text = doctorView(doctor([]), null, 200, machine)
  expect(text).toContain('1 folder in your settings that is not there:')
  expect(text).toMatch(/agents\.codex\.homes +\/home\/agent\/\.codx/)
  expect(text).not.toContain('no problems found')
})

test('says that nothing is odd', () => {
  expect(
    doctorView(doctor([]), null, 200, {
      noSandbox: null,
      network: ['common', 'git.example'],
      doubt: null,
      unboxed: [],
      hooks: [],
      missing: [],
      mod: 'none',
    }),
  ).toContain('no problems found.')
})

test('says how packs are checked, where there are some', () => {
  const of = (rows: Record<string, number>) => {
    const { storage, ...rest } = doctor([])
    const machine = {
      noSandbox: null,
      network: [],
      doubt: null,
      unboxed: [],
      hooks: [],
      missing: [],
      mod: 'none',
    } as const
    return doctorView({ ...rest, storage: { ...storage, rows } }, null, 200, machine)
  }
  expect(of({ packs: 3 })).toContain("3, not read now; 'lode db check' reads all of them")
  expect(of({ packs: 0 })).not.toContain('db check')
})

test('says what tasks reach', () => {
  const words = (noSandbox: string | null, network: string[]) =>
    doctorView(doctor([]), null, 200, {
      noSandbox,
      network,
      doubt: null,
      unboxed: [],
      hooks: [],
      missing: [],
      mod: 'none',
    })
  expect(words(null, ['common', 'git.example'])).toContain(
    'tasks here reach their model, Lodeline and: common, git.example',
  )
  expect(words(null, [])).toContain('their model, Lodeline and: nothing more')
  expect(words(null, ['open'])).toContain('open: tasks here can reach everything')
})

test('says what is not known of a sandbox, and whose tasks have none', () => {
  const words = doctorView(doctor([]), null, 200, {
    noSandbox: null,
    network: ['common'],
    doubt: 'never tried',
    unboxed: [{ agent: 'opencode', why: 'it has one database' }],
    hooks: [],
    missing: [],
    mod: 'none',
  })
  expect(words).toContain('tasks here run in one: never tried; not those of opencode: it has one database')
})

test('says which hooks are set up, and what to type where they do not run', () => {
  const bounds = { noSandbox: null, network: ['common'], doubt: null, unboxed: [], missing: [], mod: 'none' as const }
  const one = { agent: 'One', isUsed: false, command: 'lode setup one', file: '/h/one', why: null }
  const two = { agent: 'Two', isUsed: true, command: 'lode setup two', file: '/h/two', why: null }
  const words = (...hooks: HookState[]) => doctorView(doctor([]), null, 400, { ...bounds, hooks })
  const none = words({ ...one, state: 'none' }, { ...two, state: 'none' })
  expect(none).toContain("none; 'lode setup two' adds them")
  expect(words({ ...one, state: 'none' })).toContain("none; 'lode setup one' adds them")
  const some = words({ ...one, state: 'none' }, { ...two, state: 'skipped' })
  expect(some).toContain("Two: skipped, as nobody told the program to trust them: run 'lode setup two'")
  expect(some).not.toContain('One')
  const used = words({ ...one, state: 'ready' }, { ...two, state: 'none' })
  expect(used).toContain("One: set up; Two: none, 'lode setup two' adds them")
  expect(words({ ...one, state: 'unknown', why: 'it is no file' })).toContain('One: not known: it is no file')
})
