import { AppError } from '../../domain/errors'
import type { Operation } from '../contract/operation'
import { allOperations } from '../contract/operations'

export interface RouteMatch {
  operation: Operation
  /** Decoded path segments by name, not validated yet. */
  params: Record<string, string>
}

interface Pattern {
  operation: Operation
  segments: string[]
}

/** Methods that fit a path which exists, for the error's details. */
type Outcome = RouteMatch | { allowed: string[] }

/**
 * Finds operations by comparing segments one by one.
 *
 * Ours rather than a library's: patterns of one length and noun are few, and a command that runs in process pays no
 * start-up for it; Hono's routers cost one 1.2 to 3 ms before the first answer.
 */
export function createRouter(): (method: string, pathname: string) => RouteMatch {
  const groups = new Map<string, Pattern[]>()
  for (const operation of allOperations) {
    const segments = operation.path.split('/')
    const group = groupOf(segments)
    groups.set(group, [...(groups.get(group) ?? []), { operation, segments }])
  }
  // A word before a parameter, which would take the word for an id.
  for (const group of groups.values()) group.sort((a, b) => parameterCount(a) - parameterCount(b))

  return (method, pathname) => {
    const segments = pathname.split('/')
    const outcome = pick(groups.get(groupOf(segments)) ?? [], method, segments)
    if ('operation' in outcome) return outcome
    throw noRoute(method, pathname, outcome.allowed)
  }
}

/** `/api/<noun>/…`: the noun is never a parameter. */
const groupOf = (segments: string[]) => `${segments.length} ${segments[2] ?? ''}`

const parameterCount = ({ segments }: Pattern) => segments.filter((part) => part.startsWith(':')).length

function pick(patterns: Pattern[], method: string, segments: string[]): Outcome {
  const allowed: string[] = []
  for (const { operation, segments: wanted } of patterns) {
    if (!wanted.every((part, at) => part === segments[at] || (part.startsWith(':') && segments[at] !== ''))) continue
    if (operation.method === method) return { operation, params: readParams(wanted, segments) }
    allowed.push(operation.method)
  }
  return { allowed }
}

function readParams(wanted: string[], segments: string[]): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [at, part] of wanted.entries()) {
    if (part.startsWith(':')) params[part.slice(1)] = decodeSegment(segments[at] ?? '')
  }
  return params
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    throw new AppError('invalid', 'The path contains an invalid percent escape.')
  }
}

function noRoute(method: string, pathname: string, allowed: string[]): AppError {
  const path = pathname.slice(0, 200)
  if (allowed.length === 0) {
    return new AppError('not_found', `There is nothing at ${path}.`, { hint: 'GET /api/openapi.json lists all paths.' })
  }
  return new AppError('not_found', `${path} does not support ${method.slice(0, 20)}.`, {
    hint: `It supports ${allowed.join(' and ')}.`,
    details: { allowed },
  })
}
