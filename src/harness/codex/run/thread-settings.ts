import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { RunLaunch } from '../../../domain/harness/harness-run'
import { realProjectOf } from '../../../util/git/git-project'
import { isRecord, recordOf } from '../../json-lines/json-value'

/** How long the tools of a task are waited for, in seconds. */
const TOOLS_START_SECONDS = 30

/**
 * Settings of a run's thread, above those of the person. They go in by the protocol: nothing of them is an argument or a file.
 *
 * A repository's own `.codex` counts for nothing, whether the person trusts the project or not: it could name servers, hooks and what needs
 * no approval. The run gets only those of the person's own servers that the worker names.
 *
 * @throws `invalid` the person has no MCP server of a name
 */
export function threadSettings(launch: RunLaunch): Record<string, unknown> {
  const { serverUrl, root, mcpServers, settingSources, cwd } = launch
  const url = `${serverUrl.replace(/\/+$/, '')}/mcp`
  const own = serversOf(root)
  const missing = mcpServers.find((name) => !own.includes(name))
  if (missing !== undefined)
    throw new AppError('invalid', `worker.mcpServers names ${missing}, but Codex has no such MCP server.`, {
      hint: "Add it with 'codex mcp add', or take it out of worker.mcpServers.",
    })
  const others = own.filter((name) => name !== 'lodeline' && !mcpServers.includes(name))
  const isProjectRead = settingSources.split(',').includes('project')
  return {
    ...(isProjectRead ? {} : { projects: Object.fromEntries(foldersOf(cwd).map((path) => [path, UNTRUSTED])) }),
    mcp_servers: {
      ...Object.fromEntries(others.map((name) => [name, { enabled: false }])),
      lodeline: {
        url,
        // From the run's environment: the token stands nowhere else.
        bearer_token_env_var: 'LODELINE_TOKEN',
        // They touch the run's own task alone.
        default_tools_approval_mode: 'approve',
        startup_timeout_sec: TOOLS_START_SECONDS,
      },
    },
    tools: { update_plan: { enabled: true } },
  }
}

const UNTRUSTED = { trust_level: 'untrusted' } as const

/** All folders by which the CLI may know the project: the run's own and those above it, and the repository of a worktree. */
function foldersOf(cwd: string): string[] {
  const folders = new Set([realProjectOf(cwd).root])
  for (let at = cwd; ; at = dirname(at)) {
    folders.add(at)
    if (at === dirname(at)) return [...folders]
  }
}

/** Names of MCP servers in the person's own settings. */
export function serversOf(root: string): string[] {
  return Object.keys(recordOf(configOf(root)?.mcp_servers) ?? {})
}

/** The person's own settings; `undefined` = there are none that make sense. */
export function configOf(root: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const config: unknown = Bun.TOML.parse(readFileSync(join(root, 'config.toml'), 'utf8'))
    return isRecord(config) ? config : undefined
  } catch {
    return undefined
  }
}
