import { describe, expect, test } from 'bun:test'
import { issueId, sessionId } from '../../domain/ids'
import type { FullIssue } from '../../domain/issue/issue'
import { decodeFile, encodeFile } from './file-text'
import { isGreatLoss, lossOf } from './loss'
import { parseIssueFile } from './parse'
import { newFileStyle } from './style'
import { formatIssueFile, writeIssueFile } from './write'

const TIMES = '"created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-02T00:00:00Z"'
const parse = (...lines: string[]) => parseIssueFile(lines.map((line) => `${line}\n`).join(''), { isBeads: true })
const only = (line: string): FullIssue => {
  const [first] = parse(line).issues
  if (first === undefined) throw new Error('no issue was read')
  return first.issue
}
/** The line after one change. */
const changed = (line: string, change: Partial<FullIssue>, isBeads = true): string => {
  const file = parseIssueFile(`${line}\n`, { isBeads })
  return writeIssueFile(file, { issues: file.issues.map(({ issue }) => ({ ...issue, ...change })) }).slice(0, -1)
}

describe('lines of any era', () => {
  test('a missing priority is 0, one that can not be read is 2, and P1 is 1', () => {
    const read = (priority: string) => only(`{"id":"a-1","title":"t"${priority}}`).priority
    expect([
      read(''),
      read(',"priority":null'),
      read(',"priority":"high"'),
      read(',"priority":"P1"'),
      read(',"priority":9'),
    ]).toEqual([0, 0, 2, 1, 2])
  })

  test('ids of comments are numbers or texts, and stay what they were', () => {
    const line = `{"id":"a-1","title":"t",${TIMES},"comments":[{"id":7,"issue_id":"a-1","author":"x","text":"old","created_at":"2025-10-01T00:00:00Z"},{"id":"0198-u","author":"y","text":"new","created_at":""}]}`
    const issue = only(line)
    expect(issue.comments.map(({ id }) => id)).toEqual(['7', '0198-u'])
    expect(changed(line, { title: 'u' })).toBe(line.replace('"t"', '"u"'))
    const more = changed(line, {
      comments: [...issue.comments, { id: '8', author: 'z', text: 'third', createdAt: 'now' }],
    })
    expect(more).toContain('{"id":8,"issue_id":"a-1","author":"z","text":"third","created_at":"now"}]}')
  })

  test('off-spec edges are read as what they mean and written as they were', () => {
    const line = `{"id":"a-1","title":"t",${TIMES},"dependencies":[{"issue_id":"a-1","depends_on_id":"a-2","type":"parent_child","x":1},{"issue_id":"a-1","depends_on_id":"a-3","type":"blocked-by"}]}`
    const issue = only(line)
    expect(issue.dependencies.map(({ type }) => type)).toEqual(['parent-child', 'blocks'])
    const [first] = issue.dependencies
    if (first === undefined) throw new Error('no edge was read')
    const more = changed(line, {
      dependencies: [...issue.dependencies.toReversed(), { ...first, dependsOnId: issueId('a-4'), type: 'blocks' }],
    })
    expect(more).toStartWith(line.slice(0, -2))
    expect(more).toEndWith(
      ',{"issue_id":"a-1","depends_on_id":"a-4","type":"blocks","created_at":"","metadata":"{}"}]}',
    )
  })

  test('a pair of edges that says the same from both ends is no circle', () => {
    const file = parse(
      '{"id":"a-p","title":"p","dependencies":[{"issue_id":"a-p","depends_on_id":"a-c","type":"child"}]}',
      '{"id":"a-c","title":"c","dependencies":[{"issue_id":"a-c","depends_on_id":"a-p","type":"parent_child"}]}',
    )
    expect(file.issues.map(({ issue }) => issue.dependencies[0]?.type)).toEqual(['child', 'parent-child'])
    expect(file.notices).toEqual([])
    expect(writeIssueFile(file, { issues: structuredClone(file.issues.map(({ issue }) => issue)) })).toContain(
      '"type":"child"',
    )
  })

  test('times, big numbers, odd escapes and keys that nobody knows keep their bytes in a changed line', () => {
    const line =
      '{"id":"a-1","title":"t","status":"open","created_at":"2025-10-14T12:00:00.123456789-07:00","timeout":12345678901234567890,"metadata":{"\\u0041":1.0,"b" : "\\/"},"x_own":{"__proto__":1},"updated_at":"2025-10-14T12:00:00.1-07:00"}'
    const issue = only(line)
    expect(issue.createdAt).toEndWith('.123456789-07:00')
    expect(Object.keys(issue.extra)).toEqual(['timeout', 'metadata', 'x_own'])
    expect(changed(line, { title: '<&>\u2028' })).toBe(line.replace('"t"', '"\\u003c\\u0026\\u003e\\u2028"'))
  })

  test('a changed line has new keys where beads writes them, and the style of its file', () => {
    const change = { assignee: 'me', closedAt: '2026-02-01T00:00:00Z', status: 'closed', labels: ['a'] }
    expect(changed(`{"id":"a-1","title":"t","status":"open","priority":1,${TIMES},"dependency_count":0}`, change)).toBe(
      `{"id":"a-1","title":"t","status":"closed","priority":1,"assignee":"me",${TIMES},"closed_at":"2026-02-01T00:00:00Z","labels":["a"],"dependency_count":0}`,
    )
    expect(changed('{"id": "a-1", "title": "<t>", "updated_at": "x"}\r', change)).toBe(
      '{"id": "a-1", "title": "<t>", "status": "closed", "assignee": "me", "updated_at": "x", "closed_at": "2026-02-01T00:00:00Z", "labels": ["a"]}\r',
    )
  })

  test('the session that works on an issue is written to our own file, never to one of beads', () => {
    const line = `{"id":"a-1","title":"t",${TIMES}}`
    expect(changed(line, { activeTaskSession: sessionId('s') }, false)).toContain('"active_task_session":"s"')
    expect(changed(line, { activeTaskSession: sessionId('s') })).toBe(line)
  })
})

