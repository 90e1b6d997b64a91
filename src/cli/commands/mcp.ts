import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { CallerKind } from '../../api/contract/callers'
import { sessionId, taskId, UUID } from '../../domain/ids'
import { VERSION } from '../../util/version'
import { defineCommand } from '../kit/command'
import { sessionIn } from '../sessions/session-environment'

export const command = defineCommand({
  summary: 'Serve the agent tools over MCP on stdin and stdout',
  details: [
    'For agent CLIs that start their own MCP servers. Each call goes to the Lodeline server that is running at that moment,',
    'or directly to the database if there is none. A server offers the same tools at /mcp.',
  ].join('\n'),
  examples: [
    { line: 'lode mcp', does: 'serve until stdin ends' },
    {
      line: 'lode mcp --server https://lode.example:4655',
      does: 'use a server on another machine; reads LODELINE_TOKEN',
    },
  ],
  hasJson: false,
  async run(context) {
    const { io, signal } = context
    const { home } = context.config()
    const [{ serveMcp }, { connect }] = await Promise.all([import('../../mcp/stdio'), import('../kit/connect')])
    const caller = callerOf(io.env.LODELINE_TOKEN)
    // The agent's CLI names its project; where it started this process may be elsewhere.
    const folder = isAbsolute(io.env.CLAUDE_PROJECT_DIR ?? '') ? (io.env.CLAUDE_PROJECT_DIR ?? io.cwd) : io.cwd
    const task = io.env.LODELINE_TASK_ID
    const session = sessionIn(io.env)?.id
    await serveMcp(
      {
        caller,
        taskId: caller === 'attempt' && task ? taskId(task) : null,
        agentId: null,
        sessionId: session !== undefined && UUID.test(session) ? sessionId(session) : null,
        place: { hostname: hostname(), hostName: hostName(home), bootId: crypto.randomUUID(), version: VERSION },
        joined: null,
        // Decided for each call: an agent's session outlives servers, and one that runs is always used.
        async withClient(use) {
          const connection = await connect(context)
          try {
            return await use(connection.client, connection.isRemote ? null : folder)
          } finally {
            await connection.close()
          }
        },
      },
      signal,
    )
    return 0
  },
})

/** As tokens begin; which of them are good the server knows. Without one the operator calls, by the right to read its files. */
function callerOf(token: string | undefined): CallerKind {
  if (token?.startsWith('lat_')) return 'attempt'
  if (token?.startsWith('lwk_')) return 'worker'
  if (token?.startsWith('lvw_')) return 'viewer'
  return token?.startsWith('lld_') ? 'lead' : 'operator'
}

/** The installation's random id of this machine, where it has one. */
function hostName(home: string): string {
  try {
    return readFileSync(join(home, 'host-id'), 'utf8').trim() || 'mcp'
  } catch {
    return 'mcp'
  }
}
