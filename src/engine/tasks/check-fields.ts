import { AppError } from '../../domain/errors'
import { DEFAULT_RETRY_POLICY, type RetryPolicy, TASK_LIMITS } from '../../domain/task'
import { quoted } from './find-task'

/** Checks of a task's fields, for creation and change alike. All throw `invalid`, or `too_large` naming the limit. */

const SHORT = 200

const invalid = (field: string, problem: string, hint?: string): AppError =>
  new AppError(
    'invalid',
    `${field} ${problem}`,
    hint === undefined ? { details: { field } } : { hint, details: { field } },
  )

const tooLarge = (field: string, found: number, limit: number, unit: string): AppError =>
  new AppError('too_large', `${field} has ${found} ${unit}; at most ${limit} are taken`, {
    details: { field, limit, unit },
  })

/** @returns the text. */
export function checkText(field: string, text: string, limit: number): string {
  if (text.length > limit) throw tooLarge(field, text.length, limit, 'characters')
  return text
}

export function checkTask(text: string): string {
  checkText('task', text, TASK_LIMITS.text)
  if (text.trim() === '') throw invalid('task', 'is empty', 'Say what is to be done.')
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
  checkText(field, value, SHORT)
  if (value.trim() === '') throw invalid(field, 'is empty')
  if (value.startsWith('-') || hasControls(value))
    throw invalid(field, `can not be ${quoted(value)}`, 'No leading dash, no control characters.')
  return value
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const hasControls = (text: string): boolean => /[\u0000-\u001f\u007f]/.test(text)

export function checkDir(dir: string): string {
  checkText('dir', dir, 4_096)
  if (!dir.startsWith('/') || hasControls(dir))
    throw invalid('dir', `${quoted(dir)} is not absolute`, 'Give the whole path.')
  return dir
}

export function checkPriority(priority: number): number {
  if (!Number.isInteger(priority) || priority < 0 || priority > 100)
    throw invalid('priority', 'is not a whole number from 0 to 100')
  return priority
}

/** Words without doubles, in the order given. */
export function checkTags(tags: readonly string[]): string[] {
  return checkWords('tags', tags, TASK_LIMITS.tags)
}

/** Sorted, without doubles. */
export function checkCapabilities(capabilities: readonly string[], field = 'requiredCapabilities'): string[] {
  return checkWords(field, capabilities, TASK_LIMITS.capabilities).sort()
}

function checkWords(field: string, words: readonly string[], limit: number): string[] {
  if (words.length > limit) throw tooLarge(field, words.length, limit, 'items')
  for (const word of words) {
    checkText(field, word, TASK_LIMITS.tag)
    if (word.trim() === '') throw invalid(field, 'holds an empty word')
    if (hasControls(word)) throw invalid(field, `holds ${quoted(word)}`, 'No control characters.')
  }
  return [...new Set(words)]
}

export function checkDependencyCount(count: number): void {
  if (count > TASK_LIMITS.dependsOn) throw tooLarge('dependsOn', count, TASK_LIMITS.dependsOn, 'items')
}

export function checkWhole(field: string, value: number, least: number, most: number): number {
  if (!Number.isInteger(value) || value < least || value > most)
    throw invalid(field, `is not a whole number from ${least} to ${most}`)
  return value
}

export function checkCost(value: number): number {
  if (!Number.isFinite(value) || value <= 0 || value > 1_000_000)
    throw invalid('maxCostUsd', 'is no amount above 0 and up to 1000000')
  return value
}

/** One attempt's wall clock: a second to 30 days. */
export const checkTimeout = (value: number): number => checkWhole('timeoutMs', value, 1_000, 30 * 24 * 3_600_000)
export const checkTurns = (value: number): number => checkWhole('maxTurns', value, 1, 100_000)

/** @returns milliseconds. */
export function checkTime(field: string, iso: string): number {
  const at = /^\d{4}-\d{2}-\d{2}T/.test(iso) && iso.length <= 40 ? Date.parse(iso) : Number.NaN
  if (Number.isNaN(at)) throw invalid(field, `${quoted(iso)} is no time`, 'Write it as 2026-01-31T12:00:00Z.')
  return at
}

/** What is left out is as `base` says. */
export function checkRetryPolicy(given: Partial<RetryPolicy>, base: RetryPolicy = DEFAULT_RETRY_POLICY): RetryPolicy {
  const policy = { ...base }
  if (given.maximumAttempts !== undefined)
    policy.maximumAttempts = checkWhole('retryPolicy.maximumAttempts', given.maximumAttempts, 1, 1_000)
  if (given.initialIntervalMs !== undefined)
    policy.initialIntervalMs = checkWhole('retryPolicy.initialIntervalMs', given.initialIntervalMs, 0, MAX_INTERVAL_MS)
  if (given.maximumIntervalMs !== undefined)
    policy.maximumIntervalMs = checkWhole('retryPolicy.maximumIntervalMs', given.maximumIntervalMs, 0, MAX_INTERVAL_MS)
  const { backoffCoefficient } = given
  if (backoffCoefficient !== undefined) {
    if (!(backoffCoefficient >= 1 && backoffCoefficient <= 100))
      throw invalid('retryPolicy.backoffCoefficient', 'is not a number from 1 to 100')
    policy.backoffCoefficient = backoffCoefficient
  }
  return policy
}
const MAX_INTERVAL_MS = 7 * 24 * 3_600_000

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** @returns it in lower case. */
export function checkSessionId(field: string, id: string): string {
  if (!UUID.test(id)) throw invalid(field, `${quoted(id)} is no session id`, 'A session id is a uuid.')
  return id.toLowerCase()
}
