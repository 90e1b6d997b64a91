import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { emptyRepository } from '../../test/lab/empty-repository'
import { dispatch } from './dispatch'
import { fakeIo } from './kit/fake-io'
import { differences } from './kit/json-shapes'

/** The tracker's commands in process, on a real database and a real file: what they answer is held against the document. */
const root = realpathSync(mkdtempSync('/tmp/ld-'))
const dir = join(root, 'project')
emptyRepository(dir)
afterAll(() => rmSync(root, { recursive: true, force: true }))

const never = new AbortController().signal
async function lode(...words: string[]) {
  const io = fakeIo({ env: { HOME: root, LODELINE_HOME: join(root, 'lode'), USER: 'me' }, cwd: dir })
  const code = await dispatch([...words, '--json'], io, never)
  return { code, out: io.stdout, err: io.stderr }
}
async function answer<T>(...words: string[]): Promise<T> {
  const { code, out, err } = await lode(...words)
  if (code !== 0) throw new Error(`lode ${words.join(' ')} ended with ${code}: ${err}`)
  return JSON.parse(out) as T
}
const create = async (...words: string[]): Promise<string> =>
  (await answer<{ issue: { id: string } }>('issue', 'create', ...words)).issue.id

let epic: string
let child: string
let bug: string
beforeAll(async () => {
  epic = await create('Everything', '-t', 'epic')
  child = await create('A part', '--parent', epic, '-l', 'x,y', '-e', '30', '--due', '2d', '--metadata', '{"a":1}')
  bug = await create('Broken', '-t', 'bug', '-p', 'P0', '--deps', child)
  await answer('comment', 'add', bug, 'seen', 'twice')
})

describe('the answer of', () => {
  const pinned = (name: string, run: () => Promise<unknown>, holds: (value: never) => boolean = () => true) =>
    test(`${name} is what the document says`, async () => {
      const value = await run()
      expect(differences(value, name, name)).toEqual([])
      expect(holds(value as never)).toBe(true)
    })
  type Issues = { issues: { id: string }[]; isTruncated: boolean; total: number; nextCursor: string | null }

  pinned('lode issue create', () => answer('issue', 'create', 'x', '-s', 'deferred', '--owner', 'me'))
  pinned(
    'lode issue list',
    () => answer('issue', 'list', '-n', '1'),
    (v: Issues) => v.isTruncated && v.nextCursor !== null && v.total > 3 && v.issues[0]?.id === bug,
  )
  pinned(
    'lode issue search',
    () => answer('issue', 'search', 'brok'),
    (v: Issues) => v.issues.length === 1,
  )
  pinned(
    'lode issue ready',
    () => answer('issue', 'ready', '-n', '1'),
    (v: Issues) => v.isTruncated && v.issues.length === 1 && v.issues[0]?.id !== bug,
  )
  pinned(
    'lode issue ready --explain',
    () => answer('issue', 'ready', '--explain', bug),
    (v: { isReady: boolean; reasons: unknown[] }) => !v.isReady && v.reasons.length === 1,
  )
  pinned(
    'lode issue blocked',
    () => answer('issue', 'blocked'),
    (v: { issues: { blockedBy: string[] }[] }) => v.issues[0]?.blockedBy[0] === child,
  )
  pinned(
    'lode issue show',
    () => answer('issue', 'show', child, bug),
    (v: { issues: { needs: unknown[]; dependents: unknown[]; comments: unknown[] }[] }) =>
      v.issues.every(({ needs }) => needs.length === 1) && v.issues[1]?.comments.length === 1,
  )
  pinned('lode issue update', () => answer('issue', 'update', bug, '-p', '1', '--append-notes', 'n', '--assignee', ''))
  pinned(
    'lode issue claim',
    () => answer('issue', 'claim', child),
    (v: { issues: { claim: { holder: string } }[] }) => v.issues[0]?.claim.holder === 'me',
  )
  pinned('lode issue close', async () => answer('issue', 'close', await create('to close'), '-r', 'why'))
  pinned('lode issue reopen', async () => {
    const id = await create('to reopen')
    await answer('issue', 'close', id)
    return answer('issue', 'reopen', id)
  })
  pinned(
    'lode issue delete',
    async () => answer('issue', 'delete', await create('to delete'), '--yes'),
    (v: { isDone: boolean }) => v.isDone,
  )
  pinned(
    'lode issue list',
    () => answer('issue', 'list', '--updated-before', '30d'),
    (v: { issues: unknown[] }) => v.issues.length === 0,
  )
  pinned('lode issue stats', () => answer('issue', 'stats'))
  pinned('lode issue export', () => answer('issue', 'export'))
  pinned('lode issue export', () => answer('issue', 'export', '-o', 'out.jsonl'))
  pinned(
    'lode issue import',
    async () => {
      writeFileSync(
        join(dir, 'other.jsonl'),
        '{"id":"old-1","title":"From before","created_at":"2025-01-01T00:00:00Z"}\n',
      )
      return answer('issue', 'import', 'other.jsonl')
    },
    (v: { created: string[] }) => v.created[0] === 'old-1',
  )
  pinned('lode issue sync', () => answer('issue', 'sync'))
  pinned('lode dep add', () => answer('dep', 'add', epic, 'external:other:thing', '-t', 'related'))
  pinned('lode dep list', () => answer('dep', 'list', child, '--direction', 'up'))
  pinned(
    'lode dep tree',
    () => answer('dep', 'tree', bug),
    (v: { nodes: unknown[] }) => v.nodes.length > 1,
  )
  pinned('lode dep cycles', () => answer('dep', 'cycles'))
  pinned('lode dep remove', () => answer('dep', 'remove', epic, 'external:other:thing'))
  pinned('lode label add', () => answer('label', 'add', bug, child, 'urgent'))
  pinned(
    'lode label list',
    () => answer('label', 'list'),
    (v: { labels: unknown[] }) => v.labels.length === 3,
  )
  pinned('lode label remove', () => answer('label', 'remove', bug, 'urgent'))
  pinned('lode comment add', () => answer('comment', 'add', bug, 'more'))
  pinned('lode comment list', () => answer('comment', 'list', bug))
  pinned(
    'lode epic status',
    () => answer('epic', 'status'),
    (v: { epics: { totalChildren: number }[] }) => v.epics[0]?.totalChildren === 1,
  )
})

