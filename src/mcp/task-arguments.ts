import type * as z from 'zod/mini'
import {
  type AnyTaskField,
  TASK_FIELDS,
  type TaskFieldName,
  type TaskFields,
  taskFieldNames,
} from '../domain/task/task-fields'
import { amount, choice, flag, list, optional, text, whole } from './tool'

/** For people and their commands: what a run may do is theirs to choose, and the others are rarely used. */
const NOT_FOR_AGENTS = ['permissionMode', 'taskType', 'onDependencyFailure', 'notBefore'] as const
type AgentField = Exclude<TaskFieldName, (typeof NOT_FOR_AGENTS)[number]>

export const agentFieldNames = taskFieldNames.filter(
  (name): name is AgentField => !(NOT_FOR_AGENTS as readonly string[]).includes(name),
)

type Arguments = {
  [Name in TaskFieldName]: z.ZodMiniOptional<z.ZodMiniType<Exclude<TaskFields[Name], undefined>>>
}

/** The arguments of a tool for these fields of a task. The server checks the bounds. */
export const taskArguments = <Name extends AgentField>(names: readonly Name[]): Pick<Arguments, Name> =>
  Object.fromEntries(names.map((name) => [name, optional(argumentOf(TASK_FIELDS[name]))])) as never

function argumentOf(field: AnyTaskField): z.ZodMiniType {
  const about = field.help.charAt(0).toUpperCase() + field.help.slice(1)
  switch (field.kind) {
    case 'flag':
      return flag(about)
    case 'whole':
      return whole(about)
    case 'duration':
      return whole(`${about} (milliseconds)`)
    case 'dollars':
      return amount(`${about} (US dollars)`)
    case 'ids':
    case 'words':
    case 'clis':
      return list(about)
    case 'choice':
      return choice(field.choices, about)
    case 'path':
      return text(`${about}, absolute`)
    default:
      return text(about)
  }
}
