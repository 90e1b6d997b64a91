import { serveStdio } from '@modelcontextprotocol/server/stdio'
import type { ToolHost } from './host'
import { createMcpServer } from './server'

/** Serves MCP on stdin and stdout until stdin ends or `signal` aborts. */
export async function serveMcp(host: ToolHost, signal: AbortSignal): Promise<void> {
  const ended = Promise.withResolvers<void>()
  process.stdin.once('end', ended.resolve)
  process.stdin.once('close', ended.resolve)
  signal.addEventListener('abort', () => ended.resolve(), { once: true })
  const server = serveStdio(() => createMcpServer(host))
  await ended.promise
  await server.close()
}
