import { describe, expect, test } from 'bun:test'
import { mergeIssueFiles } from './merge'

type Line = Record<string, unknown>
const DAY = (n: number) => `2026-01-0${n}T00:00:00Z`
const base: Line = { id: 'a-1', title: 't', status: 'open', priority: 2, created_at: DAY(1), updated_at: DAY(1) }
const text = (...lines: Line[]) => lines.map((line) => `${JSON.stringify(line)}\n`).join('')

/** Merges one issue whose sides differ from the base by these keys. */
function merge(was: Line | null, ours: Line, theirs: Line) {
  const result = mergeIssueFiles(
    was === null ? null : text({ ...base, ...was }),
    text({ ...base, ...was, ...ours }),
    text({ ...base, ...was, ...theirs }),
  )
  return { line: JSON.parse(result.text.split('\n')[0] ?? '') as Line, decisions: result.decisions }
}
const comment = (id: number | string, said: string, at = DAY(1)) => ({
  id,
  issue_id: 'a-1',
  author: 'me',
  text: said,
  created_at: at,
})
const edge = (to: string, type = 'blocks') => ({ issue_id: 'a-1', depends_on_id: to, type, created_at: DAY(1) })

describe('fields', () => {
  test('that one side changed are taken, unknown ones and ones that are gone included', () => {
    const { line, decisions } = merge(
      { assignee: 'x', x_own: { a: 1, b: 1 } },
      { title: 'ours', updated_at: DAY(2), assignee: undefined, x_own: { a: 2, b: 1 } },
      { priority: 0, updated_at: DAY(3), x_own: { a: 1, b: 1, c: 1 } },
    )
    expect(line).toEqual({ ...base, title: 'ours', priority: 0, updated_at: DAY(3), x_own: { a: 2, b: 1, c: 1 } })
    expect(decisions).toEqual([{ id: 'a-1', field: 'x_own', taken: 'both', reason: 'both changed it: merged by key' }])
  })

  test('that both changed are of the newer side, and the other value is said', () => {
    const { line, decisions } = merge(
      {},
      { title: 'ours', updated_at: DAY(2) },
      { title: 'theirs', updated_at: DAY(3) },
    )
    expect(line.title).toBe('theirs')
    expect(decisions).toEqual([
      {
        id: 'a-1',
        field: 'title',
        taken: 'theirs',
        reason: 'both changed it and this side is newer; the other side had "ours"',
      },
    ])
  })

  test('a priority that is missing is zero, and no change of one', () => {
    expect(merge({ priority: 0 }, { priority: undefined, title: 'u' }, { priority: 3 }).line.priority).toBe(3)
  })

  test('texts that both changed are both kept, the newer first; one that holds the other is enough', () => {
    const { line, decisions } = merge(
      { notes: 'n' },
      { notes: 'mine', updated_at: DAY(2) },
      { notes: 'theirs', updated_at: DAY(3) },
    )
    expect(line.notes).toBe('theirs\n\n---\n\nmine')
    expect(decisions[0]).toMatchObject({ field: 'notes', taken: 'both' })
    expect(merge({ notes: 'n' }, { notes: 'n and more' }, { notes: 'n and' }).line.notes).toBe('n and more')
    expect(merge({ notes: 'n' }, { notes: undefined }, { notes: 'theirs' }).line.notes).toBe('theirs')
  })
})

describe('status', () => {
  const closed = (day: number) => ({
    status: 'closed',
    closed_at: DAY(day),
    close_reason: 'done',
    updated_at: DAY(day),
  })
  test('closed wins over a later change that is no reopening, with all that belongs to it', () => {
    const { line, decisions } = merge({}, closed(2), { status: 'in_progress', updated_at: DAY(3) })
    expect(line).toEqual({ ...base, ...closed(2), updated_at: DAY(3) })
    expect(decisions[0]).toMatchObject({ field: 'status', taken: 'ours', reason: 'one side closed it' })
    expect(merge(null, { status: 'open', updated_at: DAY(3) }, closed(2)).line.status).toBe('closed')
  })
  test('a later reopening wins over closed, an earlier one does not', () => {
    const open = (day: number) => ({
      status: 'open',
      closed_at: undefined,
      close_reason: undefined,
      updated_at: DAY(day),
    })
    const again = { ...closed(4), close_reason: 'really' }
    expect(merge(closed(1), again, open(5)).line).toEqual({ ...base, status: 'open', updated_at: DAY(5) })
    expect(merge(closed(1), again, open(3)).line).toMatchObject({ status: 'closed', close_reason: 'really' })
  })
})

