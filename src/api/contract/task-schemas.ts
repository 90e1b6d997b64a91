import type * as z from 'zod/mini'
import { AGENT_NAME } from '../../domain/ids'
import {
  type AnyTaskField,
  holdsList,
  TASK_FIELDS,
  type TaskFieldChanges,
  type TaskFieldName,
  type TaskFields,
  taskFieldNames,
} from '../../domain/task/task-fields'
import { TASK_LIMITS, TASK_RANGES } from '../../domain/task/task-limits'
import type { Fields, OptionalFields } from './operation'

/** Schemas of requests that make or change tasks. The fields derive from `domain/task/task-fields.ts`. */

/** These fields of a new task, each optional. Default: all of them. */
export function taskFields<Name extends TaskFieldName = TaskFieldName>(
  f: Fields,
  names: readonly Name[] = taskFieldNames as Name[],
): Pick<OptionalFields<TaskFields>, Name> {
  return Object.fromEntries(names.map((name) => [name, f.optional(schemaOf(f, TASK_FIELDS[name]))])) as never
}

/** The fields of a change: `null` clears. */
export function taskFieldChanges(f: Fields): OptionalFields<TaskFieldChanges> {
  const shape = taskFieldNames.map((name) => {
    const field: AnyTaskField = TASK_FIELDS[name]
    const schema = schemaOf(f, field)
    return [name, f.optional(field.isClearable && !holdsList(field) ? f.nullable(schema) : schema)]
  })
  return Object.fromEntries(shape)
}

function schemaOf(f: Fields, field: AnyTaskField): z.ZodMiniType {
  switch (field.kind) {
    case 'text':
      return f.words(field.most)
    case 'word':
    case 'agent':
      return f.text(TASK_LIMITS.word)
    case 'path':
      return f.text(TASK_LIMITS.path)
    case 'id':
      return f.id()
    case 'ids':
      // Counted before any is looked up.
      return f.array(f.id()).check(f.maxLength(field.most))
    case 'clis':
      return f.listOf(f.string().check(f.regex(AGENT_NAME, 'is not the name of an agent CLI')), field.most)
    case 'words':
      return f.listOf(f.words(TASK_LIMITS.tag), field.most)
    case 'whole':
    case 'duration':
      return f.within(field)
    case 'dollars':
      return f.number('must be a number').check(f.gt(0), f.maximum(field.most))
    case 'choice':
      return f.enum(field.choices)
    case 'flag':
      return f.boolean()
    case 'time':
      return f.time()
  }
}

const { backoffCoefficient: backoff } = TASK_RANGES

export const retryPolicy = (f: Fields) =>
  f.strictObject({
    maximumAttempts: f.optional(f.within(TASK_RANGES.maximumAttempts)),
    initialIntervalMs: f.optional(f.within(TASK_RANGES.retryIntervalMs)),
    backoffCoefficient: f.optional(
      f.number('must be a number').check(f.minimum(backoff.least), f.maximum(backoff.most)),
    ),
    maximumIntervalMs: f.optional(f.within(TASK_RANGES.retryIntervalMs)),
  })
