import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ToolHost } from './host'
import { createMcpServer } from './server'

/** How long calls that run at the end may still take, in milliseconds: what they wrote is kept, and one that waits for others is left. */
const LAST_CALLS_MS = 5_000
/** Milliseconds between two looks whether the process that started this one is there. */
const PARENT_MS = 5_000

/**
 * Serves MCP on stdin and stdout until stdin ends, the agent CLI that started it is gone, or `signal` aborts. stdin alone does not tell: what
 * the CLI started may hold its other end. Calls that run then have a while, though nobody reads their answers any more.
 */
export async function serveMcp(host: ToolHost, signal: AbortSignal): Promise<void> {
  const ended = Promise.withResolvers<void>()
  process.stdin.once('end', ended.resolve)
  process.stdin.once('close', ended.resolve)
  signal.addEventListener('abort', () => ended.resolve(), { once: true })
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid !== parent) ended.resolve()
  }, PARENT_MS)
  watch.unref()
  const calls = new Set<Promise<unknown>>()
  const counted: ToolHost = {
    ...host,
    async withClient(use) {
      const call = host.withClient(use)
      calls.add(call)
      try {
        return await call
      } finally {
        calls.delete(call)
      }
    },
  }
  const server = serveStdio(() => createMcpServer(counted))
  await ended.promise
  clearInterval(watch)
  await Promise.race([Promise.allSettled(calls), Bun.sleep(LAST_CALLS_MS)])
  await server.close()
}
