import * as z from 'zod/mini'
import type { CallerKind } from '../api/contract/callers'
import { describeIssues } from '../api/contract/describe-issues'
import { AppError } from '../domain/errors'
import type { OwnTool } from '../domain/policy/own-tools'
import type { ToolCall } from './host'

/** A tool as it is listed and called. */
export interface Tool {
  name: string
  description: string
  /** Which callers see it. The server decides what a caller may do to which task. */
  callers: readonly CallerKind[]
  /** Agents that keep tools behind a search show these at once. */
  isAlwaysShown: boolean
  isReadOnly: boolean
  inputSchema: Record<string, unknown>
  /** Checks the arguments and runs. @throws `invalid` and the client's errors */
  run(args: unknown, call: ToolCall): Promise<string>
}

export interface ToolSpec<Shape extends z.core.$ZodShape> {
  name: OwnTool
  description: string
  callers: readonly CallerKind[]
  isAlwaysShown?: boolean
  isReadOnly?: boolean
  input: Shape
  /** The text that the model gets. */
  run(args: z.output<z.ZodMiniObject<Shape, z.core.$strict>>, call: ToolCall): Promise<string>
}

export function defineTool<Shape extends z.core.$ZodShape>(spec: ToolSpec<Shape>): Tool {
  const schema = z.strictObject(spec.input)
  const { $schema: _, ...inputSchema } = z.toJSONSchema(schema, {
    io: 'input',
    // Every integer would carry the bounds of what a double can count, and every text that it may not be empty: tokens that say
    // nothing.
    override: ({ jsonSchema }) => {
      if (jsonSchema.minLength === 1) delete jsonSchema.minLength
      if (jsonSchema.minItems === 1) delete jsonSchema.minItems
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
    },
  }) as Record<string, unknown>
  return {
    name: spec.name,
    description: spec.description,
    callers: spec.callers,
    isAlwaysShown: spec.isAlwaysShown === true,
    isReadOnly: spec.isReadOnly === true,
    inputSchema,
    async run(args, call) {
      const checked = z.safeParse(schema, args ?? {}, { reportInput: true })
      if (!checked.success) throw refused(checked.error.issues, Object.keys(spec.input))
      return await spec.run(checked.data, call)
    },
  }
}

function refused(issues: readonly z.core.$ZodIssue[], fields: string[]): AppError {
  const { message, details } = describeIssues(issues, 'argument')
  const hint = fields.length === 0 ? 'it takes no arguments' : `it takes: ${fields.join(', ')}`
  return new AppError('invalid', message, { hint, ...(details && { details }) })
}

/** Shapes of arguments; the server checks what they mean. */
export const text = (about: string) => z.string().check(z.minLength(1), z.describe(about))
export const list = (about: string) => z.array(z.string()).check(z.describe(about))
export const whole = (about: string) => z.int().check(z.describe(about))
export const amount = (about: string) => z.number().check(z.describe(about))
export const flag = (about: string) => z.boolean().check(z.describe(about))
export const choice = <const Words extends readonly string[]>(words: Words, about: string) =>
  z.enum(words).check(z.describe(about))
export const optional = z.optional
