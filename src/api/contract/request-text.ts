import { AppError } from '../../domain/errors'
import { ROUTES, type Route, type RouteName } from './routes'

/** The parts of a request as text, ready for a URL and a body. */
export interface RequestText {
  method: Route['method']
  /** Path and query string. */
  target: string
  /** JSON, for routes that take it; raw bytes are the caller's to add. */
  body: string | null
}

const WITH_BODY: ReadonlySet<Route['method']> = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Writes a request from its route and its fields: those that the path names go there, the rest into the query, or into
 * the JSON of a write. `undefined` fields are left out, lists are joined by commas, `null` is the word.
 */
export function writeRequest(name: RouteName, input: Readonly<Record<string, unknown>> = {}): RequestText {
  const route: Route = ROUTES[name]
  const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined))
  const path = route.path.replace(/:(\w+)/g, (_, key: string) => {
    const value = String(rest.get(key))
    rest.delete(key)
    // An address swallows dot segments, escaped or not: the request would go somewhere else.
    if (/^\.{0,2}$/.test(value)) throw new AppError('invalid', `${JSON.stringify(value)} is not an id`)
    return encodeURIComponent(value)
  })
  if (WITH_BODY.has(route.method) && route.takes !== 'bytes')
    return { method: route.method, target: path, body: JSON.stringify(Object.fromEntries(rest)) }
  const query = new URLSearchParams([...rest].map(([key, value]): [string, string] => [key, writeValue(value)]))
  return { method: route.method, target: rest.size === 0 ? path : `${path}?${query}`, body: null }
}

function writeValue(value: unknown): string {
  return Array.isArray(value) ? value.map(String).join(',') : String(value)
}
