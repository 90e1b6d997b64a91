/** The program of `stand-in-bd.ts`: bun THIS FOLDER WORDS… */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mischief } from './stand-in-bd'

interface Edge {
  issue_id: string
  depends_on_id: string
  type: string
  created_at: string
  created_by: string
  metadata: string
}
interface Issue {
  id: string
  title: string
  status: string
  priority: number
  issue_type: string
  labels?: string[]
  dependencies?: Edge[]
  comments?: { id: string; issue_id: string; author: string; text: string; created_at: string }[]
  assignee?: string
  metadata?: Record<string, unknown>
  [key: string]: unknown
}

const SWITCHES = new Set(['json', 'sandbox', 'readonly', 'claim', 'force'])
const COMMON = ['json', 'sandbox', 'readonly', 'actor']
const FIELDS = ['title', 'type', 'priority', 'description', 'body-file', 'design', 'acceptance', 'notes', 'spec-id']
const MORE = ['assignee', 'external-ref', 'estimate', 'due', 'defer', 'metadata', 'parent']
const FLAGS: Record<string, string[]> = {
  version: [],
  export: ['output', 'all'],
  create: [...FIELDS, ...MORE, 'labels', 'id', 'force'],
  update: [...FIELDS, ...MORE, 'status', 'claim', 'add-label', 'remove-label', 'unset-metadata', 'session'],
  close: ['reason', 'session', 'force'],
  reopen: ['reason'],
  'dep add': ['type'],
  'dep remove': [],
  'comments add': ['author', 'file'],
  delete: ['force'],
}

const [folder = '', ...words] = process.argv.slice(2)
const stdin = readFileSync(0, 'utf8')
const log = { argv: words, env: process.env, cwd: process.cwd(), stdin }
appendFileSync(join(folder, 'runs.jsonl'), `${JSON.stringify(log)}\n`)
const mischiefPath = join(folder, 'mischief.json')
const mischief = (existsSync(mischiefPath) ? JSON.parse(readFileSync(mischiefPath, 'utf8')) : {}) as Mischief

const split = words.indexOf('--') < 0 ? words.length : words.indexOf('--')
const flags = new Map<string, string[]>()
const operands = words.slice(split + 1)
const names: string[] = []
for (const word of words.slice(0, split)) {
  const [, name, value] = /^--([a-z-]+)(?:=([\s\S]*))?$/.exec(word) ?? []
  if (name === undefined) names.push(word)
  else
    flags.set(name, [
      ...(flags.get(name) ?? []),
      value ?? (SWITCHES.has(name) ? 'true' : fail(`flag needs an argument: --${name}`)),
    ])
}
const command = names.join(' ')
const flag = (name: string): string | undefined => flags.get(name)?.at(-1)
const allowed = FLAGS[command] ?? fail(`unknown command "${command}" for "bd"`)
for (const name of flags.keys()) if (!allowed.includes(name) && !COMMON.includes(name)) fail(`unknown flag: --${name}`)

if (mischief.hangs === command) {
  const child = Bun.spawn(['sleep', '600'], { stdout: 'inherit', stderr: 'inherit' })
  writeFileSync(join(folder, 'pids.json'), JSON.stringify([process.pid, child.pid]))
  await new Promise(() => {})
}
if (mischief.babbles === command) {
  console.log('Segmentation fault? <html>')
  process.exit(0)
}
if (mischief.floods === command) {
  const lines = `${'x'.repeat(1_000)}\n`.repeat(1_000)
  for (;;) process.stdout.write(lines)
}
if (command === 'version') {
  answer({ branch: 'v1.0.5', build: 'stand-in', schema_version: 1, version: mischief.release ?? '1.0.5' })
  process.exit(0)
}

const beads = process.env.BEADS_DIR ?? fail('no beads database found')
const journal = join(beads, 'embeddeddolt', 'demo', '.dolt', 'noms', 'journal')
const state = JSON.parse(readFileSync(journal, 'utf8')) as { prefix: string; issues: Issue[] }
const now = `${new Date().toISOString().slice(0, 19)}Z`
const actor = flag('actor') ?? 'unknown'

