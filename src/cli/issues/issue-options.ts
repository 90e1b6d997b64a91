import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { AppError } from '../../domain/errors'
import { ISSUE_MINUTES } from '../../domain/issue/issue'
import {
  type AnyIssueField,
  ISSUE_FIELDS,
  type IssueFieldChanges,
  issueFieldNames,
} from '../../domain/issue/issue-fields'
import { parsePriority } from '../../domain/issue/issue-priority'
import { quote, usageError } from '../kit/arguments/parse-args'
import type { NumberSpec, OptionSpec, OptionSpecs, OptionValues, TextSpec } from '../kit/arguments/specs'
import type { Context } from '../kit/context'
import { parseMoment } from '../print/moments'

type Declared = typeof ISSUE_FIELDS
type SpecOf<Field extends AnyIssueField> = Field['kind'] extends 'minutes' ? NumberSpec : TextSpec
type FieldOptions = { [Name in keyof Declared as Declared[Name]['option']]: SpecOf<Declared[Name]> }

/** The options of `issue create` and `issue update`. */
export const ISSUE_OPTIONS = {
  type: { kind: 'text', short: 't', value: 'TYPE', help: 'task, bug, feature, epic, chore, decision ...' },
  priority: { kind: 'text', short: 'p', value: 'P', help: '0 to 4 or P0 to P4; 0 is the highest' },
  ...(Object.fromEntries(
    issueFieldNames.map((name) => [ISSUE_FIELDS[name].option, specOf(ISSUE_FIELDS[name])]),
  ) as FieldOptions),
  'body-file': { kind: 'text', value: 'FILE', complete: 'file', help: 'read the description from FILE; - reads stdin' },
  metadata: { kind: 'text', value: 'JSON', help: 'other data, as a JSON object' },
  parent: { kind: 'text', value: 'ID', complete: 'issue', help: "the parent issue; on update, '' clears it" },
} as const satisfies OptionSpecs

function specOf({ kind, value, help, short }: AnyIssueField): OptionSpec {
  const common = { value, help, ...(short !== undefined && { short }) }
  return kind === 'minutes'
    ? { kind: 'number', min: ISSUE_MINUTES.least, max: ISSUE_MINUTES.most, ...common }
    : { kind: 'text', ...common }
}

export const LABEL_OPTION = {
  kind: 'text',
  short: 'l',
  value: 'LABELS',
  isRepeated: true,
} as const

/** Bytes of a description; the tracker's own limit is in characters. */
const TEXT_BYTES = 4_000_000

type FieldValues = OptionValues<typeof ISSUE_OPTIONS>

/**
 * The fields that creating and changing have in common, as the API takes them. What was not said is left out.
 *
 * @throws `invalid`  a value that can't be; `not_found` no such file; `too_large`
 */
export async function issueFields(context: Context, options: FieldValues) {
  const { priority, metadata } = options
  const typed: Readonly<Record<string, string | number | undefined>> = {
    ...options,
    description: await descriptionOf(context, options),
  }
  const fields = issueFieldNames.map((name) => {
    const { kind, option }: AnyIssueField = ISSUE_FIELDS[name]
    const value = typed[option]
    if (typeof value !== 'string' || kind === 'text') return [name, value]
    // An empty text clears the field.
    if (value === '') return [name, null]
    return [name, kind === 'time' ? parseMoment(`--${option}`, value, context.io.now()) : value]
  })
  return defined({
    ...(Object.fromEntries(fields) as IssueFieldChanges),
    issueType: options.type,
    priority: priority === undefined ? undefined : priorityOf(context, priority),
    extra: metadata === undefined ? undefined : { metadata: objectOf(context, metadata) },
  })
}

/** The same for a new issue, of which an empty text clears nothing. */
export async function newIssueFields(context: Context, options: FieldValues) {
  const fields = await issueFields(context, options)
  const given = Object.entries(fields).filter(([, value]) => value !== null)
  return Object.fromEntries(given) as { [Name in keyof typeof fields]: NonNullable<(typeof fields)[Name]> }
}

/** Without what was not said. */
export function defined<T extends Record<string, unknown>>(values: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const given = Object.entries(values).filter(([, value]) => value !== undefined)
  // Each value that is left is its field's own.
  return Object.fromEntries(given) as { [K in keyof T]?: Exclude<T[K], undefined> }
}

/** `2`, `P2`. @throws `invalid` */
export function priorityOf(context: Context, text: string): number {
  const priority = parsePriority(text)
  if (priority !== null) return priority
  throw usageError(context.path)(`--priority must be 0 to 4 or P0 to P4, not ${quote(text)}.`)
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
