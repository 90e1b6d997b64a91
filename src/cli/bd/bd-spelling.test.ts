/** What agents who know `bd` type every day, in process on a real database and file. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dispatch } from '../dispatch'
import { fakeIo } from '../fake-io'

const root = realpathSync(mkdtempSync('/tmp/ld-'))
const dir = join(root, 'project')
mkdirSync(join(dir, '.git'), { recursive: true })
afterAll(() => rmSync(root, { recursive: true, force: true }))

const never = new AbortController().signal
async function lode(words: string[], input = '') {
  const io = fakeIo({ env: { HOME: root, LODELINE_HOME: join(root, 'lode'), USER: 'me' }, cwd: dir, input })
  const code = await dispatch(['bd', ...words], io, never)
  return { code, out: io.stdout, err: io.stderr }
}
async function bd<T>(...words: string[]): Promise<T> {
  const { out, err, code } = await lode([...words, '--json'])
  expect([err, code]).toEqual(['', 0])
  return JSON.parse(out) as T
}
type Json = Record<string, unknown>
const create = async (...words: string[]): Promise<string> => String((await bd<Json>('create', ...words)).id)

let first: string
let second: string
beforeAll(async () => {
  first = await create('First', '-t', 'bug', '-p', 'P0', '--label', 'a', '-l', 'b')
  second = await create('Second', '--deps', first)
})

test('what bd calls otherwise is understood, and what only says how it prints changes nothing', async () => {
  expect(await bd<Json[]>('show', first, '--short')).toMatchObject([{ labels: ['b', 'a'], priority: 0 }])
  for (const flags of [['--flat'], ['--long'], ['--tree'], ['--pretty', '--no-pager']])
    expect((await bd<Json[]>('list', ...flags)).map(({ id }) => id)).toEqual([first, second])
  const told = await lode(['create', 'From stdin', '--stdin', '--json'], 'all of it\n')
  expect(JSON.parse(told.out)).toMatchObject({ title: 'From stdin', description: 'all of it' })
  const waiting = await create('Waits', '-p', '4', '--waits-for', second)
  expect(await bd<Json[]>('dep', 'list', waiting)).toMatchObject([{ id: second, dependency_type: 'waits-for' }])
  const { out } = await lode(['export', '--include-memories'])
  expect(out.trimEnd().split('\n')).toHaveLength(4)
})

test('ready --explain tells of all issues, or of one', async () => {
  const all = await bd<{ ready: Json[]; blocked: Json[]; summary: Json }>('ready', '--explain')
  expect(all.ready.map(({ id }) => id)).toContain(first)
  expect(all.blocked).toMatchObject([{ id: second, blocked_by: [first] }])
  expect(all.summary).toEqual({ total_ready: all.ready.length, total_blocked: 1, cycle_count: 0 })
  expect(await bd<Json>('ready', '--explain', second)).toMatchObject({ id: second, isReady: false })
})

test('close says what came free by it, claims the next, and takes its reason from a file', async () => {
  writeFileSync(join(dir, 'why.txt'), 'It works\n')
  const closed = await bd<{ closed: Json[]; unblocked: Json[]; claimed: Json }>(
    'close',
    first,
    '--suggest-next',
    '--claim-next',
    '--reason-file',
    'why.txt',
  )
  expect(closed.closed).toMatchObject([{ id: first, status: 'closed', close_reason: 'It works' }])
  expect(closed.unblocked).toMatchObject([{ id: second }])
  expect(closed.claimed).toMatchObject({ status: 'in_progress', assignee: 'me' })
  expect((await bd<Json[]>('close', second, '-r', 'ok'))[0]).toMatchObject({ id: second, status: 'closed' })
})

test('prime answers as the hook that bd installs', async () => {
  const { out } = await lode(['prime', '--hook-json', '--full'])
  expect(JSON.parse(out)).toMatchObject({ hookSpecificOutput: { hookEventName: 'SessionStart' } })
})

test('wrong words fail as in bd: exit code 1, one object on stderr, nothing on stdout', async () => {
  const refusal = async (...words: string[]) => {
    const { code, out, err } = await lode([...words, '--json'])
    const body = JSON.parse(err) as Json
    expect([code, out, body.schema_version]).toEqual([1, '', 1])
    return body.error
  }
  expect(await refusal('lsit')).toBe("'lsit' is unknown, nearest is 'lode bd list'.")
  expect(await refusal('remember', 'x')).toBe("'remember' is unknown, nearest is 'lode handoff'.")
  expect(await refusal('frobnicate')).toMatch(/^'frobnicate' is unknown, nearest is 'lode bd \w+'\.$/)
  expect(await refusal('dep', 'relate', 'a', 'b')).toContain("nearest is 'lode bd dep add ID OTHER -t related'")
  expect(await refusal('list', '--frob')).toStartWith('Unknown option --frob')
  expect(await refusal('show')).toStartWith('ID is missing')
  expect(await refusal('tasks', 'lits')).toContain("nearest is 'lode bd tasks list'")
  const plain = await lode(['show'])
  expect([plain.code, plain.err]).toEqual([1, expect.stringMatching(/^Error: ID is missing/)])
})
