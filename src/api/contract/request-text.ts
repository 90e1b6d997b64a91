import { AppError } from '../../domain/errors'
import { hasBody, type Operation } from './operation'

/** The parts of a request as text, ready for a URL and a body. */
export interface RequestText {
  method: Operation['method']
  /** Path and query string. */
  target: string
  /** JSON, where an operation takes it; raw bytes are the caller's to add. */
  body: string | null
}

/**
 * Writes a request of an operation from its fields: those that the path names go there, the rest into the query, or into
 * the JSON of a write. `undefined` fields are left out, lists are joined by commas, `null` is the word.
 */
export function writeRequest(operation: Operation, fields: object): RequestText {
  const { method, takes } = operation
  const rest = new Map(Object.entries(fields).filter(([, value]) => value !== undefined))
  const path = operation.path.replace(/:(\w+)/g, (_, key: string) => {
    const value = textOf(rest.get(key))
    rest.delete(key)
    // An address swallows dot segments, escaped or not: the request would go somewhere else. It can't hold half of a character.
    if (/^\.{0,2}$/.test(value) || !value.isWellFormed())
      throw new AppError('invalid', `${JSON.stringify(value)} is not an id`)
    return encodeURIComponent(value)
  })
  if (hasBody(method) && takes !== 'bytes' && takes !== 'handler')
    return { method, target: path, body: JSON.stringify(Object.fromEntries(rest)) }
  const query = new URLSearchParams([...rest].map(([key, value]): [string, string] => [key, writeValue(value)]))
  return { method, target: rest.size === 0 ? path : `${path}?${query}`, body: null }
}

const writeValue = (value: unknown): string => (Array.isArray(value) ? value.map(textOf).join(',') : textOf(value))

/** A program without types may give anything: an object is refused where it arrives, not here. */
const textOf = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value)
