import fc from 'fast-check'

/** Files as the programs of each era write them. A line is a JSON object in that program's order, with its traps. */
export type Era = 'sequential' | 'hash' | 'merge-damage' | 'tombstones' | 'dolt' | 'v1' | 'rust' | 'script'
export const ERAS: readonly Era[] = ['sequential', 'hash', 'merge-damage', 'tombstones', 'dolt', 'v1', 'rust', 'script']

export type Line = Record<string, unknown>

const word = fc.string({
  unit: fc.constantFrom(...'abc <>&"\\/\n\té漢\u2028\u2029😀{}[]:,'),
  minLength: 1,
  maxLength: 12,
})
const label = fc.constantFrom('perf', 'ui', 'area:db', 'später', 'a&b')
const EDGE_TYPES = [
  'blocks',
  'parent-child',
  'discovered-from',
  'related',
  'waits-for',
  'conditional-blocks',
  'parent_child',
  'child',
  'blocked-by',
  'x-own-type',
]

export function idOf(era: Era, n: number): string {
  if (era === 'sequential') return `bd-${n + 1}`
  if (n % 5 === 4) return `demo-app-k${n - 4}x.1`
  return n % 5 === 3 ? `demo-app-k${n - 3}x.1.${n}` : `demo-app-k${n}x`
}

function timeOf(era: Era, seconds: number): string {
  const at = new Date(1_767_000_000_000 + seconds * 1_000).toISOString().slice(0, 19)
  if (era === 'dolt' || era === 'v1' || era === 'script') return `${at}Z`
  return era === 'rust' ? `${at}.123456789Z` : `${at}.123456+02:00`
}

const facts = fc.record({
  title: word,
  description: fc.option(word),
  design: fc.option(word),
  acceptance: fc.option(word),
  notes: fc.option(word),
  status: fc.constantFrom('open', 'in_progress', 'blocked', 'closed', 'deferred', 'review'),
  priority: fc.integer({ min: 0, max: 4 }),
  type: fc.constantFrom('task', 'bug', 'epic', 'convoy'),
  assignee: fc.option(word),
  updated: fc.integer({ min: 0, max: 9_999 }),
  labels: fc.uniqueArray(label, { maxLength: 3 }),
  edges: fc.uniqueArray(
    fc.record({
      to: fc.nat(12),
      type: fc.constantFrom(...EDGE_TYPES),
      metadata: fc.constantFrom('{}', '{}', '{"gate":"any-children"}'),
    }),
    { maxLength: 3, selector: ({ to }) => to },
  ),
  comments: fc.array(fc.record({ text: word, at: fc.nat(9_999) }), { maxLength: 2 }),
  metadata: fc.option(fc.dictionary(word, fc.jsonValue({ maxDepth: 1 }), { maxKeys: 2 })),
  unknown: fc.option(fc.jsonValue({ maxDepth: 2 })),
})
type Facts = typeof facts extends fc.Arbitrary<infer T> ? T : never

/** A line's object, keys in the order of the era's writer. */
function lineOf(era: Era, n: number, facts: Facts): Line {
  const id = idOf(era, n)
  const line: Line = {}
  const set = (key: string, value: unknown) => {
    if (value !== null && value !== undefined && !(Array.isArray(value) && value.length === 0)) line[key] = value
  }
  const isOld = era === 'sequential' || era === 'hash' || era === 'merge-damage' || era === 'tombstones'
  if (era === 'v1') set('_type', 'issue')
  set('id', id)
  if (era === 'hash') set('content_hash', `h${n}`)
  set('title', facts.title)
  set('description', facts.description ?? (isOld ? '' : null))
  set('design', facts.design)
  set('acceptance_criteria', facts.acceptance)
  set('notes', facts.notes)
  set('status', facts.status)
  set('priority', era === 'merge-damage' && facts.priority === 0 ? null : facts.priority)
  set('issue_type', facts.type)
  set('assignee', facts.assignee)
  if (era === 'tombstones' && facts.status === 'review') {
    line.status = 'tombstone'
    set('deleted_at', timeOf(era, facts.updated))
    set('original_type', facts.type)
  }
  set('created_at', timeOf(era, n))
  set('updated_at', timeOf(era, facts.updated))
  if (facts.status === 'closed' && era !== 'sequential') {
    set('closed_at', timeOf(era, facts.updated))
    set('close_reason', 'done')
  }
  if (era === 'rust' || era === 'hash') set('source_repo', '.')
  set('metadata', facts.metadata)
  set('labels', facts.labels)
  set(
    'dependencies',
    facts.edges
      .filter(({ to }) => to !== n)
      .map(({ to, type, metadata }) => ({
        issue_id: id,
        depends_on_id: idOf(era, to),
        type,
        created_at: timeOf(era, n),
        ...(isOld ? {} : { created_by: 'dev', metadata }),
      })),
  )
  set(
    'comments',
    facts.comments.map(({ text, at }, index) => ({
      id: isOld ? n * 10 + index + 1 : `01890000-0000-7000-8000-${String(n * 10 + index).padStart(12, '0')}`,
      issue_id: id,
      author: 'dev',
      text,
      created_at: timeOf(era, at),
    })),
  )
  if (era === 'tombstones') set('wisp', n % 4 === 0 ? true : null)
  set('x_unknown', facts.unknown)
  if (era === 'dolt' || era === 'v1') {
    set('dependency_count', facts.edges.filter(({ to, type }) => to !== n && type === 'blocks').length)
    set('dependent_count', 0)
    set('comment_count', facts.comments.length)
  }
  return line
}

