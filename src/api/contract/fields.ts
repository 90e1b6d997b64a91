import * as z from 'zod/mini'
import { AGENT_NAME, UUID, UUID_BEGINNING } from '../../domain/ids'
import { parseSpan } from '../../domain/session/session-list'
import { type NumberRange, TASK_LIMITS } from '../../domain/task/task-limits'
import { MAX_PAGE_LIMIT } from './protocol'

/**
 * Makers of the fields of requests: our own, and those of `zod/mini` that are used. To hold all of that library would cost a command more.
 * An operation's declaration is given this module.
 */
export {
  array,
  boolean,
  enum,
  extend,
  gt,
  int,
  literal,
  looseObject,
  maximum,
  maxLength,
  minimum,
  minLength,
  nullable,
  number,
  object,
  optional,
  record,
  regex,
  strictObject,
  string,
  union,
  unknown,
} from 'zod/mini'

/** An id as a person or a program may send it: no blanks, control characters or separators, and no dot segment. */
const ID_PATTERN = /^(?!\.{1,2}$)[^\s/\\\p{Cc}\p{Cf}]{1,200}$/u

const isFreeOfNul = (value: string) => !value.includes('\0')
const isTime = (value: string) => /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value))

/** For most things, an id may be a unique beginning. */
export const id = () => z.string().check(z.regex(ID_PATTERN, 'is not an id'))
/** The same, for the compiler an id of one kind: whether there is such a thing is found out behind the edge. */
export const idOf = <Id extends string>() => id() as unknown as z.ZodMiniType<Id, Id>
export const uuid = () => z.string().check(z.regex(UUID, 'is not a uuid'))
/** The beginning of one, at least; which is meant, is found out behind the edge. */
export const ofUuid = () => z.string().check(z.regex(UUID_BEGINNING, 'is not a uuid or the beginning of one'))
export const text = (max: number) =>
  z.string().check(z.minLength(1), z.maxLength(max), z.refine(isFreeOfNul, 'holds NUL'))
/**
 * Words of a person or an agent. The engine counts them, and says by how much they are too long (`too_large`); `max` publishes its
 * limit, in characters.
 */
export const words = (max?: number) => {
  const schema = z.string()
  return max === undefined ? schema : schema.register(z.globalRegistry, { maxLength: max })
}
/** The same for a list: `max` items, counted by the engine. */
export const listOf = <Item extends z.core.SomeType>(item: Item, max: number) =>
  z.array(item).register(z.globalRegistry, { maxItems: max })
/** Which there are the server knows, and no schema. */
export const agentCli = () => z.string().check(z.regex(AGENT_NAME, 'is not the name of an agent CLI'))
export const time = () => z.string().check(z.refine(isTime, 'is not a time like 2026-01-31T12:00:00Z'))
/** A span of numbers as text; the handler parses it. */
export const span = () =>
  z.string().check(z.refine((text) => parseSpan(text) !== null, 'is not a span like 1..5, ..1 or 5..'))
export const cursor = () => z.string().check(z.regex(/^[\x21-\x7e]{1,1000}$/, 'is not a cursor of this list'))
export const limit = (max: number) => z.int().check(z.minimum(1), z.maximum(max))
export const whole = (min: number, max: number) => z.int().check(z.minimum(min), z.maximum(max))
export const within = ({ least, most }: NumberRange) => whole(least, most)
export const seq = () => z.int().check(z.minimum(0))
/** Where bytes begin in a file. There is room behind it: where they end is a whole number too. */
export const offset = () => whole(0, 2 ** 52)

export const byId = () => z.strictObject({ id: id() })
export const nothing = () => z.strictObject({})

/** `textLimit`: characters that are left of each long text of a task in a list; without it they are whole. */
export const taskTexts = () => ({ textLimit: z.optional(whole(0, TASK_LIMITS.output)) })

export const paging = () => ({ limit: z.optional(limit(MAX_PAGE_LIMIT)), cursor: z.optional(cursor()) })

/** Which tracker is meant, and what an operator's command says of itself. */
export const tracker = () => ({
  /** Absolute, on the server's machine: a folder of the project. */
  dir: z.optional(text(4_096)),
  actor: z.optional(text(200)),
})

/** What a hook of an agent's CLI gives. Other fields are kept with it; a field that is missing or odd is recorded as it came. */
export const hookPayload = () =>
  z.looseObject({
    session_id: z.optional(z.string()),
    hook_event_name: z.optional(z.string()),
    transcript_path: z.optional(z.string()),
    cwd: z.optional(z.string()),
    tool_name: z.optional(z.string()),
    tool_use_id: z.optional(z.string()),
    tool_input: z.optional(z.record(z.string(), z.unknown())),
  })
