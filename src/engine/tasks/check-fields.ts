import { AppError } from '../../domain/errors'
import { AGENT_NAME, type AgentName, UUID } from '../../domain/ids'
import { isBadMeasure, MEASURE_NAMES } from '../../domain/machine/needs'
import { MOST_AGENT_CLIS } from '../../domain/task/agent-choice'
import { DEFAULT_RETRY_POLICY, type RetryPolicy } from '../../domain/task/task'
import {
  type AnyTaskField,
  RUN_FIELDS,
  type RunFieldName,
  type RunSettings,
  runFieldNames,
  runSettingsOf,
  type TaskFieldValue,
} from '../../domain/task/task-fields'
import { MAX_TASK_COST_USD, type NumberRange, TASK_LIMITS, TASK_RANGES } from '../../domain/task/task-limits'
import { MOST_JOIN_DIRS } from '../../domain/task/worker-protocol'
import { quoted } from '../unit/find-task'

/** Checks of a task's fields, for creation and change alike. All throw `invalid`, or `too_large` naming the limit. */

const invalid = (field: string, problem: string, hint?: string): AppError =>
  new AppError(
    'invalid',
    `${field} ${problem}.`,
    hint === undefined ? { details: { field } } : { hint, details: { field } },
  )

const tooLarge = (field: string, found: number, limit: number, unit: string): AppError =>
  new AppError('too_large', `${field} has ${found} ${unit}; the maximum is ${limit}.`, {
    details: { field, limit, unit },
  })

/** @returns the text. */
export function checkText(field: string, text: string, limit: number): string {
  if (text.length > limit) throw tooLarge(field, text.length, limit, 'characters')
  return text
}

export function checkTask(text: string): string {
  checkText('task', text, TASK_LIMITS.text)
  if (text.trim() === '') throw invalid('task', 'is empty', 'Say what to do.')
  return text
}

/** What is given, else the first line that says something. */
export function titleOf(title: string | undefined, text: string): string {
  if (title !== undefined && title.trim() !== '') return checkText('title', title, TASK_LIMITS.title)
  const line = text.trim().split(/[\r\n]/, 1)[0] ?? ''
  return line.length <= 120 ? line : `${line.slice(0, 119)}…`
}

