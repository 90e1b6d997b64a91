/** That nobody takes the server's memory by opening streams and waits, or by sending depth. */
import { expect, test } from 'bun:test'
import { MAX_JSON_DEPTH } from '../../../src/api/server/request/read-body'
import { until } from '../../lab/until'
import { overHttp } from '../start-api'

const EVENTS = { accept: 'text/event-stream' }

test('a token has so many streams and waits at once, and each that ends makes room for another', async () => {
  await using api = await overHttp(undefined, { operatorSeats: 3 })
  const open = async () => {
    const over = new AbortController()
    const response = await api.send('/api/feed', { headers: EVENTS, signal: over.signal })
    return { status: response.status, response, leave: () => over.abort() }
  }
  const followers = [await open(), await open(), await open()]
  expect(followers.map(({ status }) => status)).toEqual([200, 200, 200])
  const refused = await open()
  expect(refused.status).toBe(503)
  expect(await refused.response.json()).toMatchObject({ error: { code: 'unavailable', details: { limit: 3 } } })
  // Everything else is answered as before.
  expect((await api.send('/api/feed/page?after=0')).status).toBe(200)
  for (const { leave } of followers.slice(0, 2)) leave()
  await until('two have left', () => api.app.followerCount() === 1)
  const again = [await open(), await open()]
  expect(again.map(({ status }) => status)).toEqual([200, 200])
  expect((await open()).status).toBe(503)
  for (const { leave } of [...followers, ...again]) leave()
})

test('a body that is nested too deeply is refused before it is parsed, wherever it is sent', async () => {
  await using api = await overHttp()
  const depth = 100_000
  const deep = `{"tool_input":${'['.repeat(depth)}${']'.repeat(depth)}}`
  const send = (path: string, body: string) =>
    api.send(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  for (const path of ['/api/tasks', '/hooks/claude-code', '/mcp', '/api/attempts/t-00000000.1/questions'])
    expect([path, (await send(path, deep)).status]).toEqual([path, 400])
  const least = MAX_JSON_DEPTH - 1
  const fit = `{"hook_event_name":"Stop","session_id":"s","x":${'['.repeat(least)}${']'.repeat(least)}}`
  expect((await send('/hooks/claude-code', fit)).ok).toBe(true)
  expect(api.log.lines.filter((line) => line.startsWith('error'))).toEqual([])
})
