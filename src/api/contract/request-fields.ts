import * as z from 'zod/mini'
import { TASK_LIMITS } from '../../domain/task'
import { MAX_PAGE_LIMIT } from './routes'

export type ObjectSchema = z.ZodMiniObject

/**
 * What may go into a request. Query fields are described by what they mean (a whole number, true or false, a list): the server turns
 * them into text and back by these very schemas. Each part is made when it is first asked for: to make all of them costs a command
 * that runs in process 3 ms, the one that it needs 0.1.
 */
export interface RequestSchemas {
  params?: () => ObjectSchema
  /** Unknown fields are refused. Lists are written with commas, `null` as the word. */
  query?: () => ObjectSchema
  /** JSON. */
  body?: () => ObjectSchema
}

/** An id as a person or a program may send it: no blanks, control characters or separators, and no dot segment. */
const ID_PATTERN = /^(?!\.{1,2}$)[^\s/\\\p{Cc}\p{Cf}]{1,200}$/u
const UUID_PATTERN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const isFreeOfNul = (value: string) => !value.includes('\0')
const isTime = (value: string) => /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value))

/** Of most things an id may be a unique beginning. */
export const id = () => z.string().check(z.regex(ID_PATTERN, 'is not an id'))
/** The same, for the compiler an id of one kind: whether there is such a thing is found out behind the edge. */
export const idOf = <Id extends string>() => id() as unknown as z.ZodMiniType<Id, Id>
export const uuid = () => z.string().check(z.regex(UUID_PATTERN, 'is not a uuid'))
/** The beginning of one, at least; which is meant, is found out behind the edge. */
export const ofUuid = () => z.string().check(z.regex(/^[0-9a-f-]{4,36}$/i, 'is not a uuid or the beginning of one'))
export const text = (max: number) =>
  z.string().check(z.minLength(1), z.maxLength(max), z.refine(isFreeOfNul, 'holds NUL'))
/** Words of a person or an agent: bounded by the engine, which says by how much they are too long. */
export const words = () => z.string()
export const time = () => z.string().check(z.refine(isTime, 'is not a time like 2026-01-31T12:00:00Z'))
export const cursor = () => z.string().check(z.regex(/^[\x21-\x7e]{1,1000}$/, 'is not a cursor of this list'))
export const limit = (max: number) => z.int().check(z.minimum(1), z.maximum(max))
export const whole = (min: number, max: number) => z.int().check(z.minimum(min), z.maximum(max))
export const seq = () => z.int().check(z.minimum(0))

export const byId = () => z.strictObject({ id: id() })
export const nothing = () => z.strictObject({})

/** `textLimit`: characters that are left of each long text of a task in a list; without it they are whole. */
export const taskTexts = () => ({ textLimit: z.optional(whole(0, TASK_LIMITS.output)) })

export const paging = () => ({ limit: z.optional(limit(MAX_PAGE_LIMIT)), cursor: z.optional(cursor()) })
