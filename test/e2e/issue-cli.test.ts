/** The tracker as people and agents use it: `lode` processes in a project's folder, without a server and with one. */
import { afterEach, expect, test } from 'bun:test'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyRepository } from '../lab/empty-repository'
import { Lab } from '../lab/lab'
import type { Lode } from '../lab/lode'

const labs: Lab[] = []
afterEach(async () => {
  for (const lab of labs.splice(0)) await lab.stop()
})

interface Issue {
  id: string
  status: string
  closeReason: string | null
  closedBySession: string | null
  labels: string[]
  claim: { holder: string; sessionId: string | null } | null
}
type Json = Record<string, unknown>

class Project {
  readonly dir: string
  readonly lodeline: Lode

  constructor() {
    const lab = new Lab()
    labs.push(lab)
    this.dir = join(lab.root, 'project')
    emptyRepository(this.dir)
    this.lodeline = lab.addLode('home')
  }

  run(...words: string[]) {
    return this.lodeline.lode(...words, '-C', this.dir, '--actor', 'me')
  }

  /** `lode issue …` and its like, as JSON. */
  async json<T>(...words: string[]): Promise<T> {
    return await this.lodeline.json<T>(...words, '-C', this.dir, '--actor', 'me')
  }

  async create(...words: string[]): Promise<string> {
    return (await this.json<{ issue: Issue }>('issue', 'create', ...words)).issue.id
  }

  /** The file's issues by id. */
  lines(name = '.lodeline/issues.jsonl'): Map<string, Json> {
    const lines = readFileSync(join(this.dir, name), 'utf8').split('\n').filter(Boolean)
    return new Map(lines.map((line) => JSON.parse(line) as Json).map((line) => [String(line.id), line]))
  }
}

for (const place of ['without a server', 'with a server'] as const) {
  test(`${place}, an issue goes from its creation to its end, and every command leaves the file in step`, async () => {
    const project = new Project()
    if (place === 'with a server') await project.lodeline.up()
    const first = await project.create(
      'Make the parser',
      '-t',
      'feature',
      '-p',
      'P1',
      '-l',
      'core,easy',
      '-d',
      'All of it',
    )
    const second = await project.create('Use the parser', '--deps', first)
    expect(project.lines().get(first)).toMatchObject({
      title: 'Make the parser',
      priority: 1,
      issue_type: 'feature',
      labels: ['core', 'easy'],
      created_by: 'me',
    })
    expect(project.lines().get(second)?.dependencies).toMatchObject([{ depends_on_id: first, type: 'blocks' }])

    const ready = await project.json<{ issues: Issue[]; isTruncated: boolean }>('issue', 'ready')
    expect(ready.issues.map(({ id }) => id)).toEqual([first])
    const why = await project.json<{ isReady: boolean; reasons: { text: string }[] }>(
      'issue',
      'ready',
      '--explain',
      second,
    )
    expect(why.isReady).toBe(false)
    expect(why.reasons[0]?.text).toContain(first)
    const refused = await project.run('issue', 'close', second)
    expect([refused.exitCode, refused.stdout]).toEqual([4, ''])

    const part = first.slice('ld-'.length)
    const claimed = await project.json<{ issues: Issue[] }>(
      'issue',
      'update',
      part,
      '--claim',
      '--session',
      'session-1',
    )
    expect(claimed.issues[0]).toMatchObject({ status: 'in_progress', claim: { holder: 'me', sessionId: 'session-1' } })
    expect((await project.run('issue', 'claim', first, '--session', 'session-2')).exitCode).toBe(4)
    expect(project.lines().get(first)).toMatchObject({ status: 'in_progress', assignee: 'me' })

    await project.json('comment', 'add', first, 'It', 'works')
    await project.json('label', 'add', first, second, 'seen')
    const closed = await project.json<{ issues: Issue[] }>(
      'issue',
      'close',
      first,
      '-r',
      'Done',
      '--session',
      'session-1',
    )
    expect(closed.issues[0]).toMatchObject({ status: 'closed', closeReason: 'Done', closedBySession: 'session-1' })
    expect(project.lines().get(first)).toMatchObject({
      status: 'closed',
      close_reason: 'Done',
      closed_by_session: 'session-1',
      comments: [{ author: 'me', text: 'It works' }],
      labels: expect.arrayContaining(['seen']),
    })
    expect((await project.json<{ issues: Issue[] }>('issue', 'ready')).issues.map(({ id }) => id)).toEqual([second])
    await project.json('dep', 'remove', second, first)
    expect(project.lines().get(second)?.dependencies).toBeUndefined()
    await project.json('issue', 'reopen', first)
    expect(project.lines().get(first)?.status).toBe('open')
  })
}

