import { issueId, sessionId } from '../../domain/ids'
import { type FullIssue, ISSUE_LIMITS, type IssueComment, type IssueDependency } from '../../domain/issue/issue'
import { normalEdgeType } from '../../domain/issue/issue-edges'
import { ISSUE_FIELDS, type IssueFields, issueFieldKeys } from '../../domain/issue/issue-fields'
import { MISSING_PRIORITY, NEW_ISSUE_PRIORITY, parsePriority } from '../../domain/issue/issue-priority'
import { isObject } from './json-text'
import { COMPUTED_KEYS, FIELD_KEYS } from './keys'

const NOT_EXTRA: ReadonlySet<string> = new Set([...FIELD_KEYS, ...COMPUTED_KEYS, '_type'])

/**
 * Reads an issue's line of any era. A value of the wrong kind counts as missing: it stays in the line until the field is changed.
 *
 * @param value  has an `id` that `readableId` takes
 */
export function decodeIssue(value: Record<string, unknown>): FullIssue {
  const id = issueId(value.id as string)
  const createdAt = text(value.created_at)
  const session = optional(value.active_task_session)
  return {
    id,
    title: text(value.title),
    ...fieldsOf(value),
    status: text(value.status) || 'open',
    priority: priorityOf(value.priority),
    issueType: text(value.issue_type) || 'task',
    createdAt,
    createdBy: optional(value.created_by),
    updatedAt: text(value.updated_at) || createdAt,
    startedAt: optional(value.started_at),
    closedAt: optional(value.closed_at),
    closeReason: optional(value.close_reason),
    closedBySession: optional(value.closed_by_session),
    sourceSystem: optional(value.source_system),
    labels: Array.isArray(value.labels) ? uniqueTexts(value.labels) : [],
    dependencies: Array.isArray(value.dependencies) ? edges(value.dependencies, id) : [],
    comments: Array.isArray(value.comments) ? comments(value.comments) : [],
    activeTaskSession: session === null ? null : sessionId(session),
    extra: extraOf(value),
  }
}

function fieldsOf(value: Record<string, unknown>): IssueFields {
  const fields: Record<string, string | number | null> = {}
  for (const [key, name] of issueFieldKeys) fields[name] = READ[ISSUE_FIELDS[name].kind](value[key])
  // Each value was read as its field's kind.
  return fields as unknown as IssueFields
}

/** Why a value can't be an issue's id; `null` = it can. */
export function idProblem(id: unknown): string | null {
  if (typeof id !== 'string' || id === '') return 'it has no id'
  if (id.length > 200) return 'its id has more than 200 characters'
  return /[\p{Cc}\s/\\]/u.test(id) || id.includes('..') ? 'its id contains characters that are not allowed' : null
}

/** @returns 0 when it is missing (writers of 2025 left zeros out), 2 when it can't be read. */
export function priorityOf(value: unknown): number {
  if (value === undefined || value === null) return MISSING_PRIORITY
  if (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 4) return value
  return (typeof value === 'string' ? parsePriority(value) : null) ?? NEW_ISSUE_PRIORITY
}

/** One edge as it is written; `null` = it says nothing that can be read. Some writers left bare ids. */
export function decodeEdge(value: unknown, from: FullIssue['id']): IssueDependency | null {
  const edge = typeof value === 'string' ? { depends_on_id: value } : value
  if (!isObject(edge)) return null
  const to = text(edge.depends_on_id)
  const type = text(edge.type) || 'blocks'
  if (to === '' || to.length > 500 || type.length > ISSUE_LIMITS.dependencyType) return null
  return {
    issueId: from,
    dependsOnId: issueId(to),
    type: normalEdgeType(type, from, to),
    createdAt: text(edge.created_at),
    createdBy: optional(edge.created_by),
    metadata: metadataText(edge.metadata),
    threadId: optional(edge.thread_id),
  }
}

/** One comment; `index` names it where it has no id. `null` = it can't be read. */
export function decodeComment(value: unknown, index: number): IssueComment | null {
  if (!isObject(value)) return null
  const id = typeof value.id === 'number' ? String(value.id) : text(value.id)
  return {
    id: id || String(index + 1),
    author: text(value.author),
    text: text(value.text),
    createdAt: text(value.created_at),
  }
}

function edges(values: readonly unknown[], from: FullIssue['id']): IssueDependency[] {
  return values.map((value) => decodeEdge(value, from)).filter((edge) => edge !== null)
}

function comments(values: readonly unknown[]): IssueComment[] {
  return values.map(decodeComment).filter((comment) => comment !== null)
}

function extraOf(value: Record<string, unknown>): Record<string, unknown> {
  const extra: [string, unknown][] = []
  for (const key in value) if (!NOT_EXTRA.has(key)) extra.push([key, value[key]])
  // Assignment would take a key named __proto__ for more than a key.
  return extra.length === 0 ? {} : Object.fromEntries(extra)
}

/** beads keeps JSON as text here; an object that somebody wrote means the same. */
function metadataText(value: unknown): string {
  if (isObject(value)) return JSON.stringify(value)
  return text(value) || '{}'
}

function uniqueTexts(values: readonly unknown[]): string[] {
  return [...new Set(values.filter((value) => typeof value === 'string' && value !== ''))] as string[]
}

function minutes(value: unknown): number | null {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

function optional(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

/** How a value of each kind of field is read. */
const READ = { text, name: optional, time: optional, minutes }
