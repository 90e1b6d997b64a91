/** When a run's tools are there. */
import { afterEach, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { OUTER_CLIS } from '../../lab/claude'
import { type LabWith, openLab } from '../../lab/lab'
import { Drive, drive } from './drive'

/** Longer than 2.1.197 waits by itself. */
const LATE_MS = 6_000

let lab: LabWith<'claude'> | undefined
let server: Bun.Server<undefined> | undefined
afterEach(async () => {
  await Drive.killAll()
  await server?.stop(true)
  await lab?.stop()
})

/** A server of tools, as busy as one on an overloaded machine: its first answer is late. */
function lateServer(): string {
  server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      if (request.method !== 'POST') return new Response(null, { status: 405 })
      const { id, method, params } = (await request.json()) as {
        id?: number
        method: string
        params?: { protocolVersion?: string }
      }
      if (id === undefined) return new Response(null, { status: 202 })
      if (method === 'initialize') await Bun.sleep(LATE_MS)
      const results: Record<string, unknown> = {
        initialize: {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: 'late', version: '1' },
        },
        'tools/list': { tools: [{ name: 'greet', description: 'Greets', inputSchema: { type: 'object' } }] },
      }
      const result = results[method]
      return result === undefined
        ? Response.json({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'unknown' } })
        : Response.json({ jsonrpc: '2.0', id, result })
    },
  })
  return `http://127.0.0.1:${server.port}/mcp`
}

test.each(OUTER_CLIS)(
  'the first request of a run knows its tools, also where their server is late: Claude Code %s',
  async (version) => {
    lab = await openLab({ claude: { version, script: join(import.meta.dir, 'script.json') } })
    const mcpConfig = join(lab.claude.root, 'mcp.json')
    writeFileSync(mcpConfig, JSON.stringify({ mcpServers: { late: { type: 'http', url: lateServer() } } }))
    await drive(lab.claude, 'HELLO', { mcpConfig })
    const first = lab.claude.requests().find(({ who }) => who === 'main')
    expect(JSON.stringify(first?.body)).toContain('mcp__late__greet')
  },
)