describe('a file', () => {
  test('has its newest copy of each issue, and says where the others are', () => {
    const at = (day: number) => `{"id":"a-1","title":"day ${day}","updated_at":"2026-01-0${day}T00:00:00Z"}`
    const file = parse(at(1), at(3), at(2), at(3))
    expect(file.issues.map(({ line }) => line)).toEqual([4])
    expect(file.kept.map(({ kind, line }) => `${kind} ${line}`)).toEqual(['duplicate 1', 'duplicate 2', 'duplicate 3'])
    expect(file.notices).toEqual(['a-1 is on lines 1, 2, 3, 4; line 4 is used because it is the newest.'])
    expect(writeIssueFile(file, { issues: [], deleted: new Set(['a-1']) })).toBe('')
  })

  test('gives good lines from between the markers of a conflict, and names all others by line', () => {
    const file = parse(
      '{"id":"a-1","title":"one"}',
      '<<<<<<< HEAD',
      '{"id":"a-2","title":"mine"}',
      '=======',
      '{"id":"a-3","title":"theirs"}',
      '>>>>>>> main',
      ',"status":"open"}',
      '{"title":"nameless"}',
    )
    expect(file.issues.map(({ issue }) => issue.title)).toEqual(['one', 'mine', 'theirs'])
    expect(file.bad.map(({ line }) => line)).toEqual([2, 4, 6, 7, 8])
    expect(file.notices.at(-1)).toBe('Line 8 is ignored: it has no id.')
  })

  test('keeps a line aside that is nested too deeply to be walked', () => {
    for (const depth of [600, 200_000]) {
      const deep = `{"id":"a-1","title":"t","metadata":${'['.repeat(depth)}${']'.repeat(depth)}}`
      expect(parse(deep, '{"id":"a-2","title":"t"}').notices).toEqual(['Line 1 is ignored: it is nested too deeply.'])
    }
  })

  test('reports edges that lead nowhere, circles and several parents', () => {
    const edge = (to: string, type: string) => `{"issue_id":"a-1","depends_on_id":"${to}","type":"${type}"}`
    const { notices } = parse(
      `{"id":"a-1","title":"t","dependencies":[${edge('a-1', 'blocks')},${edge('gone', 'blocks')},${edge('external:p:x', 'blocks')},${edge('a-2', 'parent-child')},${edge('a-3', 'parent-child')}]}`,
      '{"id":"a-2","title":"t"}',
      '{"id":"a-3","title":"t"}',
    )
    expect(notices).toEqual([
      'Line 1: a-1 has an edge (blocks) to gone, which is not in the file.',
      'These issues wait for one another: a-1 → a-1.',
      'Line 1: a-1 has several parents: a-2, a-3.',
    ])
  })

  test('holds memories, headers and tombstones where they are; a newer tombstone buries its issue', () => {
    const file = parse(
      '{"_schema":"beads-jsonl/1","_sort":"stable-v1"}',
      '{"id":"a-1","title":"t","updated_at":"2026-01-01T00:00:00Z"}',
      '{"id":"a-1","title":"t","status":"tombstone","deleted_at":"2026-02-01T00:00:00Z"}',
      '{"id":"a-2","title":"t","updated_at":"2026-03-01T00:00:00Z"}',
      '{"id":"a-2","title":"t","status":"tombstone","deleted_at":"2026-02-01T00:00:00Z"}',
      '{"_type":"memory","key":"k","value":"v"}',
    )
    expect(file.issues.map(({ issue }) => issue.id as string)).toEqual(['a-2'])
    expect(file.kept.map(({ kind }) => kind)).toEqual(['header', 'duplicate', 'tombstone', 'tombstone', 'other'])
    expect(file.notices).toEqual(['a-1 is deleted: line 3 deletes it and is newer than the issue.'])
  })

  test('puts new issues where its own order has them, and to the end where it has none', () => {
    const line = (id: string, priority: number, day = 1) =>
      `{"id":"${id}","title":"t","priority":${priority},"created_at":"2026-01-0${day}T00:00:00Z"}`
    const fresh = { ...only(line('a-3', 1)), id: issueId('a-3') }
    const ids = (...lines: string[]) =>
      [...writeIssueFile(parse(...lines), { issues: [fresh] }).matchAll(/"id":"([^"]+)"/g)].map((match) => match[1])
    expect(ids(line('a-1', 4), line('a-2', 0), line('a-4', 3))).toEqual(['a-1', 'a-2', 'a-3', 'a-4'])
    expect(ids(line('a-9', 0), line('a-4', 1, 2), line('a-8', 2), line('a-5', 2, 1).replace('a-5', 'a-85'))).toEqual([
      'a-9',
      'a-4',
      'a-3',
      'a-8',
      'a-85',
    ])
    expect(ids(line('a-9', 4), line('a-1', 0), line('a-5', 2))).toEqual(['a-9', 'a-1', 'a-5', 'a-3'])
  })

  test('that is new is sorted by id and looks as beads writes it', () => {
    const blank = only('{"id":"b-2","title":"x & y","priority":2,"created_at":"2026-01-01T00:00:00Z"}')
    const text = formatIssueFile(
      [blank, { ...blank, id: issueId('b-1'), extra: { pinned: true, own: 1 } }],
      newFileStyle(true),
    )
    expect(text.split('\n')).toEqual([
      '{"_type":"issue","id":"b-1","title":"x \\u0026 y","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","pinned":true,"own":1,"dependency_count":0,"dependent_count":0,"comment_count":0}',
      '{"_type":"issue","id":"b-2","title":"x \\u0026 y","status":"open","priority":2,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z","dependency_count":0,"dependent_count":0,"comment_count":0}',
      '',
    ])
  })
})

