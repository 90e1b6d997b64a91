/** Holds every JSON answer that a test receives against the schema that the API declares for it. */
import * as z from 'zod/mini'
import type { Transport } from '../../../src/api/client/call'
import type { JsonAnswer, Operation } from '../../../src/api/contract/operation'
import * as schemas from '../../../src/api/contract/schemas'
import type { App } from '../../../src/api/server'
import { createRouter } from '../../../src/api/server/router'

type Schema = z.core.$ZodType

const findRoute = createRouter()

/** Operations of which this process received a JSON answer, every one of them as it is declared. */
export const answered = new Set<Operation>()

export type JsonOperation = Operation & { answer: JsonAnswer }

/** The schema of an operation's answer. */
export const schemaOf = <Answer extends z.ZodMiniType>(operation: { answer: JsonAnswer<Answer> }): Answer =>
  operation.answer.schema(schemas)

/**
 * The same transport, which looks at what comes back. An answer that is not as declared becomes an error of status 500, and fails the
 * test that runs even where that expects an error.
 */
export const declared =
  (send: Transport): Transport =>
  async (request) => {
    const response = await send(request)
    const problem = await problemIn(request, response)
    if (problem === null) return response
    queueMicrotask(() => {
      throw new Error(problem)
    })
    return Response.json({ error: { code: 'internal', message: problem } }, { status: 500 })
  }

/** The same app, whose answers are looked at: those to its own calls too, which its tools make. */
export function declaredApp(app: App): App {
  const { fetch } = app
  app.fetch = async (request, info) => await declared((one) => fetch.call(app, one, info))(request)
  return app
}

async function problemIn(request: Request, response: Response): Promise<string | null> {
  if (response.status !== 200 || !/^application\/json\b/.test(response.headers.get('content-type') ?? '')) return null
  const operation = operationOf(request)
  if (operation === null) return null
  const { name, answer } = operation
  const problems = problemsOf(typeof answer === 'object' ? answer.schema(schemas) : null, await response.clone().json())
  if (problems.length === 0) answered.add(operation)
  return problems.length === 0 ? null : `${name} does not answer as it declares: ${problems.slice(0, 10).join(', ')}`
}

function operationOf({ method, url }: Request): Operation | null {
  try {
    return findRoute(method, new URL(url).pathname).operation
  } catch {
    return null
  }
}

/** What is wrong, missing or not declared in an answer, with its place. */
export function problemsOf(schema: Schema | null, value: unknown): string[] {
  if (schema === null) return ['JSON, where none is declared']
  const result = z.safeParse(schema, value)
  if (result.success) return undeclared(schema, value, '')
  return result.error.issues.map(({ path, message }) => `${path.map((key) => `.${String(key)}`).join('')} ${message}`)
}

/** Places of fields that the schema does not name, at any depth, in a value that it accepts. */
function undeclared(schema: Schema, value: unknown, at: string): string[] {
  const { def } = (schema as z.core.$ZodTypes)._zod
  if (value === null || value === undefined) return []
  if (def.type === 'nullable' || def.type === 'optional') return undeclared(def.innerType, value, at)
  if (def.type === 'array') return (value as unknown[]).flatMap((one, n) => undeclared(def.element, one, `${at}[${n}]`))
  if (def.type === 'record')
    return Object.entries(value).flatMap(([key, one]) => undeclared(def.valueType, one, `${at}.${key}`))
  if (def.type === 'union') {
    const fits = def.options.filter((option) => z.safeParse(option, value).success)
    return fits.map((option) => undeclared(option, value, at)).sort((a, b) => a.length - b.length)[0] ?? []
  }
  if (def.type !== 'object') return []
  return Object.entries(value).flatMap(([key, one]) => {
    const field: Schema | undefined = def.shape[key]
    if (field !== undefined) return undeclared(field, one, `${at}.${key}`)
    return def.catchall === undefined ? [`${at}.${key} is not declared`] : []
  })
}