describe('sets', () => {
  test('labels and edges have what either side put in, and not what either took out', () => {
    const { line } = merge(
      { labels: ['a', 'b'], dependencies: [edge('x'), edge('y')] },
      { labels: ['a', 'c'], dependencies: [edge('x'), edge('y'), edge('z')] },
      { labels: ['a', 'b', 'd'], dependencies: [edge('y')] },
    )
    expect(line.labels).toEqual(['a', 'c', 'd'])
    expect(line.dependencies).toEqual([edge('y'), edge('z')])
  })

  test('an edge in two spellings is one', () => {
    expect(
      merge(null, { dependencies: [edge('p', 'parent_child')] }, { dependencies: [edge('p', 'parent-child')] }).line
        .dependencies,
    ).toHaveLength(1)
  })

  test('comments that two clones numbered alike are both kept, under two numbers', () => {
    const { line } = merge(
      { comments: [comment(1, 'first')] },
      { comments: [comment(1, 'first'), comment(2, 'mine', DAY(2))] },
      { comments: [comment(1, 'first'), comment(2, 'theirs', DAY(3))] },
    )
    expect(line.comments).toEqual([comment(1, 'first'), comment(2, 'mine', DAY(2)), comment(3, 'theirs', DAY(3))])
  })

  test('a comment that got a new kind of id is the same; one that was taken out stays out; one that was edited stays', () => {
    const moved = comment('0190-u', 'first', '2026-01-01T01:00:00.4+01:00')
    expect(merge(null, { comments: [comment(1, 'first')] }, { comments: [moved] }).line.comments).toHaveLength(1)
    expect(merge({ comments: [comment(1, 'x')] }, { comments: [] }, { title: 'u' }).line.comments ?? []).toEqual([])
    expect(
      merge({ comments: [comment(1, 'x')] }, { comments: [] }, { comments: [comment(1, 'edited')] }).line.comments,
    ).toEqual([comment(1, 'edited')])
  })

  test('counts follow what was merged', () => {
    const counts = { dependency_count: 0, dependent_count: 0, comment_count: 0 }
    const other: Line = { ...base, id: 'a-2', ...counts }
    const a2 = (to?: string) => ({
      ...other,
      ...(to === undefined ? {} : { dependencies: [{ ...edge(to), issue_id: 'a-2' }], dependency_count: 1 }),
    })
    const result = mergeIssueFiles(
      text({ ...base, ...counts }, a2()),
      text({ ...base, comments: [comment(1, 'x')], ...counts, comment_count: 1 }, a2('a-1')),
      text({ ...base, dependencies: [edge('q')], ...counts, dependency_count: 1 }, a2()),
    )
    expect(result.text.split('\n')[0]).toEndWith('"dependency_count":1,"dependent_count":1,"comment_count":1}')
  })
})

describe('whole issues', () => {
  const two = { ...base, id: 'a-2' }
  test('deleted on one side and left alone on the other are gone; changed ones are kept, and it is said', () => {
    expect(mergeIssueFiles(text(base, two), text(two), text(base, { ...two, title: 'u' })).text).toBe(
      text({ ...two, title: 'u' }),
    )
    const { text: merged, decisions } = mergeIssueFiles(text(base, two), text(two), text({ ...base, title: 'u' }, two))
    expect(merged).toBe(text({ ...base, title: 'u' }, two))
    expect(decisions).toEqual([
      { id: 'a-1', field: '', taken: 'theirs', reason: 'one side deleted it, the other changed it: kept' },
    ])
  })

  test('a tombstone deletes what the other side left alone, and what is older where there is no base', () => {
    const grave = { ...base, status: 'tombstone', deleted_at: DAY(5) }
    expect(mergeIssueFiles(text(base, two), text(grave, two), text(base, { ...two, title: 'u' })).text).toBe(
      text(grave, { ...two, title: 'u' }),
    )
    expect(mergeIssueFiles(null, text(base), text(grave)).text).toBe(text(grave))
    expect(mergeIssueFiles(null, text({ ...base, updated_at: DAY(6) }), text(grave)).text).toBe(
      text({ ...base, updated_at: DAY(6) }),
    )
  })

  test("added on both sides come together, in the file's order", () => {
    const line = (id: string) => ({ ...base, id })
    expect(
      mergeIssueFiles(text(line('a-5')), text(line('a-3'), line('a-5')), text(line('a-4'), line('a-5'), line('a-7')))
        .text,
    ).toBe(text(line('a-3'), line('a-4'), line('a-5'), line('a-7')))
  })

  test('a conflict that is already in the file is resolved by field', () => {
    const ours = [
      '<<<<<<< HEAD',
      JSON.stringify({ ...base, labels: ['a'] }),
      '||||||| base',
      JSON.stringify({ ...base, labels: ['was'] }),
      '=======',
      JSON.stringify({ ...base, labels: ['b'], updated_at: DAY(2) }),
      '>>>>>>> x',
      '',
    ].join('\n')
    const merged = mergeIssueFiles(text({ ...base, labels: ['was'] }), ours, text({ ...base, labels: ['was'] })).text
    expect(merged.split('\n')).toHaveLength(2)
    expect(JSON.parse(merged)).toEqual({ ...base, labels: ['a', 'b'], updated_at: DAY(2) })
    expect(mergeIssueFiles(null, ours, ours).text).toBe(merged)
  })

  test('memories of both sides and lines that can not be read are kept', () => {
    const memory = (key: string) => ({ _type: 'memory', key, value: key })
    const merged = mergeIssueFiles(
      text(memory('was')),
      `${text(memory('was'), memory('a'))}{"id":"cut`,
      text(memory('b')),
    )
    expect(merged.text).toBe(`${text(memory('a'))}{"id":"cut\n${text(memory('b')).trim()}`)
  })
})
