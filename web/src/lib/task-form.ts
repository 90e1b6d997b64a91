import type { RequestInput } from '../../../src/api/contract/requests'
import { isAppError } from '../../../src/domain/errors'

/** What a person types to make a task; empty = not said. */
export interface TaskForm {
  text: string
  title: string
  priority: string
  dir: string
  model: string
  permissionMode: string
  /** Id or name; empty = any worker. */
  agent: string
  /** Only offered: the agent may reject it. */
  isOffer: boolean
  parent: string
  continuity: 'continue' | 'fresh'
  /** Of a parent that is at work: not to wait for its end. */
  continueNow: boolean
  issue: string
  epic: string
  /** Ids of tasks, apart by commas or blanks. */
  after: string
  /** When one of those fails: not to fail as well. */
  isPatient: boolean
  tags: string
  type: string
  capabilities: string
  maxTurns: string
  maxCost: string
  /** A span such as `30m`. */
  timeout: string
  attempts: string
  /** As `<input type="datetime-local">` gives it. */
  notBefore: string
  worktree: boolean
  base: string
  backlog: boolean
}
export type TaskField = keyof TaskForm

export const EMPTY_TASK: Readonly<TaskForm> = Object.freeze({
  text: '',
  title: '',
  priority: '',
  dir: '',
  model: '',
  permissionMode: '',
  agent: '',
  isOffer: false,
  parent: '',
  continuity: 'continue',
  continueNow: false,
  issue: '',
  epic: '',
  after: '',
  isPatient: false,
  tags: '',
  type: '',
  capabilities: '',
  maxTurns: '',
  maxCost: '',
  timeout: '',
  attempts: '',
  notBefore: '',
  worktree: false,
  base: '',
  backlog: false,
})

/** Fields that stand behind "More". */
export const MORE_FIELDS: readonly TaskField[] = [
  'epic',
  'isPatient',
  'tags',
  'type',
  'capabilities',
  'maxTurns',
  'maxCost',
  'timeout',
  'attempts',
  'notBefore',
  'worktree',
  'base',
  'backlog',
]

export type FieldProblems = Partial<Record<TaskField, string>>
type NewTaskRequest = RequestInput<'tasks.create'>

/** The request that the form means, or what stands in its way. Only what can't be written as a request is refused here. */
export function taskRequest(form: TaskForm): { request: NewTaskRequest } | { problems: FieldProblems } {
  const problems: FieldProblems = {}
  const read = <Value>(field: TaskField, wanted: string, parse: (text: string) => Value | null): Value | undefined => {
    const text = String(form[field]).trim()
    if (text === '') return undefined
    const value = parse(text)
    if (value === null) problems[field] = wanted
    return value ?? undefined
  }
  const text = (field: TaskField): string | undefined => String(form[field]).trim() || undefined
  const whole = (field: TaskField) => read(field, 'A whole number, please.', wholeOf)

  if (form.text.trim() === '') problems.text = 'Say what is to be done.'
  const maximumAttempts = whole('attempts')
  const hasParent = text('parent') !== undefined
  if (!hasParent && text('dir') === undefined) problems.dir = 'Say in which folder it is to work.'
  const agent = text('agent')
  const request: NewTaskRequest = {
    task: form.text,
    source: 'dashboard',
    title: text('title'),
    priority: whole('priority'),
    dir: text('dir'),
    model: text('model'),
    permissionMode: text('permissionMode'),
    ...(agent !== undefined && (form.isOffer ? { offeredTo: agent } : { agentId: agent })),
    ...(hasParent && {
      parentTaskId: text('parent'),
      continuity: form.continuity,
      ...(form.continueNow && form.continuity === 'continue' && { continueNow: true }),
    }),
    issueId: text('issue'),
    epicId: text('epic'),
    dependsOn: read('after', 'Ids of tasks, apart by commas.', wordsOf),
    ...(form.isPatient && text('after') !== undefined && { onDependencyFailure: 'wait' as const }),
    tags: read('tags', 'Words, apart by commas.', listOf),
    taskType: text('type'),
    requiredCapabilities: read('capabilities', 'Words, apart by commas.', listOf),
    maxTurns: whole('maxTurns'),
    maxCostUsd: read('maxCost', 'US dollars, such as 2.50.', costOf),
    timeoutMs: read('timeout', 'A number with s, m, h or d, such as 30m.', spanOf),
    ...(maximumAttempts !== undefined && { retryPolicy: { maximumAttempts } }),
    notBefore: read('notBefore', 'A day and a time.', momentOf),
    ...(form.worktree && { worktree: text('base') === undefined ? true : { base: text('base') } }),
    ...(form.backlog && { status: 'backlog' as const }),
  }
  if (Object.keys(problems).length > 0) return { problems }
  return { request: Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)) as never }
}

const wholeOf = (text: string): number | null => (/^\d{1,9}$/.test(text) ? Number(text) : null)
const costOf = (text: string): number | null =>
  /^\$?\d{1,9}(\.\d{1,6})?$/.test(text) ? Number(text.replace('$', '')) : null
const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '')
const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, min: 60_000, h: 3_600_000, d: 86_400_000 }

/** Milliseconds of `90s`, `30m`, `1.5h`, `2d`. */
export function spanOf(text: string): number | null {
  const found = /^(\d{1,6}(?:\.\d{1,3})?)\s*(s|m|min|h|d)$/.exec(text)
  const unit = UNITS[found?.[2] ?? '']
  return found === null || unit === undefined ? null : Math.round(Number(found[1]) * unit)
}

/** The person's own zone to UTC. */
function momentOf(text: string): string | null {
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

/** Names of the request's fields and of the form's. */
const FIELDS: Readonly<Record<string, TaskField>> = {
  task: 'text',
  title: 'title',
  priority: 'priority',
  dir: 'dir',
  model: 'model',
  permissionMode: 'permissionMode',
  agentId: 'agent',
  offeredTo: 'agent',
  parentTaskId: 'parent',
  issueId: 'issue',
  epicId: 'epic',
  dependsOn: 'after',
  tags: 'tags',
  taskType: 'type',
  requiredCapabilities: 'capabilities',
  maxTurns: 'maxTurns',
  maxCostUsd: 'maxCost',
  timeoutMs: 'timeout',
  retryPolicy: 'attempts',
  notBefore: 'notBefore',
  worktree: 'base',
}

/** Where in the form a refusal of the server belongs. Empty: nowhere, it is to be shown below. */
export function refusedFields(error: unknown): FieldProblems {
  if (!isAppError(error)) return {}
  const { field, issues } = error.details ?? {}
  const named: unknown[] = Array.isArray(issues) ? issues : [{ field, problem: error.message }]
  const found: FieldProblems = {}
  for (const each of named) {
    const { field: name, problem } = each as { field?: unknown; problem?: unknown }
    const own = typeof name === 'string' ? FIELDS[nameOf(name)] : undefined
    if (own === undefined) return {}
    const hint = error.hint === undefined ? '' : ` ${error.hint}`
    found[own] ??= `${String(problem)}${hint}`
  }
  return found
}

/** `body "retryPolicy.maximumAttempts"` and `retryPolicy.maximumAttempts` are about `retryPolicy`. */
const nameOf = (field: string): string => (/^(?:body )?"?([A-Za-z]+)/.exec(field)?.[1] ?? '').trim()