test('a command sees what another program wrote to the file, and writes untouched lines back byte for byte', async () => {
  const project = new Project()
  mkdirSync(join(project.dir, '.beads'))
  const file = join(project.dir, '.beads/issues.jsonl')
  const foreign = `{"id":"bd-1","title":"From \\u003cbd\\u003e","status":"open","priority":0,"issue_type":"bug","created_at":"2025-11-20T10:00:00.123456789+01:00","updated_at":"2025-11-20T10:00:00.123456789+01:00","odd":{"b":1,"a":2}}`
  writeFileSync(file, `${foreign}\n`)
  const { issues } = await project.json<{ issues: { id: string; extra: Json }[] }>('issue', 'list')
  expect(issues).toMatchObject([{ id: 'bd-1', extra: { odd: { b: 1, a: 2 } } }])
  await project.create('Another')
  const lines = readFileSync(file, 'utf8').split('\n').filter(Boolean)
  expect([lines.includes(foreign), lines.length]).toEqual([true, 2])
  expect((await project.run('issue', 'export')).stdout).toBe(readFileSync(file, 'utf8'))
})

test('nothing is deleted or lost before somebody meant it', async () => {
  const project = new Project()
  const parent = await project.create('Parent')
  const child = await project.create('Child', '--parent', parent)
  const shown = await project.run('issue', 'delete', parent, '--cascade', '--json')
  expect(shown.exitCode).toBe(20)
  expect(JSON.parse(shown.stdout)).toMatchObject({ ids: [parent, child], isDone: false })
  expect([...project.lines().keys()].sort()).toEqual([parent, child].sort())

  const other = join(project.dir, 'other.jsonl')
  writeFileSync(other, '{"id":"ld-mine","title":"Only here"}\n')
  const refused = await project.run('issue', 'export', '-o', other)
  expect(refused.exitCode).toBe(4)
  expect(readFileSync(other, 'utf8')).toContain('ld-mine')
  expect((await project.run('issue', 'export', '-o', other, '--yes')).exitCode).toBe(0)
  expect(readFileSync(other, 'utf8')).not.toContain('ld-mine')

  await project.json('issue', 'delete', parent, '--cascade', '--yes')
  expect((await project.json<{ issues: Issue[] }>('issue', 'list', '--all')).issues).toEqual([])
})

test('of several issues those that can be changed are changed, and the others are named', async () => {
  const project = new Project()
  const id = await project.create('One')
  const run = await project.run('issue', 'close', id, 'ld-none', '--json')
  expect(run.exitCode).toBe(3)
  expect(JSON.parse(run.stdout)).toMatchObject({
    issues: [{ id, status: 'closed' }],
    failures: [{ id: 'ld-none', code: 'not_found' }],
  })
})

