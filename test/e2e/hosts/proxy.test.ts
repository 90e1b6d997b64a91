import { afterEach, expect, test } from 'bun:test'
import { startProxy, type TestProxy } from './proxy'

const open: { stop(): unknown }[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.stop()
})

function backend(name: string): number {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(name) })
  open.push({ stop: () => server.stop(true) })
  if (server.port === undefined) throw new Error('no port')
  return server.port
}

async function proxyTo(...ports: number[]): Promise<TestProxy> {
  const proxy = await startProxy({ backends: ports.map((port) => ({ host: '127.0.0.1', port })) })
  open.push({ stop: () => proxy.close() })
  return proxy
}

const ask = async ({ port }: TestProxy, ms = 10_000): Promise<string> => {
  try {
    return await (
      await fetch(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(ms), keepalive: false })
    ).text()
  } catch (error) {
    const { code, name } = error as { code?: unknown; name: string }
    return typeof code === 'string' ? code : name
  }
}

test('a proxy that refuses is refused, and takes connections at the same port afterwards', async () => {
  const proxy = await proxyTo(backend('a'))
  expect(await ask(proxy)).toBe('a')
  await proxy.refuse(true)
  expect(await ask(proxy)).toBe('ECONNREFUSED')
  await proxy.refuse(false)
  expect(await ask(proxy)).toBe('a')
})

test('a proxy that swallows answers nothing, and hands on what it held afterwards', async () => {
  const proxy = await proxyTo(backend('a'))
  proxy.swallow(true)
  expect(await ask(proxy, 100)).toBe('TimeoutError')
  const late = ask(proxy)
  proxy.swallow(false)
  expect(await late).toBe('a')
})

test('a proxy that delays takes its time each way', async () => {
  const proxy = await proxyTo(backend('a'))
  proxy.delayMs(60)
  const before = performance.now()
  expect(await ask(proxy)).toBe('a')
  expect(performance.now() - before).toBeGreaterThanOrEqual(119)
})

test('a proxy cuts what is open, and goes to the next server when the first is gone', async () => {
  const [a, b] = [backend('a'), backend('b')]
  const proxy = await proxyTo(a, b)
  proxy.swallow(true)
  const cut = ask(proxy)
  while (proxy.cutAll() === 0) await new Promise((resolve) => setImmediate(resolve))
  expect(await cut).toBe('ECONNRESET')
  proxy.swallow(false)
  expect(await ask(proxy)).toBe('a')
  await open[0]?.stop()
  expect(await ask(proxy)).toBe('b')
})