/** A line in the spelling of the era's writer. */
export function spell(era: Era, line: Line): string {
  if (era === 'rust') return JSON.stringify(line)
  const text = era === 'script' ? spaced(line) : JSON.stringify(line)
  return text.replace(/[<>&\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  return `{${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)}: ${spaced(one)}`)
    .join(', ')}}`
}

export const era = fc.constantFrom(...ERAS)

export const issueLines = (of: Era, maxLength = 8): fc.Arbitrary<Line[]> =>
  fc
    .uniqueArray(fc.tuple(fc.nat(12), facts), { maxLength, selector: ([n]) => n })
    .map((all) => all.map(([n, one]) => lineOf(of, n, one)))

/** What stands between issues in real files. */
const stranger = (of: Era): fc.Arbitrary<string> =>
  fc.constantFrom(
    '',
    '{"_type":"memory","key":"k","value":"v <b>"}',
    '{"_schema":"beads-jsonl/1","_sort":"stable-v1"}',
    spell(of, {
      id: 'demo-app-gone',
      title: 'x',
      status: 'tombstone',
      deleted_at: timeOf(of, 5),
      deleted_by: 'dev',
      original_type: 'task',
    }),
    '"status":"open","priority":1}',
    '{"id":"demo-app-cut","title":"cu',
    '<<<<<<< HEAD',
    '=======',
    '>>>>>>> theirs',
    '[1,2]',
    '{"title":"no id"}',
    '{"id":"../../etc/passwd"}',
  )

export interface GeneratedFile {
  era: Era
  text: string
  lines: Line[]
}

/** A whole file: issues, older and newer copies of some, strangers among them, with or without the last newline, sometimes with carriage returns. */
export const issueFile: fc.Arbitrary<GeneratedFile> = era.chain((of) =>
  fc
    .record({
      lines: issueLines(of),
      strangers: fc.array(fc.tuple(fc.nat(8), stranger(of)), { maxLength: 3 }),
      copies: fc.array(fc.record({ of: fc.nat(7), at: fc.nat(8), title: word, isNewer: fc.boolean() }), {
        maxLength: 2,
      }),
      end: fc.constantFrom('\n', ''),
      isWindows: fc.boolean(),
    })
    .map(({ lines, strangers, copies, end, isWindows }) => {
      const all = lines.map((line) => spell(of, line))
      for (const copy of copies) {
        const line = lines[copy.of]
        if (line === undefined) continue
        const again = { ...line, title: copy.title, updated_at: timeOf(of, copy.isNewer ? 20_000 : 0) }
        all.splice(copy.at, 0, spell(of, again))
      }
      for (const [at, raw] of strangers) all.splice(Math.min(at, all.length), 0, raw)
      const newline = isWindows ? '\r\n' : '\n'
      return { era: of, lines, text: all.length === 0 ? '' : all.join(newline) + (end === '' ? '' : newline) }
    }),
)

/** Random edits of lines, as a person or an agent makes them on one side of a merge. */
export const edits = (of: Era): fc.Arbitrary<(lines: Line[]) => Line[]> =>
  fc
    .array(
      fc.record({
        at: fc.nat(7),
        kind: fc.constantFrom(
          'text',
          'status',
          'label',
          'unlabel',
          'edge',
          'unedge',
          'comment',
          'unknown',
          'delete',
          'add',
        ),
        key: fc.constantFrom('title', 'description', 'notes', 'assignee', 'x_unknown'),
        value: word,
        n: fc.nat(12),
        facts,
      }),
      { maxLength: 5 },
    )
    .map((all) => (lines) => {
      let result = structuredClone(lines)
      for (const { at, kind, key, value, n, facts: fresh } of all) {
        if (kind === 'add') {
          if (!result.some(({ id }) => id === idOf(of, n))) result.push(lineOf(of, n, fresh))
          continue
        }
        const line = result[at % Math.max(1, result.length)]
        if (line === undefined) continue
        if (kind === 'delete') {
          result = result.filter((one) => one !== line)
          continue
        }
        edit(of, line, kind, key, value, n)
        line.updated_at = timeOf(of, 10_000 + fresh.updated)
      }
      return result
    })

function edit(of: Era, line: Line, kind: string, key: string, value: string, n: number): void {
  const list = (name: string) => (Array.isArray(line[name]) ? (line[name] as Line[]) : [])
  const put = (name: string, values: unknown[]) => {
    if (values.length === 0) delete line[name]
    else line[name] = values
  }
  if (kind === 'text') line[key] = value
  if (kind === 'status') line.status = value.length % 2 ? 'closed' : 'in_progress'
  if (kind === 'label') put('labels', [...new Set([...list('labels'), `new-${n}`])])
  if (kind === 'unlabel') put('labels', list('labels').slice(1))
  if (kind === 'unedge') put('dependencies', list('dependencies').slice(1))
  if (kind === 'unknown') line[`x_${n}`] = value
  if (kind === 'edge' && !list('dependencies').some((edge) => edge.depends_on_id === idOf(of, n))) {
    put('dependencies', [
      ...list('dependencies'),
      { issue_id: line.id, depends_on_id: idOf(of, n), type: 'blocks', created_at: timeOf(of, n) },
    ])
  }
  if (kind === 'comment') {
    put('comments', [
      ...list('comments'),
      { id: `new-${n}-${value}`, issue_id: line.id, author: 'me', text: value, created_at: timeOf(of, 20_000 + n) },
    ])
  }
}