const handlers: Record<string, () => unknown> = {
  export: () => {
    process.stdout.write(state.issues.map((issue) => `${lineOf(issue)}\n`).join(''))
    return undefined
  },
  create: () => {
    const parent = flag('parent') === undefined ? undefined : get(flag('parent') ?? '')
    const title = (flag('title') ?? operands[0] ?? '').trim()
    if (title === '') fail('title required')
    const id = flag('id') ?? (parent === undefined ? freeId() : `${parent.id}.${childrenOf(parent.id) + 1}`)
    if (state.issues.some((issue) => issue.id === id)) fail(`${id} already exists`)
    const issue: Issue = {
      id,
      title,
      status: 'open',
      priority: 2,
      issue_type: 'task',
      created_at: now,
      created_by: actor,
      updated_at: now,
    }
    issue.owner = 'dev@example.org'
    state.issues.push(issue)
    setFields(issue)
    const above = parent?.id ?? (id.includes('.') ? id.slice(0, id.lastIndexOf('.')) : undefined)
    if (above !== undefined) addEdge(issue, above, 'parent-child')
    issue.labels = [...new Set([...csv(flag('labels')), ...(parent?.labels ?? [])])]
    return { ...issue, dependencies: undefined, schema_version: 1 }
  },
  update: () => {
    const issue = get(operands[0] ?? '')
    if (flag('claim') !== undefined) {
      if (issue.status !== 'open' || (issue.assignee !== undefined && issue.assignee !== actor))
        fail(`${issue.id} is already claimed by ${issue.assignee ?? 'somebody'}`)
      issue.assignee = actor
      issue.status = 'in_progress'
      issue.started_at = now
    }
    setFields(issue)
    const status = flag('status')
    if (status !== undefined) setStatus(issue, status)
    const parent = flag('parent')
    if (parent !== undefined) {
      issue.dependencies = issue.dependencies?.filter(({ type }) => type !== 'parent-child')
      if (parent !== '') addEdge(issue, get(parent).id, 'parent-child')
    }
    const removed = csv(flag('remove-label'))
    issue.labels = [...new Set([...(issue.labels ?? []), ...csv(flag('add-label'))])].filter(
      (one) => !removed.includes(one),
    )
    issue.updated_at = now
    return [issue]
  },
  close: () => {
    const issue = get(operands[0] ?? '')
    const open = (issue.dependencies ?? []).filter(
      ({ type, depends_on_id: id }) =>
        type === 'blocks' && state.issues.some((one) => one.id === id && one.status !== 'closed'),
    )
    if (open.length > 0 && flag('force') === undefined)
      fail(`cannot close ${issue.id}: blocked by ${open[0]?.depends_on_id}`)
    setStatus(issue, 'closed')
    issue.close_reason = flag('reason') ?? 'Closed'
    return [issue]
  },
  reopen: () => {
    const issue = get(operands[0] ?? '')
    setStatus(issue, 'open')
    return [issue]
  },
  'dep add': () => {
    const [issue, to = ''] = [get(operands[0] ?? ''), operands[1]]
    if (!to.startsWith('external:')) get(to)
    addEdge(issue, to, flag('type') ?? 'blocks')
    return { status: 'added', issue_id: issue.id, depends_on_id: to, type: flag('type') ?? 'blocks', schema_version: 1 }
  },
  'dep remove': () => {
    const issue = get(operands[0] ?? '')
    issue.dependencies = issue.dependencies?.filter((edge) => edge.depends_on_id !== operands[1])
    return { status: 'removed', issue_id: issue.id, depends_on_id: operands[1], schema_version: 1 }
  },
  'comments add': () => {
    const issue = get(operands[0] ?? '')
    const text = readFileSync(flag('file') ?? fail('comment text required'), 'utf8')
    const comment = {
      id: crypto.randomUUID(),
      issue_id: issue.id,
      author: flag('author') ?? actor,
      text,
      created_at: now,
    }
    issue.comments = [...(issue.comments ?? []), comment]
    return comment
  },
  delete: () => {
    if (flag('force') === undefined) return { preview: true }
    for (const id of operands) get(id)
    state.issues = state.issues.filter(({ id }) => !operands.includes(id))
    for (const issue of state.issues)
      issue.dependencies = issue.dependencies?.filter(({ depends_on_id: id }) => !operands.includes(id))
    return { deleted: operands.length === 1 ? operands[0] : operands, schema_version: 1 }
  },
}

