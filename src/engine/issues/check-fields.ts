import { AppError } from '../../domain/errors'
import { ISSUE_LIMITS, ISSUE_MINUTES, ISSUE_PRIORITY } from '../../domain/issue/issue'
import {
  type AnyIssueField,
  ISSUE_FIELDS,
  type IssueFieldChanges,
  type IssueFieldName,
  type IssueFields,
  issueFieldNames,
} from '../../domain/issue/issue-fields'
import { issueTimeMs } from '../../domain/issue/issue-time'

/** Checks of an issue's fields. All throw `invalid`, or `too_large` naming the limit. */

const invalid = (field: string, problem: string, hint?: string): AppError =>
  new AppError('invalid', `${field} ${problem}.`, { details: { field }, ...(hint !== undefined && { hint }) })

const tooLarge = (field: string, found: number, limit: number, unit: string): AppError =>
  new AppError('too_large', `${field} has ${found} ${unit}; the maximum is ${limit}.`, {
    details: { field, limit, unit },
  })

/** Text as both databases and the file can keep it. */
const clean = (text: string): string => text.toWellFormed().replaceAll('\0', '\ufffd')

export function checkTitle(title: string): string {
  const text = clean(title).trim()
  if (text === '') throw invalid('title', 'is empty')
  if (text.length > ISSUE_LIMITS.title) throw tooLarge('title', text.length, ISSUE_LIMITS.title, 'characters')
  return text
}

export function checkText(field: string, text: string, limit: number = ISSUE_LIMITS.text): string {
  if (text.length > limit) throw tooLarge(field, text.length, limit, 'characters')
  return clean(text)
}

/** A word or a name: one line. Empty = none. */
export function checkName(field: string, text: string | null): string | null {
  if (text === null) return null
  const name = checkText(field, text, ISSUE_LIMITS.name).trim()
  if (/[\r\n]/.test(name)) throw invalid(field, 'has more than one line')
  return name === '' ? null : name
}

export function checkPriority(priority: number): number {
  const { least, most } = ISSUE_PRIORITY
  if (!Number.isInteger(priority) || priority < least || priority > most)
    throw invalid('priority', `is not ${least} to ${most}`, `${least} is the highest, ${most} the lowest.`)
  return priority
}

export function checkType(type: string): string {
  const name = checkName('issueType', type)
  if (name === null || name.length > ISSUE_LIMITS.type || /\s/.test(name))
    throw invalid('issueType', `is not one word of 1 to ${ISSUE_LIMITS.type} characters`)
  return name
}

export function checkStatus(status: string, known: readonly string[]): string {
  if (known.includes(status)) return status
  throw invalid('status', `can't be ${JSON.stringify(status.slice(0, 60))}`, `There are: ${known.join(', ')}.`)
}

export function checkLabels(labels: readonly string[]): string[] {
  if (labels.length > ISSUE_LIMITS.labels) throw tooLarge('labels', labels.length, ISSUE_LIMITS.labels, 'items')
  const names = labels.map((label) => {
    const name = checkName('labels', label)
    if (name === null) throw invalid('labels', 'holds an empty label')
    if (name.length > ISSUE_LIMITS.label) throw tooLarge('a label', name.length, ISSUE_LIMITS.label, 'characters')
    return name
  })
  return [...new Set(names)]
}

export function checkEdgeType(type: string): string {
  const name = checkName('type', type)
  if (name === null || name.length > ISSUE_LIMITS.dependencyType)
    throw invalid('type', `of a dependency is not 1 to ${ISSUE_LIMITS.dependencyType} characters`)
  return name
}

/** The fields that are given, checked. */
export function checkIssueFields(given: IssueFieldChanges): Partial<IssueFields> {
  const checked: Record<string, string | number | null> = {}
  for (const name of issueFieldNames) {
    const value = given[name]
    if (value !== undefined) checked[name] = checkField(name, value)
  }
  return checked
}

function checkField(name: IssueFieldName, value: string | number | null): string | number | null {
  if (typeof value === 'number') return checkMinutes(value)
  const { kind }: AnyIssueField = ISSUE_FIELDS[name]
  if (kind === 'text') return checkText(name, value ?? '')
  return kind === 'time' ? checkTime(name, value) : checkName(name, value)
}

function checkMinutes(minutes: number): number {
  if (!Number.isFinite(minutes) || minutes < ISSUE_MINUTES.least || minutes > ISSUE_MINUTES.most)
    throw invalid('estimatedMinutes', `is not a number from ${ISSUE_MINUTES.least} to ${ISSUE_MINUTES.most}`)
  return minutes
}

function checkTime(field: string, time: string | null): string | null {
  if (time !== null && issueTimeMs(time) === null) throw invalid(field, 'is not a time like 2026-01-31T12:00:00Z')
  return time
}

/** Keys of the file that have no field; JSON values, at most this many characters in all. */
export function checkExtra(extra: Record<string, unknown>): Record<string, unknown> {
  const text = JSON.stringify(extra)
  if (text.length > ISSUE_LIMITS.text) throw tooLarge('extra', text.length, ISSUE_LIMITS.text, 'characters')
  return JSON.parse(text) as Record<string, unknown>
}