test("lode bd answers in bd's shapes", async () => {
  const project = new Project()
  const bd = <T>(...words: string[]) => project.json<T>('bd', ...words)
  const create = async (title: string, ...more: string[]) => {
    const made = await bd<Json>('create', title, ...more)
    expect(made).toMatchObject({ title, status: 'open', issue_type: 'task', schema_version: 1 })
    return String(made.id)
  }
  const a = await create('A: unblocked leaf')
  const b = await create('B: blocked by an open bead')
  const h = await create('H: blocked transitively through B')
  expect(await bd<Json>('dep', 'add', b, a)).toEqual({
    depends_on_id: a,
    issue_id: b,
    schema_version: 1,
    status: 'added',
    type: 'blocks',
  })
  await bd('dep', 'add', h, '--blocked-by', b)
  const f = await create('F: only non-blocking links', '--deps', `related:${a},discovered-from:${b}`)

  const keys = ['id', 'title', 'status', 'priority', 'issue_type', 'created_at', 'created_by', 'updated_at']
  const counts = ['dependency_count', 'dependent_count', 'comment_count']
  const list = await bd<Json[]>('list')
  const listed = new Map(list.map((item) => [item.id, item]))
  expect(Object.keys(listed.get(a) ?? {})).toEqual([...keys, ...counts])
  expect(listed.get(a)).toMatchObject({ dependency_count: 0, dependent_count: 1, comment_count: 0 })
  expect(Object.keys(listed.get(b) ?? {})).toEqual([...keys, 'dependencies', ...counts])
  expect(listed.get(b)?.dependencies).toMatchObject([{ issue_id: b, depends_on_id: a, type: 'blocks', metadata: '{}' }])

  // Here the counts are over edges of every type, and what is needed are whole issues.
  const [shown] = await bd<Json[]>('show', b)
  expect(shown).toMatchObject({ dependent_count: 2, dependency_count: 1, comment_count: 0 })
  expect(shown?.dependencies).toMatchObject([{ id: a, title: 'A: unblocked leaf', dependency_type: 'blocks' }])
  expect(await bd<Json[]>('dep', 'list', b)).toEqual(shown?.dependencies as Json[])
  expect(await bd<Json[]>('dep', 'tree', h)).toMatchObject([
    { id: h, depth: 0, parent_id: '', truncated: false },
    { id: b, depth: 1, parent_id: h, edge_from_parent: 'blocks', truncated: false },
    { id: a, depth: 2, parent_id: b, edge_from_parent: 'blocks', truncated: false },
  ])
  expect((await bd<Json[]>('ready')).map(({ id }) => id).sort()).toEqual([a, f].sort())
  const blocked = await bd<Json[]>('blocked')
  expect(blocked.find(({ id }) => id === h)).toMatchObject({ blocked_by_count: 1, blocked_by: [b] })

  expect(await bd<Json[]>('label', 'add', a, 'x')).toEqual([{ issue_id: a, label: 'x', status: 'added' }])
  expect(await bd<string[]>('label', 'list', a)).toEqual(['x'])
  expect(await bd<Json>('comments', 'add', a, 'hello')).toMatchObject({ issue_id: a, author: 'me', text: 'hello' })
  expect(await bd<Json[]>('comments', a)).toMatchObject([{ issue_id: a, author: 'me', text: 'hello' }])
  expect(await bd<Json[]>('update', a, '--claim')).toMatchObject([{ id: a, status: 'in_progress', assignee: 'me' }])
  expect(await bd<Json[]>('close', a, '--reason', 'ok')).toMatchObject([
    { id: a, status: 'closed', close_reason: 'ok' },
  ])
  expect(await bd<Json>('stats')).toMatchObject({ summary: { total_issues: 4, closed_issues: 1, blocked_issues: 1 } })
  expect((await project.run('bd', 'q', 'Quick')).stderr).toContain("nearest is 'lode bd create TITLE --silent'")

  const wrong = await project.run('bd', 'show', 'ld-none', '--json')
  expect([wrong.exitCode, wrong.stdout]).toEqual([1, ''])
  expect(JSON.parse(wrong.stderr)).toMatchObject({ code: 'not_found', schema_version: 1 })
  expect((await project.run('bd', 'sync')).stderr).toContain("nearest is 'lode issue sync'")
  expect((await project.run('bd', 'lsit')).stderr).toContain("nearest is 'lode bd list'")
})

test("lode bd ready goes by bd's rule where ours is another", async () => {
  const project = new Project()
  const outside = await project.create('Waits for something outside', '--deps', 'external:other:thing', '-l', 'x')
  const chosen = await project.create('Chosen', '-p', '0')
  const native = await project.json<{ issues: Issue[] }>('issue', 'ready')
  expect(native.issues.map(({ id }) => id)).toEqual([chosen])
  const ids = async (...words: string[]) => (await project.json<Json[]>('bd', 'ready', ...words)).map(({ id }) => id)
  expect(await ids()).toEqual([chosen, outside])
  expect(await ids('-l', 'x')).toEqual([outside])
  expect(await ids('-p', 'P0', '-t', 'task')).toEqual([chosen])
  expect(await ids('-t', 'bug')).toEqual([])
  expect(await project.json<Json>('bd', 'ready', '--explain', outside)).toMatchObject({ id: outside, isReady: false })
})