/** An option of the run: one line, and nothing that a program could take for a flag. */
export function checkWord(field: string, value: string): string {
  checkText(field, value, TASK_LIMITS.word)
  if (value.trim() === '') throw invalid(field, 'is empty')
  if (value.startsWith('-') || hasControls(value))
    throw invalid(field, `can't be ${quoted(value)}`, 'Leave out leading dashes and control characters.')
  return value
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const hasControls = (text: string): boolean => /[\u0000-\u001f\u007f]/.test(text)

export function checkDir(dir: string): string {
  checkText('dir', dir, TASK_LIMITS.path)
  if (!dir.startsWith('/')) throw invalid('dir', `${quoted(dir)} is not absolute`, 'Give the full path.')
  if (hasControls(dir))
    throw invalid('dir', `${quoted(dir)} holds control characters`, 'Rename the folder, or use a link to it.')
  return dir
}

export const checkPriority = (priority: number): number => checkWhole('priority', priority, TASK_RANGES.priority)

/** Words without doubles, in the order given. */
export function checkTags(tags: readonly string[]): string[] {
  return checkWords('tags', tags, TASK_LIMITS.tags)
}

/** Sorted, without doubles. */
export function checkCapabilities(capabilities: readonly string[], field = 'requiredCapabilities'): string[] {
  const words = checkWords(field, capabilities, TASK_LIMITS.capabilities).sort()
  const wrong = words.find(isBadMeasure)
  if (wrong !== undefined)
    throw invalid(
      field,
      `holds ${quoted(wrong)}`,
      `Use a word, or a least number: ${MEASURE_NAMES.map((name) => `${name}>=N`).join(', ')}. Memory is in GiB.`,
    )
  return words
}

/** Names of agent CLIs in the order given, without doubles. Any name: a worker may know a CLI that this server does not. */
export function checkClis(names: readonly AgentName[], field = 'agentClis'): AgentName[] {
  const clis = checkWords(field, names, MOST_AGENT_CLIS)
  const wrong = clis.find((name) => !AGENT_NAME.test(name))
  if (wrong !== undefined) throw invalid(field, `holds ${quoted(wrong)}`, 'Use names like codex or claude-code.')
  return clis
}

function checkWords(field: string, words: readonly string[], limit: number): string[] {
  if (words.length > limit) throw tooLarge(field, words.length, limit, 'items')
  for (const word of words) {
    checkText(field, word, TASK_LIMITS.tag)
    if (word.trim() === '') throw invalid(field, 'holds an empty word')
    if (hasControls(word)) throw invalid(field, `holds ${quoted(word)}`, 'Leave out control characters.')
  }
  return [...new Set(words)]
}

/** Folders in which a worker runs tasks, without a slash at their ends. */
export function checkDirs(dirs: readonly string[]): string[] {
  if (dirs.length > MOST_JOIN_DIRS) throw tooLarge('dirs', dirs.length, MOST_JOIN_DIRS, 'items')
  return dirs.map((dir) => checkDir(dir).replace(/\/+$/, ''))
}

export function checkDependencyCount(count: number): void {
  if (count > TASK_LIMITS.dependsOn) throw tooLarge('dependsOn', count, TASK_LIMITS.dependsOn, 'items')
}

export function checkWhole(field: string, value: number, { least, most }: NumberRange): number {
  if (!Number.isInteger(value) || value < least || value > most)
    throw invalid(field, `is not a whole number from ${least} to ${most}`)
  return value
}

function checkCost(value: number): number {
  if (!Number.isFinite(value) || value <= 0 || value > MAX_TASK_COST_USD)
    throw invalid('maxCostUsd', `is not an amount above 0 and up to ${MAX_TASK_COST_USD}`)
  return value
}

/** What a task asks of its runs, where it asks anything: for a follow-up. */
export const askedOfRuns = (task: RunSettings): Partial<{ [Name in RunFieldName]: TaskFieldValue<Name> }> =>
  Object.fromEntries(Object.entries(runSettingsOf(task)).filter(([, value]) => value !== null))

/** What is asked of the task's runs, checked; `null` clears. */
export function checkRunSettings(
  given: { readonly [Name in RunFieldName]?: RunSettings[Name] | undefined },
): Partial<RunSettings> {
  const checked: Record<string, string | number | null> = {}
  for (const name of runFieldNames) {
    const value = given[name]
    if (value !== undefined) checked[name] = value === null ? null : checkRunSetting(name, value)
  }
  return checked
}

function checkRunSetting(name: RunFieldName, value: string | number): string | number {
  const field: AnyTaskField = RUN_FIELDS[name]
  if (typeof value === 'string') return checkWord(name, value)
  return 'least' in field ? checkWhole(name, value, field) : checkCost(value)
}

/** @returns milliseconds. */
export function checkTime(field: string, iso: string): number {
  const at = /^\d{4}-\d{2}-\d{2}T/.test(iso) && iso.length <= 40 ? Date.parse(iso) : Number.NaN
  if (Number.isNaN(at)) throw invalid(field, `${quoted(iso)} is not a time`, 'Write it as 2026-01-31T12:00:00Z.')
  return at
}

/** What is left out is as `base` says. */
export function checkRetryPolicy(given: Partial<RetryPolicy>, base: RetryPolicy = DEFAULT_RETRY_POLICY): RetryPolicy {
  const policy = { ...base }
  const { maximumAttempts, retryIntervalMs, backoffCoefficient: backoff } = TASK_RANGES
  if (given.maximumAttempts !== undefined)
    policy.maximumAttempts = checkWhole('retryPolicy.maximumAttempts', given.maximumAttempts, maximumAttempts)
  if (given.initialIntervalMs !== undefined)
    policy.initialIntervalMs = checkWhole('retryPolicy.initialIntervalMs', given.initialIntervalMs, retryIntervalMs)
  if (given.maximumIntervalMs !== undefined)
    policy.maximumIntervalMs = checkWhole('retryPolicy.maximumIntervalMs', given.maximumIntervalMs, retryIntervalMs)
  const { backoffCoefficient } = given
  if (backoffCoefficient !== undefined) {
    if (!(backoffCoefficient >= backoff.least && backoffCoefficient <= backoff.most))
      throw invalid('retryPolicy.backoffCoefficient', `is not a number from ${backoff.least} to ${backoff.most}`)
    policy.backoffCoefficient = backoffCoefficient
  }
  return policy
}

/** @returns it in lower case. */
export function checkSessionId(field: string, id: string): string {
  if (!UUID.test(id)) throw invalid(field, `${quoted(id)} is not a session ID`, 'A session ID is a UUID.')
  return id.toLowerCase()
}

/** An id as some agent CLI makes them, of which a uuid is one. @returns a uuid in lower case, any other as it is */
export function checkNativeId(field: string, id: string): string {
  if (UUID.test(id)) return id.toLowerCase()
  if (!/^(?!\.{1,2}$)[\w.-]{1,200}$/.test(id))
    throw invalid(
      field,
      `${quoted(id)} is not a session ID`,
      'It has at most 200 letters, digits, dots, dashes and underscores.',
    )
  return id
}
