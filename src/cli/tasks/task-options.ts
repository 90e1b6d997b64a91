import { resolve } from 'node:path'
import { AppError } from '../../domain/errors'
import { DEFAULT_RETRY_POLICY } from '../../domain/task/task'
import {
  type AnyTaskField,
  holdsList,
  TASK_FIELDS,
  type TaskFieldName,
  type TaskFields,
  taskFieldNames,
} from '../../domain/task/task-fields'
import { parseCostUsd } from '../../domain/task/task-input'
import { TASK_RANGES } from '../../domain/task/task-limits'
import type { FlagSpec, NumberSpec, OptionSpec, OptionSpecs, OptionValues, TextSpec } from '../kit/arguments/specs'
import type { Io } from '../kit/io'
import { parseMoment, parseSpan } from '../print/moments'

type Declared = typeof TASK_FIELDS
type SpecOf<Field extends AnyTaskField> = Field['kind'] extends 'flag'
  ? FlagSpec
  : Field['kind'] extends 'whole'
    ? NumberSpec
    : Field['kind'] extends 'ids' | 'words'
      ? TextSpec & { isRepeated: true }
      : Field extends { choices: infer Choices extends readonly string[] }
        ? TextSpec & { choices: Choices }
        : TextSpec
type FieldOptions = { [Name in keyof Declared as Declared[Name]['option']]: SpecOf<Declared[Name]> }

/** The options of `task create`, `run`, `epic add` and `task edit`: one for each field that is given when a task is made or changed. */
export const TASK_OPTIONS = {
  ...(Object.fromEntries(
    taskFieldNames.map((name) => [TASK_FIELDS[name].option, specOf(TASK_FIELDS[name])]),
  ) as FieldOptions),
  attempts: {
    kind: 'number',
    value: 'N',
    min: TASK_RANGES.maximumAttempts.least,
    max: TASK_RANGES.maximumAttempts.most,
    help: `maximum attempts if it fails for a temporary reason (default ${DEFAULT_RETRY_POLICY.maximumAttempts})`,
  },
  backlog: { kind: 'flag', help: 'put it in the backlog; no worker starts it yet' },
} as const satisfies OptionSpecs

/** The option of commands that make tasks in other ways. */
export const AGENT_OPTION = {
  kind: 'text',
  value: TASK_FIELDS.agentClis.value,
  help: TASK_FIELDS.agentClis.help,
} as const satisfies OptionSpec

/** `codex, claude-code` as names. */
export const clisOf = (text: string): string[] => text.split(',').map((name) => name.trim())

function specOf(field: AnyTaskField): OptionSpec {
  const { value, example } = field
  const help = example === undefined ? field.help : `${field.help}, e.g. ${example}`
  const short = field.short === undefined ? {} : { short: field.short }
  switch (field.kind) {
    case 'flag':
      return { kind: 'flag', help, ...short }
    case 'whole':
      return { kind: 'number', value, min: field.least, max: field.most, help, ...short }
    case 'ids':
    case 'words':
      return { kind: 'text', value, isRepeated: true, help, ...short }
    case 'choice':
      return { kind: 'text', value, choices: field.choices, help, ...short }
    case 'path':
      return { kind: 'text', value, complete: 'folder', help, ...short }
    default:
      return { kind: 'text', value, help, ...short }
  }
}

/**
 * The fields that creating and changing a task have in common, as the API takes them. What was not typed is left out.
 *
 * @throws `invalid`  a value that can't be
 */
export function taskFields(options: OptionValues<typeof TASK_OPTIONS>, io: Pick<Io, 'cwd' | 'now'>) {
  const typed: Readonly<Record<string, unknown>> = options
  const fields = taskFieldNames.map((name) => [name, parse(TASK_FIELDS[name], typed[TASK_FIELDS[name].option], io)])
  return {
    ...(Object.fromEntries(fields) as TaskFields),
    retryPolicy: options.attempts === undefined ? undefined : { maximumAttempts: options.attempts },
    status: options.backlog ? ('backlog' as const) : undefined,
  }
}

function parse(field: AnyTaskField, value: unknown, io: Pick<Io, 'cwd' | 'now'>): unknown {
  if (field.kind === 'flag') return value === true || undefined
  if (Array.isArray(value)) return value.length === 0 ? undefined : value
  if (typeof value !== 'string') return value
  if (field.kind === 'clis') return clisOf(value)
  const option = `--${field.option}`
  if (field.kind === 'path') return resolve(io.cwd, value)
  if (field.kind === 'dollars') return parseCost(option, value)
  if (field.kind === 'duration') return parseSpan(option, value)
  return field.kind === 'time' ? parseMoment(option, value, io.now()) : value
}

/** What clears a field, by the option that sets it. */
export const CLEARED: Readonly<Record<string, Partial<Record<TaskFieldName, null | readonly never[]>>>> =
  Object.fromEntries(
    taskFieldNames.flatMap((name) => {
      const field: AnyTaskField = TASK_FIELDS[name]
      return field.isClearable ? [[field.option, { [name]: holdsList(field) ? [] : null }]] : []
    }),
  )

/** @throws `invalid`  it is not an amount of US dollars */
function parseCost(option: string, text: string): number {
  const cost = parseCostUsd(text)
  if (cost === null) throw new AppError('invalid', `${option} needs US dollars like 2.50, not '${text.slice(0, 60)}'.`)
  return cost
}
