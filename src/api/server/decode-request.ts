import type * as z from 'zod/mini'
import { AppError } from '../../domain/errors'
import { describeIssues } from '../contract/describe-issues'
import { REQUESTS, type RequestSchemas } from '../contract/requests'
import type { RouteName } from '../contract/routes'

type ObjectSchema = z.ZodMiniObject
type Schema = z.core.$ZodType
/** Text of one query field to the value that its schema wants; text that is no such value stays text, for the schema to refuse. */
type FieldDecoder = (text: string) => unknown

/** The decoders of a route, made when it is first called. */
interface RouteDecoder {
  params(values: Record<string, string>): unknown
  query(values: URLSearchParams): unknown
  body(value: unknown): unknown
  takesBody: boolean
}

const decoders = new Map<RouteName, RouteDecoder>()

export function decoderOf(name: RouteName): RouteDecoder {
  const known = decoders.get(name)
  if (known !== undefined) return known
  const made = makeDecoder(REQUESTS[name])
  decoders.set(name, made)
  return made
}

function makeDecoder({ params, query, body }: RequestSchemas): RouteDecoder {
  const paramSchema = params?.()
  const querySchema = query?.()
  const bodySchema = body?.()
  const fields = new Map(Object.entries(querySchema?.shape ?? {}).map(([key, schema]) => [key, decoderFor(schema)]))
  return {
    params: (values) => (paramSchema === undefined ? {} : check(paramSchema, values, 'path')),
    query: (values) => {
      const decoded = decodeQuery(values, fields)
      return querySchema === undefined ? {} : check(querySchema, decoded, 'query')
    },
    body: (value) => (bodySchema === undefined ? undefined : check(bodySchema, value, 'body')),
    takesBody: bodySchema !== undefined,
  }
}

function decodeQuery(values: URLSearchParams, fields: Map<string, FieldDecoder>): Record<string, unknown> {
  const decoded: Record<string, unknown> = {}
  for (const [key, text] of values) {
    const decode = fields.get(key)
    if (decode === undefined) throw unknownField(key, [...fields.keys()])
    if (Object.hasOwn(decoded, key)) throw new AppError('invalid', `query ${quote(key)} is given twice`)
    decoded[key] = decode(text)
  }
  return decoded
}

function unknownField(key: string, known: string[]): AppError {
  return new AppError('invalid', `query ${quote(key)} is unknown here`, {
    hint: known.length === 0 ? 'this request takes none' : `known: ${known.join(', ')}`,
  })
}

const quote = (key: string) => JSON.stringify(key.slice(0, 100))

/** Makes a field's decoder from the schema that will check the value. */
function decoderFor(schema: Schema): FieldDecoder {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (def.type === 'optional') return decoderFor(def.innerType)
  if (def.type === 'nullable') {
    const decode = decoderFor(def.innerType)
    return (text) => (text === 'null' ? null : decode(text))
  }
  if (def.type === 'array') {
    const decode = decoderFor(def.element)
    return (text) => (text === '' ? [] : text.split(',').map(decode))
  }
  if (def.type === 'number') return (text) => (/^-?\d{1,16}$/.test(text) ? Number(text) : text)
  if (def.type === 'boolean') return (text) => (text === 'true' ? true : text === 'false' ? false : text)
  return (text) => text
}

function check(schema: ObjectSchema, value: unknown, part: 'path' | 'query' | 'body'): unknown {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return result.data
  throw describeIssues(result.error.issues, part)
}
