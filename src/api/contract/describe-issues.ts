import type * as z from 'zod/mini'
import { AppError } from '../../domain/errors'
import { ownValue } from '../../domain/own-value'

type Issue = z.core.$ZodIssue

/** What a schema checks: three parts of a request, and the arguments of a tool. */
type Part = 'path' | 'query' | 'body' | 'argument'

/** What one value in that part is called. */
const FIELD_NOUNS: Record<Part, string> = {
  path: 'path parameter',
  query: 'query parameter',
  body: 'field',
  argument: 'argument',
}

/** Turns what a schema refused into one error: the first problem as the message, all of them in `details.issues`. */
export function describeIssues(issues: readonly Issue[], part: Part): AppError {
  const told = issues.slice(0, 20).map((issue) => ({ field: fieldOf(issue, part), problem: describe(issue) }))
  const [first] = issues
  const hint = hintOf(issues)
  return new AppError('invalid', first ? sentence(first, part) : `The ${part} is not valid.`, {
    details: { issues: told },
    ...(hint !== undefined && { hint }),
  })
}

/** Fields that one could take for a request's own. */
const REFUSED_FIELDS: Readonly<Record<string, string>> = {
  claudeSessionId:
    "a conversation belongs to an attempt: create the task, then PUT /api/tasks/:id/claude-session, or set parentTaskId to continue another task's",
}

function hintOf(issues: readonly Issue[]): string | undefined {
  const unknown = issues.flatMap((issue) => (issue.code === 'unrecognized_keys' ? issue.keys : []))
  return unknown.map((key) => ownValue(REFUSED_FIELDS, key)).find(Boolean)
}

function sentence(issue: Issue, part: Part): string {
  const subject = issue.path.length === 0 ? part : `${FIELD_NOUNS[part]} ${pathOf(issue)}`
  return `The ${subject} ${describe(issue)}.`
}

function fieldOf(issue: Issue, part: Part): string {
  return issue.path.length === 0 ? part : `${part} ${pathOf(issue)}`
}

const pathOf = (issue: Issue): string => JSON.stringify(issue.path.map(String).join('.').slice(0, 100))

/** Words of our own: the library's messages are a separate, large module. */
function describe(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is missing'
      if (!issue.message.startsWith(LIBRARY_MESSAGE)) return issue.message
      return `must be ${NOUNS[issue.expected] ?? issue.expected}`
    case 'too_small':
      return `must be at least ${issue.minimum}${unitOf(issue.origin)}`
    case 'too_big':
      return `must be at most ${issue.maximum}${unitOf(issue.origin)}`
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`
    case 'unrecognized_keys':
      return `holds unknown fields: ${issue.keys.map((key) => JSON.stringify(key.slice(0, 100))).join(', ')}`
    case 'invalid_format':
    case 'custom':
      return issue.message
    default:
      return 'is not valid'
  }
}

/** How an issue begins whose schema gave no words of its own; it goes on once the MCP library has loaded the long messages. */
const LIBRARY_MESSAGE = 'Invalid input'

const NOUNS: Readonly<Record<string, string>> = {
  // A schema of any other number says so itself.
  number: 'a whole number',
  int: 'a whole number',
  boolean: 'true or false',
  string: 'text',
  array: 'a list',
  object: 'an object',
}

const unitOf = (origin: string) =>
  origin === 'string' ? ' characters long' : origin === 'array' ? ' entries long' : ''
