import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ToolHost } from './host'
import { createMcpServer } from './server'

/**
 * Serves MCP on stdin and stdout until stdin ends or `signal` aborts. Calls that run then are carried to their end, though nobody
 * reads their answers any more.
 */
export async function serveMcp(host: ToolHost, signal: AbortSignal): Promise<void> {
  const ended = Promise.withResolvers<void>()
  process.stdin.once('end', ended.resolve)
  process.stdin.once('close', ended.resolve)
  signal.addEventListener('abort', () => ended.resolve(), { once: true })
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
  await Promise.allSettled(calls)
  await server.close()
}
