import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { AppError } from '../../domain/errors'
import { parsePriority } from '../../domain/issue/issue-priority'
import type { Context } from '../kit/context'
import { quote, usageError } from '../kit/parse-args'
import type { OptionSpecs, OptionValues } from '../kit/specs'
import { parseMoment } from '../print/moments'

/** What may be said of an issue when it is made and later. */
export const ISSUE_FIELDS = {
  type: { kind: 'text', short: 't', value: 'TYPE', help: 'task, bug, feature, epic, chore, decision ...' },
  priority: { kind: 'text', short: 'p', value: 'P', help: '0 to 4 or P0 to P4; 0 is the highest' },
  assignee: { kind: 'text', short: 'a', value: 'NAME', help: 'the assignee' },
  description: { kind: 'text', short: 'd', value: 'TEXT', help: 'the description; - reads it from stdin' },
  'body-file': { kind: 'text', value: 'FILE', complete: 'file', help: 'read the description from FILE; - reads stdin' },
  design: { kind: 'text', value: 'TEXT', help: 'the design: how to do it' },
  acceptance: { kind: 'text', value: 'TEXT', help: 'the acceptance criteria' },
  notes: { kind: 'text', value: 'TEXT', help: 'notes' },
  estimate: {
    kind: 'number',
    short: 'e',
    value: 'MINUTES',
    min: 0,
    max: 10_000_000,
    help: 'the estimated time in minutes',
  },
  due: { kind: 'text', value: 'TIME', help: "the due date: 2026-11-20, 3d (from now); on update, '' clears it" },
  defer: { kind: 'text', value: 'TIME', help: "not ready before TIME; on update, '' clears it" },
  'external-ref': { kind: 'text', value: 'REF', help: 'the ID in another system, e.g. gh-9' },
  'spec-id': { kind: 'text', value: 'ID', help: 'the ID of its specification' },
  metadata: { kind: 'text', value: 'JSON', help: 'other data, as a JSON object' },
  parent: { kind: 'text', value: 'ID', help: "the parent issue; on update, '' clears it" },
} as const satisfies OptionSpecs

export const LABEL_OPTION = {
  kind: 'text',
  short: 'l',
  value: 'LABELS',
  isRepeated: true,
} as const

/** Bytes of a description; the tracker's own limit is in characters. */
const TEXT_BYTES = 4_000_000

type FieldValues = OptionValues<typeof ISSUE_FIELDS>

/**
 * The fields that creating and changing have in common, as the API takes them. What was not said is left out.
 *
 * @throws `invalid`  a value that can't be; `not_found` no such file; `too_large`
 */
export async function issueFields(context: Context, options: FieldValues) {
  const { priority, estimate, metadata } = options
  return defined({
    issueType: options.type,
    priority: priority === undefined ? undefined : priorityOf(context, priority),
    description: await descriptionOf(context, options),
    design: options.design,
    acceptanceCriteria: options.acceptance,
    notes: options.notes,
    estimatedMinutes: estimate,
    externalRef: options['external-ref'],
    specId: options['spec-id'],
    extra: metadata === undefined ? undefined : { metadata: objectOf(context, metadata) },
  })
}

/** Without what was not said. */
export function defined<T extends Record<string, unknown>>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const said = Object.entries(values).filter(([, value]) => value !== undefined)
  // Each value that is left is its field's own.
  return Object.fromEntries(said) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

/** `2`, `P2`. @throws `invalid` */
export function priorityOf(context: Context, text: string): number {
  const priority = parsePriority(text)
  if (priority !== null) return priority
  throw usageError(context.path)(`--priority must be 0 to 4 or P0 to P4, not ${quote(text)}.`)
}

/** A time to come, or one that is over. */
export function timeOf(context: Context, name: string, text: string | undefined): string | undefined {
  return text === undefined ? undefined : parseMoment(name, text, context.io.now())
}

/** `a,b` and several options are the same. */
export function listOf(values: readonly string[]): string[] | undefined {
  const parts = values
    .flatMap((value) => value.split(','))
    .map((part) => part.trim())
    .filter((part) => part !== '')
  return parts.length === 0 ? undefined : [...new Set(parts)]
}

async function descriptionOf(context: Context, options: FieldValues): Promise<string | undefined> {
  const { description, 'body-file': file } = options
  if (file === undefined) return description === '-' ? await stdinText(context) : description
  if (description !== undefined) throw usageError(context.path)('Use either --description or --body-file, not both.')
  return file === '-' ? await stdinText(context) : fileText(resolve(context.io.cwd, file))
}

/** What stands on stdin. */
export async function stdinText(context: Context, maxBytes = TEXT_BYTES): Promise<string> {
  if (context.io.isInTerminal) context.note('type the text, then press Ctrl-D.')
  return (await context.io.readInput(maxBytes)).trimEnd()
}

/** A file of text. @throws `not_found`, `invalid` no regular file, `too_large` */
export function fileText(path: string, maxBytes = TEXT_BYTES): string {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) throw new AppError('not_found', `File not found: ${path}.`)
  if (!found.isFile()) throw new AppError('invalid', `${path} is not a regular file.`)
  if (found.size > maxBytes) throw new AppError('too_large', `${path} is larger than ${maxBytes} bytes.`)
  return readFileSync(path, 'utf8').trimEnd()
}

function objectOf(context: Context, text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    value = null
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw usageError(context.path)(`--metadata needs a JSON object, not ${quote(text)}.`)
}