const result = handlers[command]?.()
if (command !== 'export' && mischief.pretends !== command) {
  if (flag('readonly') !== undefined) fail('operation not allowed in read-only mode')
  writeFileSync(journal, JSON.stringify(state))
}
if (mischief.fails === command) fail('dolt auto-commit failed: disk <full>')
if (result !== undefined) answer(result)

function setFields(issue: Issue): void {
  const names: Record<string, string> = {
    title: 'title',
    type: 'issue_type',
    description: 'description',
    design: 'design',
  }
  Object.assign(names, {
    acceptance: 'acceptance_criteria',
    notes: 'notes',
    'spec-id': 'spec_id',
    assignee: 'assignee',
  })
  Object.assign(names, { 'external-ref': 'external_ref', due: 'due_at', defer: 'defer_until' })
  for (const [name, key] of Object.entries(names)) {
    const value = flag(name)
    if (value === undefined) continue
    if (value === '') delete issue[key]
    else issue[key] = name === 'title' ? value.trim() : value
  }
  if (flag('body-file') === '-') issue.description = stdin
  if (flag('priority') !== undefined) issue.priority = Number(flag('priority'))
  if (flag('estimate') !== undefined) issue.estimated_minutes = Number(flag('estimate'))
  if (flag('metadata') !== undefined)
    issue.metadata = { ...issue.metadata, ...(JSON.parse(flag('metadata') ?? '') as Record<string, unknown>) }
  for (const key of flags.get('unset-metadata') ?? []) delete issue.metadata?.[key]
  if (flag('defer') && flag('status') === undefined) issue.status = 'deferred'
}

function setStatus(issue: Issue, status: string): void {
  if (!['open', 'in_progress', 'blocked', 'deferred', 'closed', 'pinned', 'hooked'].includes(status))
    fail(`invalid status "${status}"`)
  issue.status = status
  issue.updated_at = now
  if (status === 'closed') issue.closed_at = now
  else for (const key of ['closed_at', 'close_reason']) delete issue[key]
}

function addEdge(issue: Issue, to: string, type: string): void {
  const edge = { issue_id: issue.id, depends_on_id: to, type, created_at: now, created_by: actor, metadata: '{}' }
  issue.dependencies = [...(issue.dependencies ?? []), edge]
}

function get(id: string): Issue {
  return state.issues.find((issue) => issue.id === id) ?? fail(`no issue found matching "${id}"`)
}

function childrenOf(id: string): number {
  return state.issues.filter((issue) => issue.id.startsWith(`${id}.`)).length
}

function freeId(): string {
  for (let number = state.issues.length + 1; ; number++) {
    const id = `${state.prefix}-n${number.toString(36)}`
    if (!state.issues.some((issue) => issue.id === id)) return id
  }
}

/** As Go's encoding/csv reads one line. */
function csv(text: string | undefined): string[] {
  const found = (text ?? '').matchAll(/"((?:[^"]|"")*)"|([^,]+)/g)
  return [...found].map(([, quoted, plain]) => (quoted?.replaceAll('""', '"') ?? plain ?? '').trim())
}

/** As Go's encoder writes it: empty lists left out, `<>&` escaped, counts at the end. */
function lineOf(issue: Issue): string {
  const entries = Object.entries(issue).filter(([, value]) => !(Array.isArray(value) && value.length === 0))
  const counts = {
    dependency_count: (issue.dependencies ?? []).filter(({ type }) => type === 'blocks').length,
    dependent_count: 0,
    comment_count: issue.comments?.length ?? 0,
  }
  return goJson({ _type: 'issue', ...Object.fromEntries(entries), ...counts })
}

function goJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(/[<>&]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
}

function answer(value: unknown): void {
  console.log(goJson(value, 2))
}

function fail(error: string): never {
  console.error(goJson({ error, schema_version: 1 }, 2))
  process.exit(1)
}
