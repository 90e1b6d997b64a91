import type * as z from 'zod/mini'
import { AppError } from '../../../domain/errors'
import { describeIssues } from '../../contract/describe-issues'
import * as fields from '../../contract/fields'
import { hasBody, namesIn, type ObjectSchema, type Operation } from '../../contract/operation'

type Schema = z.core.$ZodType
/** Text of one query field to the value that its schema wants; text that is no such value stays text, for the schema to refuse. */
type FieldDecoder = (text: string) => unknown

/** Checks the parts of an operation's requests; made when it is first called. */
interface Decoder {
  params(values: Record<string, string>): unknown
  query(values: URLSearchParams): unknown
  body(value: unknown): unknown
  takesBody: boolean
}

const decoders = new Map<Operation, Decoder>()

export function decoderOf(operation: Operation): Decoder {
  const known = decoders.get(operation)
  if (known !== undefined) return known
  const made = makeDecoder(schemasOf(operation), operation)
  decoders.set(operation, made)
  return made
}

/** What goes into an operation's requests, by part. */
export function schemasOf({ method, path, params, query, body, ownBody, takes }: Operation) {
  const names = namesIn(path)
  const takesJson = hasBody(method) && takes !== 'bytes' && takes !== 'handler'
  return {
    params: params?.(fields) ?? fields.strictObject(Object.fromEntries(names.map((name) => [name, fields.id()]))),
    query: query?.(fields),
    body: body?.(fields) ?? (takesJson ? fields.strictObject({}) : undefined),
    ownBody: ownBody?.(fields),
  }
}

function makeDecoder({ params, query, body }: ReturnType<typeof schemasOf>, operation: Operation): Decoder {
  const decoders = new Map(Object.entries(query?.shape ?? {}).map(([key, schema]) => [key, decoderFor(schema)]))
  return {
    params: (values) => check(params, values, 'path'),
    query: (values) => {
      // The sender adds what it likes, which the handler reads itself.
      if (operation.isLinked) return {}
      const decoded = decodeQuery(values, decoders)
      return query === undefined ? {} : check(query, decoded, 'query')
    },
    body: (value) => (body === undefined ? undefined : check(body, value, 'body', operation.ignoresUnknown)),
    takesBody: body !== undefined,
  }
}

function decodeQuery(values: URLSearchParams, fields: Map<string, FieldDecoder>): Record<string, unknown> {
  const decoded: Record<string, unknown> = {}
  for (const [key, text] of values) {
    const decode = fields.get(key)
    if (decode === undefined) throw unknownField(key, [...fields.keys()])
    if (Object.hasOwn(decoded, key)) throw new AppError('invalid', `Query parameter ${quote(key)} is given twice.`)
    decoded[key] = decode(text)
  }
  return decoded
}

function unknownField(key: string, known: string[]): AppError {
  return new AppError('invalid', `Unknown query parameter ${quote(key)}.`, {
    hint: known.length === 0 ? 'This request takes no query parameters.' : `Known parameters: ${known.join(', ')}.`,
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

function check(schema: ObjectSchema, value: unknown, part: 'path' | 'query' | 'body', ignoresUnknown = false): unknown {
  const result = schema.safeParse(value, { reportInput: true })
  if (result.success) return result.data
  const { issues } = result.error
  if (!ignoresUnknown || !issues.some(({ code }) => code === 'unrecognized_keys')) throw describeIssues(issues, part)
  for (const issue of issues) if (issue.code === 'unrecognized_keys') leaveOut(value, issue)
  return check(schema, value, part)
}

function leaveOut(value: unknown, { path, keys }: z.core.$ZodIssueUnrecognizedKeys): void {
  const holder = path.reduce((within, name) => Reflect.get(Object(within), name), value)
  for (const key of keys) Reflect.deleteProperty(Object(holder), key)
}
