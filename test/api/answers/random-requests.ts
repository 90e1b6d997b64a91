/** Makes requests that the API's own document allows, mostly: about things that earlier answers named, with values at their limits. */
import type { Operation } from '../../../src/api/contract/operation'
import { openApiDocument } from '../../../src/api/server/openapi'
import { UUID } from '../../../src/domain/ids'
import type { SeededRandom } from '../../lab/seeded-random'

/** A JSON schema, as the document has it. */
interface Schema {
  $ref?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  type?: string
  minimum?: number
  maximum?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: Schema | boolean
}

interface Described {
  parameters?: { name: string; in: string; required: boolean; schema: Schema }[]
  requestBody?: { content: Record<string, { schema: Schema }> }
}

export interface RandomRequest {
  /** With its query. */
  path: string
  body: string | undefined
  /** The media type of the body. */
  type: 'application/json' | 'application/octet-stream'
}

/** Values of a name that are remembered. */
const REMEMBERED = 50
/** The longest value that is remembered, in characters. */
const LONGEST = 200
const MAX_DEPTH = 8

const NAMES_TIME = /(At|[sS]ince|[uU]ntil|[bB]efore|[aA]fter)$/
const TIMES = ['2026-01-01T00:00:00.000Z', '0001-01-01T00:00:00Z', '9999-12-31T23:59:59.999Z', '2026-02-30T00:00:00Z']
const NAMES_CLI = /^agent(Cli)?s?$/
const CLIS = ['claude-code', 'codex', 'pi']
/** Texts that break what takes them for something else. */
const ODD = [
  '',
  ' ',
  '\n',
  '0',
  '-1',
  '1..5',
  'null',
  '%',
  '_',
  '*',
  "'",
  '"',
  '\\',
  '\0',
  'Äö',
  '👩‍👩‍👧',
  '\ud800',
  '\u202e',
]
const INHERITED = ['constructor', '__proto__', 'toString']
const PLAIN = ['word', 'two words', 'main', 'x'.repeat(300), 'x'.repeat(5_000)]
const BYTES = ['', '{"type":"user"}\n', 'x'.repeat(100), '\0\0', '{"a":1}\n{"b":']
/** Where any value may stand. */
const ANYTHING = [null, 1, 'x', {}, [], { command: 'ls' }, { a: [{ b: null }] }]

