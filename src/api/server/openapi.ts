import * as z from 'zod/mini'
import { ERROR_CODES } from '../../domain/errors'
import { statusOf } from '../contract/error-codes'
import { REQUESTS, type RequestSchemas } from '../contract/requests'
import { RESPONSES } from '../contract/responses'
import {
  IDEMPOTENCY_HEADER,
  PROGRESS_TYPE,
  ROUTES,
  type Route,
  type RouteName,
  VERSION_HEADER,
} from '../contract/routes'
import * as events from '../contract/schemas/event'
import * as feed from '../contract/schemas/feed'
import * as questions from '../contract/schemas/question'
import * as service from '../contract/schemas/service'
import * as sessions from '../contract/schemas/session'
import * as tasks from '../contract/schemas/task'
import * as todos from '../contract/schemas/todo-item'
import * as usage from '../contract/schemas/usage'
import * as workers from '../contract/schemas/worker'

type Json = Record<string, unknown>

const SCHEMA_PATH = '#/components/schemas/'

/** Documents that are referred to by name. The helper schemas of `usage.ts` are written out where they stand, but for `Usage`. */
const COMPONENTS = new Map<z.core.$ZodType, string>(
  Object.entries({
    Usage: usage.Usage,
    ...sessions,
    ...events,
    ...feed,
    ...todos,
    ...service,
    ...tasks,
    ...questions,
    ...workers,
  })
    .filter(([name]) => !name.endsWith('Schema'))
    .map(([name, schema]) => [schema, name]),
)

let made: { version: string; document: { openapi: string } & Json } | undefined

/** The API as an OpenAPI 3.1 document, from the schemas that validate requests and type the answers. Made once. */
export function openApiDocument(version: string): { openapi: string } & Json {
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
          description: "The operator's is the file `token` in LODELINE_HOME; agents and runs are given theirs",
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
  for (const [name, route] of Object.entries(ROUTES) as [RouteName, Route][]) {
    const path = route.path.replace(/:(\w+)/g, '{$1}')
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(name, route) }
  }
  return paths
}

function operation(name: RouteName, route: Route): Json {
  const { params, query, body }: RequestSchemas = REQUESTS[name]
  const parameters = [
    ...fields(params, 'path'),
    ...fields(query, 'query'),
    ...(route.isCreate ? [IDEMPOTENCY_KEY] : []),
  ]
  const content = bodyContent(route, body)
  return {
    operationId: name.replace(/\.(\w)/g, (_, letter: string) => letter.toUpperCase()),
    summary: route.summary,
    ...(route.access === 'public' ? { security: [] } : { 'x-callers': route.access }),
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { required: true, content } }),
    responses: { ...goodAnswer(name, route), default: errorResponse() },
  }
}

const BINARY = { type: 'string', format: 'binary' }

const IDEMPOTENCY_KEY = {
  name: IDEMPOTENCY_HEADER,
  in: 'header',
  required: false,
  description: 'Sent again with the same key, the request is answered as before and makes nothing twice',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
}

function bodyContent({ method, takes }: Route, body: RequestSchemas['body']): Json | undefined {
  if (takes === 'bytes') return { 'application/octet-stream': { schema: BINARY } }
  if (takes === 'handler' && method === 'POST') return { 'application/json': { schema: { type: 'object' } } }
  return body && { 'application/json': { schema: describe(body()) } }
}

function fields(make: RequestSchemas['params'], place: 'path' | 'query'): Json[] {
  if (make === undefined) return []
  const { properties = {}, required = [] } = describe(make()) as {
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

function goodAnswer(name: RouteName, { answer }: Route): Json {
  const headers = { [VERSION_HEADER]: { schema: { type: 'string' } } }
  if (answer === 'empty') return { 204: { description: 'Taken', headers } }
  const schema = refer(RESPONSES[name])
  const json = { 'application/json': { schema } }
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
    handler: { ...json, 'text/event-stream': { schema: { type: 'string' } } },
  }[answer]
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

/** A response's schema: its name, or `{}` for a document that has none. */
function refer(schema: z.core.$ZodType | null): Json {
  const name = schema === null ? undefined : COMPONENTS.get(schema)
  return name === undefined ? { type: 'object' } : { $ref: SCHEMA_PATH + name }
}

function clean({ $schema: _schema, $id: _id, ...rest }: Json): Json {
  return rest
}
