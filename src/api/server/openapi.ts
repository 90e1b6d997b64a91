import * as z from 'zod/mini'
import { isNamed } from '../../domain/access/access'
import { CALLER_KINDS } from '../../domain/access/caller-kind'
import { AppError, ERROR_CODES } from '../../domain/errors'
import { statusOf } from '../contract/error-codes'
import type { Operation } from '../contract/operation'
import { allOperations } from '../contract/operations'
import { IDEMPOTENCY_HEADER, PROGRESS_TYPE, VERSION_HEADER } from '../contract/protocol'
import * as schemas from '../contract/schemas'
import { schemasOf } from './request/decode-request'

type Json = Record<string, unknown>

const SCHEMA_PATH = '#/components/schemas/'

/** Objects and choices between them, by the name under which their file exports them. Texts, numbers and words are written out. */
const COMPONENTS = new Map<z.core.$ZodType, string>(
  Object.entries<z.core.$ZodType>(schemas)
    .filter(([, schema]) => ['object', 'union'].includes(schema._zod.def.type))
    .map(([name, schema]) => [schema, name]),
)

type Document = z.output<typeof schemas.OpenApiDocument>

let made: { version: string; document: Document } | undefined

/** The API as an OpenAPI 3.1 document, from the schemas that validate requests and type the answers. Made once. */
export function openApiDocument(version: string): Document {
  if (made?.version === version) return made.document
  const document = {
    openapi: '3.1.0',
    info: {
      title: 'Lodeline',
      version,
      description:
        'The record of agent conversations, and the tasks that agents work on. Errors are `{error: {code, message, hint?, details?}}`; lists page by cursor.',
    },
    paths: pathsOf(),
    components: {
      schemas: components(),
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          description:
            "The operator's token is in the file `token` in LODELINE_HOME; agents and runs receive their own",
        },
      },
    },
    security: [{ token: [] }],
  }
  made = { version, document }
  return document
}

function pathsOf(): Json {
  const paths: Record<string, Json> = {}
  for (const operation of allOperations) {
    const path = operation.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeOperation(operation) }
  }
  return paths
}

function describeOperation(operation: Operation): Json {
  const { name, summary, access, isCreate } = operation
  const { params, query, body, ownBody } = schemasOf(operation)
  const parameters = [...fields(params, 'path'), ...fields(query, 'query'), ...(isCreate ? [IDEMPOTENCY_KEY] : [])]
  const content = bodyContent(operation, body ?? ownBody)
  return {
    operationId: name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary,
    ...(access === 'public' ? { security: [] } : { 'x-callers': CALLER_KINDS.filter((kind) => isNamed(access, kind)) }),
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { required: true, content } }),
    responses: { ...goodAnswer(operation), default: errorResponse() },
  }
}

const BINARY = { type: 'string', format: 'binary' }

const IDEMPOTENCY_KEY = {
  name: IDEMPOTENCY_HEADER,
  in: 'header',
  required: false,
  description: 'A repeated request with the same key gets the same answer and creates nothing twice',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
}

function bodyContent({ takes }: Operation, body: z.core.$ZodType | undefined): Json | undefined {
  if (takes === 'bytes') return { 'application/octet-stream': { schema: BINARY } }
  return body && { 'application/json': { schema: describe(body) } }
}

function fields(schema: z.core.$ZodType | undefined, place: 'path' | 'query'): Json[] {
  if (schema === undefined) return []
  const { properties = {}, required = [] } = describe(schema) as {
    properties?: Record<string, Json>
    required?: string[]
  }
  return Object.entries(properties).map(([name, schema]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    schema,
    ...(schema.type === 'array' && { style: 'form', explode: false }),
  }))
}

function goodAnswer({ answer }: Operation): Json {
  const headers = { [VERSION_HEADER]: { schema: { type: 'string' } } }
  if (answer === 'empty') return { 204: { description: 'Taken', headers } }
  if (answer === 'refused') return { 405: { description: 'This method is not supported here', headers } }
  const json = typeof answer === 'object' ? { 'application/json': { schema: refer(answer.schema(schemas)) } } : {}
  const content = {
    json,
    progress: {
      ...json,
      [PROGRESS_TYPE]: { schema: { type: 'string', description: '{progress} lines, then {result} or {error}' } },
    },
    lines: { ...json, 'text/event-stream': { schema: { $ref: `${SCHEMA_PATH}TaskLogLine` } } },
    events: { 'text/event-stream': { schema: { $ref: `${SCHEMA_PATH}FeedEntry` } } },
    tar: { 'application/x-tar': { schema: BINARY } },
    bytes: { 'application/octet-stream': { schema: BINARY } },
    text: { 'text/plain': { schema: { type: 'string' } } },
    mcp: { ...json, 'text/event-stream': { schema: { type: 'string' } } },
  }[typeof answer === 'object' ? answer.is : answer]
  return { 200: { description: 'Good', headers, content } }
}

const errorResponse = () => ({
  description: ERROR_CODES.map((code) => `${statusOf(code)} ${code}`).join(', '),
  content: { 'application/json': { schema: { $ref: `${SCHEMA_PATH}ErrorBody` } } },
})

/** A request's schema, written out. */
const describe = (schema: z.core.$ZodType) => clean(z.toJSONSchema(schema, { io: 'input' }) as Json)

function components(): Record<string, Json> {
  const registry = z.registry<{ id: string }>()
  for (const [schema, id] of COMPONENTS) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, {
    uri: (id) => SCHEMA_PATH + id,
    io: 'output',
    // A later server may add fields to what it answers.
    override: ({ jsonSchema }) => {
      if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
    },
  })
  return Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, clean(schema as Json)]))
}

/** The component that describes an answer. */
function refer(schema: z.core.$ZodType): Json {
  const name = COMPONENTS.get(schema)
  if (name === undefined)
    throw new AppError('internal', 'The schema of an answer is not an object that `schemas/` exports.')
  return { $ref: SCHEMA_PATH + name }
}

function clean({ $schema: _schema, $id: _id, ...rest }: Json): Json {
  return rest
}