export class RandomRequests {
  readonly #random: SeededRandom
  /** A folder that there is. */
  readonly #dir: string
  readonly #document = openApiDocument('1.2.3') as unknown as {
    paths: Record<string, Record<string, Described>>
  } & Record<string, unknown>
  /** What answers held, by the name of the field and, for ids, by the noun of the request's path. */
  readonly #known = new Map<string, string[]>()

  constructor(random: SeededRandom, dir: string) {
    this.#random = random
    this.#dir = dir
  }

  /** A request of this operation. */
  next({ method, path }: Operation): RandomRequest {
    const described = this.#document.paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()] ?? {}
    const noun = nounOf(path)
    const place = path.replace(/:(\w+)/g, (_, name: string) => {
      const text = this.#often(name === 'id' ? noun : name.replace(/Id$/, 's')) ?? this.#text(name)
      // Dots and nothing at all would lead to another operation.
      return /^\.{0,2}$/.test(text) ? 'x' : encodeURIComponent(text.toWellFormed())
    })
    const query = new URLSearchParams()
    for (const { name, in: where, required, schema } of described.parameters ?? []) {
      if (where !== 'query' || !(required || this.#chance(20))) continue
      // A request that waits would only take time.
      const value = name === 'waitMs' ? 0 : this.#value(schema, name)
      query.set(name, (Array.isArray(value) ? value.join(',') : String(value)).toWellFormed())
    }
    const { content } = described.requestBody ?? {}
    const json = content?.['application/json']
    const body = json === undefined ? content && this.#random.of(BYTES) : JSON.stringify(this.#value(json.schema, ''))
    return {
      path: `${place}${query.size > 0 ? `?${query}` : ''}`,
      body,
      type: json === undefined ? 'application/octet-stream' : 'application/json',
    }
  }

  /** Remembers what an answer names. */
  learn({ path }: Operation, answer: unknown): void {
    this.#learn(answer, '', nounOf(path))
  }

  #learn(value: unknown, name: string, noun: string): void {
    if (Array.isArray(value)) for (const one of value.slice(0, 20)) this.#learn(one, name, noun)
    else if (typeof value === 'object' && value !== null)
      for (const [key, one] of Object.entries(value)) this.#learn(one, key, noun)
    else if (typeof value === 'string' && value !== '' && value.length <= LONGEST) {
      this.#remember(name, value)
      if (/^(id|name|key)$/.test(name)) this.#remember(noun, value)
      if (name.endsWith('Id')) this.#remember(name.replace(/Id$/, 's'), value)
    }
  }

  #remember(name: string, value: string): void {
    const values = this.#known.get(name) ?? []
    this.#known.set(name, values)
    if (values.length < REMEMBERED) values.push(value)
    else values[this.#random.below(REMEMBERED)] = value
  }

  #often(name: string): string | undefined {
    const values = this.#known.get(name)
    return values !== undefined && this.#chance(90) ? this.#random.of(values) : undefined
  }

  #chance(percent: number): boolean {
    return this.#random.below(100) < percent
  }

  #value(schema: Schema, name: string, depth = 0): unknown {
    const { $ref, anyOf, oneOf, items, properties = {}, required = [], additionalProperties } = schema
    if (depth > MAX_DEPTH) return null
    if ($ref !== undefined) return this.#value(this.#find($ref), name, depth + 1)
    if (schema.const !== undefined) return schema.const
    if (schema.enum !== undefined) return this.#random.of(schema.enum)
    const choices = anyOf ?? oneOf
    if (choices !== undefined) return this.#value(this.#random.of(choices), name, depth + 1)
    switch (schema.type) {
      case 'null':
        return null
      case 'boolean':
        return this.#chance(50)
      case 'integer':
      case 'number':
        return name === 'waitMs' ? 0 : this.#number(schema)
      case 'string':
        return this.#text(name)
      case 'array': {
        const one = () => this.#value(items ?? {}, name.replace(/s$/, ''), depth + 1)
        return Array.from({ length: this.#random.of([0, 1, 1, 2, 12]) }, one)
      }
      case 'object': {
        const taken = Object.entries(properties).filter(([key]) => required.includes(key) || this.#chance(22))
        const made: [string, unknown][] = taken.map(([key, one]) => [key, this.#value(one, key, depth + 1)])
        if (typeof additionalProperties === 'object')
          made.push([this.#text(''), this.#value(additionalProperties, name, depth + 1)])
        return Object.fromEntries(made)
      }
      default:
        return this.#random.of(ANYTHING)
    }
  }

  #find(ref: string): Schema {
    const names = ref.split('/').slice(1)
    return names.reduce<unknown>((within, name) => Reflect.get(Object(within), name), this.#document) as Schema
  }

  #number({ minimum = -1e15, maximum = Number.MAX_SAFE_INTEGER }: Schema): number {
    const small = Math.min(maximum, Math.max(minimum, this.#random.below(5)))
    return this.#random.of([minimum, maximum, small, small, Math.floor(minimum + (maximum - minimum) / 3)])
  }

  #text(name: string): string {
    if (name === 'dir' || name === 'cwd') return this.#dir
    if (NAMES_CLI.test(name)) return this.#random.of(CLIS)
    if (NAMES_TIME.test(name)) return this.#random.of(TIMES)
    if (/^(to|replyTo)$/.test(name)) return this.#often(this.#random.of(['sessions', 'tasks', 'agents'])) ?? 'operator'
    // What is acknowledged or taken is named by uuids alone.
    const uuids = name === 'id' ? (this.#known.get('id') ?? []).filter((one) => UUID.test(one)) : []
    if (uuids.length > 0 && this.#chance(50)) return this.#random.of(uuids)
    return (this.#chance(60) ? this.#often(name) : undefined) ?? this.#random.of([...ODD, ...INHERITED, ...PLAIN])
  }
}

/** `/api/tasks/:id` as `tasks`. */
const nounOf = (path: string): string => path.split('/')[2] ?? ''
