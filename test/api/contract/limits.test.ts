/** The limits that OpenAPI publishes are the ones that hold: each is tried at its end and one beyond, over a real store. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openStore } from '../../../src/store/open'
import type { KeptStore } from '../../../src/store/sql/kept-store'
import { emptyRepository } from '../../lab/empty-repository'
import { make } from '../../store-contract/databases'
import { TOKEN } from '../start-api'
import { joinAs, serveTasks } from '../tasks/serve-tasks'

interface Schema {
  type?: string
  maxLength?: number
  maximum?: number
  minimum?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
}

let made: Awaited<ReturnType<typeof make>>
let store: KeptStore
let api: ReturnType<typeof serveTasks>
let dir: string
beforeAll(async () => {
  made = await make('sqlite')
  store = await openStore({ ...made.place, mode: 'read-write', migrate: true })
  api = serveTasks(store)
  dir = join(realpathSync(mkdtempSync('/tmp/ld-')), 'project')
  emptyRepository(dir)
})
afterAll(async () => {
  await api[Symbol.asyncDispose]()
  await store.close()
  await made.remove()
  rmSync(join(dir, '..'), { recursive: true, force: true })
})

/** What an item needs beside the field that is tried. */
const NEEDED: Readonly<Record<string, object>> = {
  dependencies: { dependsOnId: 'external:elsewhere:this' },
  clis: { name: 'claude-code', version: '2.1.330' },
}
/** Lists of objects, with what makes one that is right. */
const OBJECTS: Readonly<Record<string, (n: number) => object>> = { clis: (n) => ({ name: `cli-${n}`, version: '1' }) }
const within = (list: string, item: unknown): unknown =>
  NEEDED[list] === undefined ? item : { ...NEEDED[list], ...(item as object) }

/** A value at the limit that was published, and one beyond it. */
interface Probe {
  name: string
  at: unknown
  beyond: unknown
}

/** `long` of a path is one. */
const long = (name: string, length: number): string => (name === 'dir' ? '/' : '').padEnd(length, 'x')

function probesOf(schema: Schema, name: string): Probe[] {
  const { maxLength, maxItems, maximum, minimum, items, properties } = schema
  const words = (count: number) => Array.from({ length: count }, (_, n) => OBJECTS[name]?.(n) ?? `word-${n}`)
  return [
    ...(maxLength === undefined
      ? []
      : [{ name: `${name} long`, at: long(name, maxLength), beyond: long(name, maxLength + 1) }]),
    ...(maximum === undefined ? [] : [{ name: `${name} large`, at: maximum, beyond: maximum + 1 }]),
    ...(minimum === undefined ? [] : [{ name: `${name} small`, at: minimum, beyond: minimum - 1 }]),
    ...(maxItems === undefined ? [] : [{ name: `${name} many`, at: words(maxItems), beyond: words(maxItems + 1) }]),
    ...(items === undefined
      ? []
      : probesOf(items, `an item of ${name}`).map((probe) => ({
          ...probe,
          at: [within(name, probe.at)],
          beyond: [within(name, probe.beyond)],
        }))),
    ...Object.entries(properties ?? {}).flatMap(([key, inner]) =>
      probesOf(inner, `${name}.${key}`).map((probe) => ({
        ...probe,
        at: { [key]: probe.at },
        beyond: { [key]: probe.beyond },
      })),
    ),
  ]
}

const MACHINE = { platform: 'linux', arch: 'x64', cores: 4, memoryBytes: 8e9, gpus: [], repositories: [] }

/** How the API and the engine say that a value is out of its bounds. */
const OUT_OF_BOUNDS = /at most|at least|whole number from|not an amount|not a number from|word of 1 to|is not \d+ to/

async function isOutOfBounds(method: string, path: string, body: object): Promise<boolean> {
  const response = await fetch(api.origin + path, {
    method,
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
  })
  const { error } = (await response.json()) as { error?: { code: string; message: string } }
  return error !== undefined && (error.code === 'too_large' || OUT_OF_BOUNDS.test(error.message))
}

/** @returns what is published and does not hold. */
async function broken(method: string, path: string, good: () => object): Promise<string[]> {
  const document = (await api.client.openapi()) as unknown as {
    paths: Record<string, Record<string, { requestBody: { content: Record<string, { schema: Schema }> } }>>
  }
  const { properties = {} } =
    document.paths[path]?.[method.toLowerCase()]?.requestBody.content['application/json']?.schema ?? {}
  const wrong: string[] = []
  // An object may have fields that it can't be without.
  const body = (field: string, value: unknown) => {
    const whole = good()
    const inner = (whole as Record<string, unknown>)[field]
    return {
      ...whole,
      [field]: typeof inner === 'object' && !Array.isArray(value) ? { ...inner, ...Object(value) } : value,
    }
  }
  for (const [field, schema] of Object.entries(properties))
    for (const { name, at, beyond } of probesOf(schema, field)) {
      if (await isOutOfBounds(method, path, body(field, at))) wrong.push(`${name}: the limit is refused`)
      if (!(await isOutOfBounds(method, path, body(field, beyond)))) wrong.push(`${name}: more than the limit is taken`)
    }
  return wrong
}

/** Names of what is published of a body's fields. */
async function published(path: string): Promise<Record<string, Schema>> {
  const { paths } = (await api.client.openapi()) as unknown as {
    paths: Record<string, { post: { requestBody: { content: Record<string, { schema: Schema }> } } }>
  }
  return paths[path]?.post.requestBody.content['application/json']?.schema.properties ?? {}
}

test('a task takes what is published, and nothing beyond', async () => {
  expect(await broken('POST', '/api/tasks', () => ({ task: 'Do it' }))).toEqual([])
  expect(await published('/api/tasks')).toMatchObject({
    task: { maxLength: 200_000 },
    tags: { maxItems: 50, items: { maxLength: 100 } },
    dependsOn: { maxItems: 1_000 },
    timeoutMs: { minimum: 1_000, maximum: 30 * 86_400_000 },
    retryPolicy: { properties: { initialIntervalMs: { maximum: 7 * 86_400_000 } } },
  })
})

test('an issue takes what is published, and nothing beyond', async () => {
  expect(await broken('POST', '/api/issues', () => ({ dir, title: 'Do it' }))).toEqual([])
  expect(await published('/api/issues')).toMatchObject({
    title: { maxLength: 500 },
    labels: { maxItems: 500, items: { maxLength: 200 } },
    issueType: { maxLength: 50 },
  })
})

test('epics, agents, messages and registrations take what is published, and nothing beyond', async () => {
  expect(await broken('POST', '/api/epics', () => ({ title: 'Much' }))).toEqual([])
  expect(await broken('POST', '/api/agents', () => ({ ...joinAs(), machine: MACHINE }))).toEqual([])
  expect(await broken('POST', '/api/sessions', () => ({}))).toEqual([])
  const { registration } = await api.client.sessions.register({})
  expect(await broken('POST', '/api/messages', () => ({ to: registration.address, text: 'Hello' }))).toEqual([])
})
