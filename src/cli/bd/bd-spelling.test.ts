/** What agents who know `bd` type every day, in process on a real database and file. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyRepository } from '../../../test/lab/empty-repository'
import { dispatch } from '../dispatch'
import { fakeIo } from '../kit/fake-io'

const root = realpathSync(mkdtempSync('/tmp/ld-'))
const dir = join(root, 'project')
emptyRepository(dir)
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
  expect(await refusal('lsit')).toBe("Unknown command 'lsit'; the nearest is 'lode bd list'.")
  expect(await refusal('remember', 'x')).toBe("Unknown command 'remember'; the nearest is 'lode handoff'.")
  expect(await refusal('frobnicate')).toMatch(/^Unknown command 'frobnicate'; the nearest is 'lode bd \w+'\.$/)
  expect(await refusal('dep', 'relate', 'a', 'b')).toContain("nearest is 'lode bd dep add ID OTHER -t related'")
  expect(await refusal('list', '--frob')).toStartWith('Unknown option --frob')
  expect(await refusal('show')).toStartWith('Missing ID')
  expect(await refusal('tasks', 'lits')).toContain("nearest is 'lode bd tasks list'")
  const plain = await lode(['show'])
  expect([plain.code, plain.err]).toEqual([1, expect.stringMatching(/^Error: Missing ID/)])
})

test('list narrows by id, title, due date and readiness, as bd does', async () => {
  const late = await create('Late Report', '-p', '3', '--due', '2020-01-01')
  const ids = async (...words: string[]) => (await bd<Json[]>('list', ...words)).map(({ id }) => id)
  const early = await create('Early Report', '-p', '1')
  expect(await ids('--id', `${late},${early}`)).toEqual([early, late])
  expect(await ids('--title-contains', 'late rep')).toEqual([late])
  expect(await ids('--title-contains', 'nothing like it')).toEqual([])
  expect(await ids('--overdue')).toEqual([late])
  const child = await create('Held up', '--deps', late)
  expect(await ids('--ready', '--id', `${late},${child}`)).toEqual([late])
  expect(await ids('--ready', '--id', `${late},${child}`, '-n', '0', '--all')).toEqual([late])
})

test('show tells of what refers to an issue, and of its children, alone', async () => {
  const epic = await create('An epic', '-t', 'epic')
  const child = await create('Its child', '--parent', epic)
  const other = await create('Needs it', '--deps', `related:${epic}`)
  const refs = await bd<Record<string, Json[]>>('show', epic, '--refs')
  expect(Object.keys(refs)).toEqual([epic])
  expect(refs[epic]?.map(({ id, dependency_type }) => `${id} ${dependency_type}`).toSorted()).toEqual(
    [`${child} parent-child`, `${other} related`].toSorted(),
  )
  expect((await bd<Record<string, Json[]>>('show', epic, '--children'))[epic]).toMatchObject([{ id: child }])
  expect((await lode(['show', epic, '--children'])).out).toBe(
    `${epic}:\n  ${child} (parent-child) open P2: Its child\n`,
  )
  expect((await lode(['show', child, '--children'])).out).toBe(`${child}:\n  none\n`)
  const up = await bd<Json[]>('dep', 'tree', epic, '--direction', 'both')
  expect(up.map(({ id }) => id).toSorted()).toEqual([epic, child, other].toSorted())
})

test('update sets and unsets single keys of the metadata', async () => {
  const id = await create('With metadata', '--metadata', '{"kept":1}')
  const set = await bd<Json[]>('update', id, '--set-metadata', 'a.b=c=d', '--set-metadata', 'gone=x')
  expect(set).toMatchObject([{ metadata: { kept: 1, 'a.b': 'c=d', gone: 'x' } }])
  expect((await bd<Json[]>('update', id, '--unset-metadata', 'gone'))[0]?.metadata).toEqual({ kept: 1, 'a.b': 'c=d' })
  expect((await lode(['update', id, '--set-metadata', 'novalue'])).code).toBe(1)
})

test('create --dry-run says what would be made and makes nothing', async () => {
  const before = await bd<Json[]>('list', '-n', '0')
  expect(await bd<Json>('create', 'Perhaps', '-t', 'bug', '-p', 'P1', '--parent', first, '--dry-run')).toMatchObject({
    dry_run: true,
    title: 'Perhaps',
    issue_type: 'bug',
    priority: 1,
    parent: first,
  })
  expect((await lode(['create', 'Perhaps', '--dry-run'])).out).toBe('would create (task, P2): Perhaps\n')
  expect((await lode(['create', 'Perhaps', '--parent', 'no-such', '--dry-run'])).code).toBe(1)
  expect(await bd<Json[]>('list', '-n', '0')).toEqual(before)
})