test('lode issue show tells what the session that holds the issue is at', async () => {
  await answer('import', join(import.meta.dir, '../../test/fixtures/claude-code/transcripts/2.1.328'))
  const { todos } = await answer<{ todos: { sessionId: string; status: string }[] }>('todo', 'list', '--all')
  const session = todos[0]?.sessionId ?? ''
  const own = todos.filter(({ sessionId }) => sessionId === session)
  const id = await create('Worked on')
  await answer('issue', 'claim', id, '--session', session)
  const { issues } = await answer<{ issues: { work: { todos: unknown[] } }[] }>('issue', 'show', id)
  expect(differences(issues[0], 'ShownIssue', 'issue')).toEqual([])
  const completed = own.filter(({ status }) => status === 'completed').length
  expect(issues[0]?.work).toMatchObject({ sessionId: session, total: own.length, completed })
  expect(own.length).toBeGreaterThan(0)

  // One that the record has nothing of is said to hold it, and no more.
  const other = await create('Worked on elsewhere')
  await answer('issue', 'claim', other, '--session', 'never-seen')
  const shown = await answer<{ issues: { work: unknown; claim: unknown }[] }>('issue', 'show', other)
  expect(shown.issues[0]).toMatchObject({ work: null, claim: { sessionId: 'never-seen', state: 'unknown' } })
})

test("what an issue's texts hold never reaches the terminal as a command to it", async () => {
  const evil = 'a\u001b[31mred\u001b]0;title\u0007 \u009b2J \u202eback'
  const id = await create(evil, '-d', evil, '--notes', evil, '-l', 'x\u001b[1m')
  await answer('comment', 'add', id, evil)
  await answer('dep', 'add', bug, id, '-t', 'related')
  const lines = [
    ['issue', 'show', id],
    ['issue', 'list', '-n', '0'],
    ['dep', 'tree', bug],
    ['comment', 'list', id],
  ]
  for (const words of [...lines, ['label', 'list', id], ['dep', 'list', bug], ['issue', 'update', id, '-p', '1']]) {
    const io = fakeIo({ env: { HOME: root, LODELINE_HOME: join(root, 'lode'), USER: 'me' }, cwd: dir, columns: 200 })
    expect(await dispatch(words, io, never)).toBe(0)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
    expect(io.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/)
  }
})

describe('hostile words', () => {
  const lines = [
    ['issue', 'show', '../../etc/passwd'],
    ['issue', 'show', 'x'.repeat(300)],
    ['issue', 'create', 'x', '-p', '9'],
    ['issue', 'create', 'x', '--metadata', '[1]'],
    ['issue', 'create', 'x', '--deps', 'blocks:'],
    ['issue', 'create', 'x', '--body-file', '/dev/null'],
    ['issue', 'create', 'x', '--session', '../x'],
    ['issue', 'create', 'x'.repeat(501)],
    ['issue', 'create'],
    ['issue', 'update', 'ld-none'],
    ['issue', 'list', '--created-after', 'once'],
    ['issue', 'import', 'none.jsonl'],
    ['dep', 'add', 'ld-none', 'ld-other'],
    ['dep', 'add', 'ld-none'],
    ['label', 'add', 'ld-none', ''],
    ['comment', 'add', 'ld-none'],
  ]
  for (const words of lines)
    test(`end in a typed error with nothing on stdout: ${words.join(' ').slice(0, 40)}`, async () => {
      const { code, out, err } = await lode(...words)
      expect([code > 1 && code < 13, out]).toEqual([true, ''])
      expect(differences((JSON.parse(err) as { error: unknown }).error, 'Error', 'error')).toEqual([])
    })
})
