import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createClient, RemoteError } from '../../../src/api/client'
import { httpTransport } from '../../../src/api/client/http-transport'
import { AppError } from '../../../src/domain/errors'
import { idNumber } from '../../samples/sessions'
import { appendBytes, sampleHost } from '../../store-contract/sample'
import { addSession, putSession } from '../seed'
import { inProcess, overHttp, TOKEN } from '../start-api'
import { openTestStore } from '../test-store'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp('/tmp/ld-')
})
afterAll(() => rm(folder, { recursive: true }))

test('the client loads in a browser: its bundle names no built-in module and no schema library', async () => {
  const built = await Bun.build({
    entrypoints: [join(import.meta.dir, '../../../src/api/client/index.ts')],
    target: 'browser',
    outdir: folder,
  })
  const code = await Bun.file(built.outputs[0]?.path ?? '').text()
  expect(code).toContain('createClient')
  for (const foreign of [/\bnode:/, /\brequire\(/, /\bBun\./, /\bprocess\./, /\bBuffer\b/, /zod/i])
    expect(code).not.toMatch(foreign)
})

test('an error keeps its code, message, hint and details over the wire and is told from one of this process', async () => {
  await using api = await overHttp()
  const remote = await api.client.sessions.get(idNumber(1)).catch((thrown: unknown) => thrown)
  expect(remote).toBeInstanceOf(RemoteError)
  expect(remote).toBeInstanceOf(AppError)
  expect(remote).toMatchObject({
    isRemote: true,
    status: 404,
    code: 'not_found',
    hint: expect.stringContaining('lode session list'),
  })
  await api.server.stop(true)
  const local = await api.client.sessions.get(idNumber(1)).catch((thrown: unknown) => thrown)
  expect(local).toBeInstanceOf(AppError)
  expect(local).not.toBeInstanceOf(RemoteError)
  expect(local).toMatchObject({ code: 'unavailable', hint: expect.stringContaining('lode up') })
})

test('an answer that is not ours becomes an error by its status', async () => {
  const answers: [Response, string][] = [
    [new Response('<html>Bad Gateway</html>', { status: 502 }), 'unavailable'],
    [new Response('', { status: 404 }), 'not_found'],
    [new Response('{"error":{"code":"made_up","message":"x"}}', { status: 409 }), 'conflict'],
    [new Response('{"error":"text"}', { status: 500 }), 'internal'],
    [new Response(null, { status: 507, headers: { 'lodeline-error': 'storage_full' } }), 'storage_full'],
  ]
  for (const [answer, code] of answers) {
    await expect(createClient(async () => answer).status()).rejects.toMatchObject({ code, isRemote: true })
  }
  await expect(createClient(async () => new Response('not json')).status()).rejects.toMatchObject({
    code: 'unavailable',
  })
})

test('a server of another version is told of once', async () => {
  const { app } = await inProcess()
  const seen: string[] = []
  const client = createClient((request) => app.fetch(request), {
    version: '9.9.9',
    onVersion: (server) => seen.push(server),
  })
  await client.health()
  await client.health()
  expect(seen).toEqual(['1.2.3'])
  const same = createClient((request) => app.fetch(request), {
    version: '1.2.3',
    onVersion: (server) => seen.push(server),
  })
  await same.health()
  expect(seen).toEqual(['1.2.3'])
})

test('the token goes to its own origin alone, and after no redirect', async () => {
  await using other = await overHttp()
  const transport = httpTransport({ token: TOKEN, origin: 'http://127.0.0.1:1' })
  await expect(transport(new Request(`${other.origin}/api/status`))).rejects.toThrow('This client is for')
  using redirecting = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => Response.redirect(`${other.origin}/api/status`),
  })
  const origin = `http://127.0.0.1:${redirecting.port}`
  for (const token of [TOKEN, 'lwk_worker']) {
    const client = createClient(httpTransport({ token, origin }), { baseUrl: origin })
    await expect(client.status()).rejects.toMatchObject({ code: 'unavailable' })
  }
})

test('an aborted call ends with the reason that was given', async () => {
  await using api = await overHttp()
  await expect(api.client.status({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
})

test('an export over HTTP is byte for byte what the journals hold, while they grow', async () => {
  const store = await openTestStore()
  const id = idNumber(7)
  const main = crypto.getRandomValues(new Uint8Array(60_000))
  const sub = crypto.getRandomValues(new Uint8Array(10_001))
  const grow = await store.write(async (tx) => {
    const session = await putSession(tx, id, { bytes: main.slice(0, 50_000) })
    const host = await sampleHost(tx.record)
    const path = `/transcripts/${id}/subagents/agent-x.jsonl`
    const ref = { agent: 'claude-code' as const, kind: 'subagent' as const, path, sessionId: id, subagentId: 'x' }
    const journal = await tx.record.journal(host, ref, session.key)
    if (journal === undefined) throw new Error('the journal is tombstoned')
    const state = { number: 1, device: 1, inode: 3, headLength: 0, headHash: null, tailLength: 0, tailHash: null }
    const { key } = await tx.record.openIncarnation(journal.key, state, null)
    await appendBytes(tx.record, key, 0, sub)
    return () => store.write(({ record }) => appendBytes(record, session.incarnation, 50_000, main.slice(50_000)))
  })
  // The file holds 60,000 bytes by the time that its first 50,000 are read.
  let hasGrown = false
  const list = store.journals.listBySession.bind(store.journals)
  store.journals.listBySession = async (session) => {
    const journals = await list(session)
    if (!hasGrown) await grow()
    hasGrown = true
    return journals
  }
  await using api = await overHttp(store)
  const files = new Map<string, Buffer>()
  for await (const file of api.client.sessions.export(id)) {
    files.set(file.relativePath, Buffer.concat(await Array.fromAsync(file.bytes)))
  }
  expect([...files.keys()]).toEqual([`${id}.jsonl`, `${id}/subagents/agent-x.jsonl`])
  expect(Buffer.compare(files.get(`${id}.jsonl`) ?? Buffer.alloc(0), main.subarray(0, 50_000))).toBe(0)
  expect(Buffer.compare(files.get(`${id}/subagents/agent-x.jsonl`) ?? Buffer.alloc(0), sub)).toBe(0)
  await expect(Array.fromAsync(api.client.sessions.export(id, { incarnation: 2 }))).rejects.toMatchObject({
    code: 'not_found',
  })
})

test('an export that breaks off in the server is an error to the client, never a short file', async () => {
  const store = await openTestStore()
  const id = idNumber(7)
  await addSession(store, id, { bytes: new Uint8Array(10_000) })
  store.journals.read = async function* () {
    yield new Uint8Array(4_000)
    throw new AppError('storage_corrupt', 'a chunk is damaged')
  }
  const api = await inProcess(store)
  const read = async () => {
    for await (const file of api.client.sessions.export(id)) await Array.fromAsync(file.bytes)
  }
  await expect(read()).rejects.toMatchObject({ code: 'unavailable' })
  expect(api.log.lines.join()).toContain('an export was interrupted')
})
