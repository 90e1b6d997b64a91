import { expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { noun } from '../../../src/api/contract/operation'
import { allOperations } from '../../../src/api/contract/operations'
import * as schemas from '../../../src/api/contract/schemas'
import { inProcess } from '../start-api'

type Json = Record<string, unknown>

test('the OpenAPI document describes every route, and every reference in it leads somewhere', async () => {
  const { client } = await inProcess()
  const document = (await client.openapi()) as Json
  const paths = document.paths as Record<string, Record<string, Json>>
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  )
  expect(described.sort()).toEqual(allOperations.map(({ method, path }) => `${method} ${path}`).sort())
  const text = JSON.stringify(document)
  const schemas = (document.components as { schemas: Json }).schemas
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
    expect(Object.keys(schemas)).toContain(name)
  expect(text).not.toContain('"$ref":"#/$defs')
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
  expect(new Set(ids).size).toBe(ids.length)
})

test('limits that are checked are the limits that are described', async () => {
  const { client } = await inProcess()
  const paths = ((await client.openapi()) as Json).paths as Record<string, { get: { parameters: Json[] } }>
  expect(paths['/api/sessions']?.get.parameters.find(({ name }) => name === 'limit')?.schema).toEqual({
    type: 'integer',
    minimum: 1,
    maximum: 1_000,
  })
})

test('bodies, keys of creates, callers and forms of answers are described as they are', async () => {
  const { client } = await inProcess()
  type Operation = {
    parameters?: Json[]
    requestBody?: { content: Record<string, Json> }
    responses: Record<string, { content?: Record<string, Json> }>
    'x-callers'?: string[]
  }
  const paths = ((await client.openapi()) as Json).paths as Record<string, Record<string, Operation>>
  const create = paths['/api/tasks']?.post
  expect(create?.parameters?.map(({ name }) => name)).toEqual(['Idempotency-Key'])
  expect(create?.['x-callers']).toEqual(['operator', 'lead', 'worker', 'attempt'])
  expect(paths['/api/tasks']?.get?.['x-callers']).toContain('viewer')
  expect(Object.keys(create?.requestBody?.content ?? {})).toEqual(['application/json'])
  const types = (path: string, method: string) => Object.keys(paths[path]?.[method]?.responses['200']?.content ?? {})
  expect(Object.keys(paths['/api/attempts/{id}/stream']?.put?.requestBody?.content ?? {})).toEqual([
    'application/octet-stream',
  ])
  expect(types('/api/tasks/{id}/log', 'get')).toEqual(['application/json', 'text/event-stream'])
  expect(types('/api/tasks/{id}/prompt', 'get')).toEqual(['text/plain'])
  expect(types('/api/sessions/{id}/snapshot', 'get')).toEqual(['application/octet-stream'])
})

type Content = Record<string, { schema: Json }>
interface Described {
  requestBody?: { content: Content }
  responses: Record<string, { content?: Content }>
}

test('each answer and each body that is JSON is described by its fields', async () => {
  const { client } = await inProcess()
  const document = (await client.openapi()) as Json
  const named = (document.components as { schemas: Record<string, Json> }).schemas
  const describesFields = ({ $ref, ...schema }: Json): boolean => {
    const { properties, anyOf, oneOf } = typeof $ref === 'string' ? (named[$ref.split('/').at(-1) ?? ''] ?? {}) : schema
    return properties !== undefined || anyOf !== undefined || oneOf !== undefined
  }
  const paths = document.paths as Record<string, Record<string, Described>>
  const empty: string[] = []
  let described = 0
  for (const { name, method, path, answer: form } of allOperations) {
    const operation = paths[path.replace(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()]
    const answer = operation?.responses['200']?.content?.['application/json']?.schema
    const body = operation?.requestBody?.content['application/json']?.schema
    expect([name, answer !== undefined]).toEqual([name, typeof form === 'object'])
    if (answer !== undefined && !describesFields(answer)) empty.push(`answer of ${name}`)
    // A create or move that takes no field refuses all of them, which is a description too.
    if (body !== undefined && !describesFields(body)) empty.push(`body of ${name}`)
    if (answer !== undefined) described += 1
  }
  expect(empty).toEqual([])
  expect(described).toBeGreaterThan(140)
})

test('every file of schemas gives OpenAPI its names', async () => {
  const folder = join(import.meta.dir, '../../../src/api/contract/schemas')
  const exported = new Set<unknown>(Object.values(schemas))
  // Written out where they stand.
  const helpers = ['index.ts', 'scalars.ts']
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
  for (const file of files.filter((name) => !helpers.includes(name)))
    for (const [name, schema] of Object.entries((await import(join(folder, file))) as Json))
      expect([file, name, exported.has(schema)]).toEqual([file, name, true])
})

test('an operation that answers with JSON and has no schema, or reads its body itself and does not describe it, does not compile', () => {
  const common = { method: 'POST', path: '/x', access: 'public', summary: 'x' } as const
  // @ts-expect-error JSON needs a schema
  const withoutAnswer = noun('x', { y: { ...common, answer: 'json' } })
  // @ts-expect-error nothing describes what the handler reads
  const withoutBody = noun('x', { y: { ...common, takes: 'handler', answer: 'empty' } })
  const whole = noun('x', { y: { ...common, answer: 'empty' } })
  expect([withoutAnswer, withoutBody, whole].length).toBe(3)
})
