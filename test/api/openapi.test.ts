import { expect, test } from 'bun:test'
import { ROUTES } from '../../src/api/contract/routes'
import { inProcess } from './start-api'

type Json = Record<string, unknown>

test('the OpenAPI document describes every route, and every reference in it leads somewhere', async () => {
  const { client } = inProcess()
  const document = (await client.openapi()) as Json
  const paths = document.paths as Record<string, Record<string, Json>>
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path.replace(/\{(\w+)\}/g, ':$1')}`),
  )
  expect(described.sort()).toEqual(
    Object.values(ROUTES)
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  )
  const text = JSON.stringify(document)
  const schemas = (document.components as { schemas: Json }).schemas
  for (const [, name = ''] of text.matchAll(/"#\/components\/schemas\/([^"]+)"/g))
    expect(Object.keys(schemas)).toContain(name)
  expect(text).not.toContain('"$ref":"#/$defs')
  const ids = Object.values(paths).flatMap((methods) => Object.values(methods).map(({ operationId }) => operationId))
  expect(new Set(ids).size).toBe(ids.length)
})

test('limits that are checked are the limits that are described', async () => {
  const { client } = inProcess()
  const paths = ((await client.openapi()) as Json).paths as Record<string, { get: { parameters: Json[] } }>
  expect(paths['/api/sessions']?.get.parameters.find(({ name }) => name === 'limit')?.schema).toEqual({
    type: 'integer',
    minimum: 1,
    maximum: 1_000,
  })
})

test('bodies, keys of creates, callers and forms of answers are described as they are', async () => {
  const { client } = inProcess()
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
  expect(Object.keys(create?.requestBody?.content ?? {})).toEqual(['application/json'])
  const types = (path: string, method: string) => Object.keys(paths[path]?.[method]?.responses['200']?.content ?? {})
  expect(Object.keys(paths['/api/attempts/{id}/stream']?.put?.requestBody?.content ?? {})).toEqual([
    'application/octet-stream',
  ])
  expect(types('/api/tasks/{id}/log', 'get')).toEqual(['application/json', 'text/event-stream'])
  expect(types('/api/tasks/{id}/prompt', 'get')).toEqual(['text/plain'])
  expect(types('/api/sessions/{id}/snapshot', 'get')).toEqual(['application/octet-stream'])
})