test('bytes that are no UTF-8 are in a bad line, and are written back as they were', () => {
  const bytes = Buffer.concat([
    Buffer.from('{"id":"a-1","title":"é😀"}\n{"id":"a-2","title":"'),
    Buffer.from([0xff, 0xc3, 0x28, 0xed, 0xa0, 0x80]),
    Buffer.from('"}\n\ufeff{}'),
  ])
  const text = decodeFile(bytes)
  expect(Buffer.from(encodeFile(text)).equals(bytes)).toBe(true)
  const file = parseIssueFile(text, { isBeads: true })
  expect(file.issues).toHaveLength(1)
  expect(file.bad[0]).toMatchObject({ line: 2, reason: 'it is not UTF-8' })
  expect(Buffer.from(encodeFile(writeIssueFile(file, { issues: [] }))).equals(bytes)).toBe(true)
})

test('what a write would lose is counted: issues, and of the others edges and comments', () => {
  const issue = only(
    '{"id":"a-1","title":"t","dependencies":[{"depends_on_id":"a-2","type":"blocks"},{"depends_on_id":"a-3","type":"blocks"}],"comments":[{"id":1,"author":"a","text":"x","created_at":""}]}',
  )
  const gone = { ...issue, id: issueId('a-9') }
  const loss = lossOf([issue, gone], [{ ...issue, dependencies: issue.dependencies.slice(1), comments: [] }])
  expect(loss).toEqual({ issues: ['a-9'], edgeCount: 1, commentCount: 1 })
  expect([isGreatLoss(loss, 1), isGreatLoss(loss, 0)]).toEqual([false, true])
})
