import type { Inputs } from '#api/contract/operations/index'
import { isAppError } from '#domain/errors'
import { type AnyTaskField, RUN_FIELDS, type RunFieldName, runFieldNames } from '#domain/task/task-fields'
import { parseCostUsd, parseDurationMs } from '#domain/task/task-input'
import { type NumberRange, TASK_RANGES } from '#domain/task/task-limits'

/** What is asked of the task's runs, as typed. */
type TypedSettings = { [Name in RunFieldName]: string }

/** The form of a new task, as typed; empty = not given. */
export interface TaskForm extends TypedSettings {
  text: string
  title: string
  priority: string
  dir: string
  /** ID or name of a worker, specialist or lead; empty = any worker. */
  agent: string
  /** Whether the task is only offered, so that the worker may reject it. */
  isOffer: boolean
  parent: string
  continuity: 'continue' | 'fresh'
  /** Whether to continue a running parent without waiting for its end. */
  continueNow: boolean
  issue: string
  epic: string
  /** IDs of tasks, separated by commas or blanks. */
  after: string
  /** Whether to wait for their retry, instead of failing, if one of those fails. */
  isPatient: boolean
  tags: string
  type: string
  capabilities: string
  /** Names of agent CLIs, the best first, separated by commas or blanks. */
  clis: string
  attempts: string
  /** The value of an `<input type="datetime-local">`. */
  notBefore: string
  worktree: boolean
  base: string
  backlog: boolean
}
export type TaskField = keyof TaskForm

/** An empty form. */
export const EMPTY_TASK: Readonly<TaskForm> = Object.freeze({
  text: '',
  title: '',
  priority: '',
  dir: '',
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
  clis: '',
  ...(Object.fromEntries(runFieldNames.map((name) => [name, ''])) as TypedSettings),
  attempts: '',
  notBefore: '',
  worktree: false,
  base: '',
  backlog: false,
})

/** What ends an attempt. */
export const LIMIT_FIELDS = runFieldNames.filter((name) => RUN_FIELDS[name].kind !== 'word')

/** Fields inside “More”. */
export const MORE_FIELDS: readonly TaskField[] = [
  'epic',
  'isPatient',
  'tags',
  'type',
  'capabilities',
  'clis',
  ...LIMIT_FIELDS,
  'attempts',
  'notBefore',
  'worktree',
  'base',
  'backlog',
]

/** What is wrong, by field. */
export type FieldProblems = Partial<Record<TaskField, string>>
type NewTaskRequest = Inputs['tasks']['create']

/** The request for a form, or its problems. The server checks everything that can be expressed as a request. */
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
  const whole = (field: TaskField, { least, most }: NumberRange) =>
    read(field, `A whole number from ${counted(least)} to ${counted(most)}.`, (typed) =>
      /^\d{1,9}$/.test(typed) && Number(typed) >= least && Number(typed) <= most ? Number(typed) : null,
    )
  const setting = (name: RunFieldName): string | number | undefined => {
    const field: AnyTaskField = RUN_FIELDS[name]
    if (field.kind === 'whole') return whole(name, field)
    if (field.kind === 'dollars') return read(name, 'US dollars, for example 2.50.', parseCostUsd)
    if (field.kind === 'duration') return read(name, 'A duration with s, m, h or d, for example 30m.', durationOf)
    return text(name)
  }

  if (form.text.trim() === '') problems.text = 'Enter instructions.'
  const maximumAttempts = whole('attempts', TASK_RANGES.maximumAttempts)
  const hasParent = text('parent') !== undefined
  if (!hasParent && text('dir') === undefined) problems.dir = 'Enter a folder.'
  const agent = text('agent')
  const request: NewTaskRequest = {
    task: form.text,
    source: 'dashboard',
    title: text('title'),
    priority: whole('priority', TASK_RANGES.priority),
    dir: text('dir'),
    ...(agent !== undefined && (form.isOffer ? { offeredTo: agent } : { agentId: agent })),
    ...(hasParent && {
      parentTaskId: text('parent'),
      continuity: form.continuity,
      ...(form.continueNow && form.continuity === 'continue' && { continueNow: true }),
    }),
    issueId: text('issue'),
    epicId: text('epic'),
    dependsOn: read('after', 'Task IDs, separated by commas.', wordsOf),
    ...(form.isPatient && text('after') !== undefined && { onDependencyFailure: 'wait' as const }),
    tags: read('tags', 'Words, separated by commas.', listOf),
    taskType: text('type'),
    requiredCapabilities: read('capabilities', 'Words, separated by commas.', listOf),
    agentClis: read('clis', 'Names of agent CLIs, like codex, separated by commas.', wordsOf),
    ...(Object.fromEntries(runFieldNames.map((name) => [name, setting(name)])) as Partial<NewTaskRequest>),
    ...(maximumAttempts !== undefined && { retryPolicy: { maximumAttempts } }),
    notBefore: read('notBefore', 'A date and a time.', momentOf),
    ...(form.worktree && { worktree: text('base') === undefined ? true : { base: text('base') } }),
    ...(form.backlog && { status: 'backlog' as const }),
  }
  if (Object.keys(problems).length > 0) return { problems }
  return { request: Object.fromEntries(Object.entries(request).filter(([, value]) => value !== undefined)) as never }
}

const counted = (number: number): string => number.toLocaleString('en')
/** People type blanks in durations: `30 min`. */
const durationOf = (text: string): number | null => parseDurationMs(text.replaceAll(' ', ''))
const wordsOf = (text: string): string[] => text.split(/[\s,]+/).filter((word) => word !== '')
const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '')

/** Converts local time to UTC. */
function momentOf(text: string): string | null {
  const time = Date.parse(text)
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

/** Fields of the request to fields of the form. */
const FORM_FIELDS: Readonly<Record<string, TaskField>> = {
  task: 'text',
  title: 'title',
  priority: 'priority',
  dir: 'dir',
  ...(Object.fromEntries(runFieldNames.map((name) => [name, name])) as Record<RunFieldName, RunFieldName>),
  agentId: 'agent',
  offeredTo: 'agent',
  parentTaskId: 'parent',
  issueId: 'issue',
  epicId: 'epic',
  dependsOn: 'after',
  tags: 'tags',
  taskType: 'type',
  requiredCapabilities: 'capabilities',
  agentClis: 'clis',
  retryPolicy: 'attempts',
  notBefore: 'notBefore',
  worktree: 'base',
}

/** The fields that an error of the server is about. Empty if it is about none, so that it has to be shown below the form. */
export function refusedFields(error: unknown): FieldProblems {
  if (!isAppError(error)) return {}
  const { field, issues } = error.details ?? {}
  const named: unknown[] = Array.isArray(issues) ? issues : [{ field, problem: error.message }]
  const found: FieldProblems = {}
  for (const each of named) {
    const { field: name, problem } = each as { field?: unknown; problem?: unknown }
    const own = typeof name === 'string' ? FORM_FIELDS[nameOf(name)] : undefined
    if (own === undefined) return {}
    const hint = error.hint === undefined ? '' : ` ${error.hint}`
    found[own] ??= `${String(problem)}${hint}`
  }
  return found
}

/** First part of a field name: `body "retryPolicy.maximumAttempts"` and `retryPolicy.maximumAttempts` give `retryPolicy`. */
const nameOf = (field: string): string => (/^(?:body )?"?([A-Za-z]+)/.exec(field)?.[1] ?? '').trim()
