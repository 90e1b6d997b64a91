import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { RunFileOptions } from '../../../domain/harness/harness-run'
import { startCommand } from '../../hook-settings/start-command'
import { denyRules } from './bounds/deny-rules'

/** Seconds that the CLI gives a hook of ours before it goes on without it. */
const HOOK_TIMEOUT_SECONDS = 10

/**
 * Settings given to a run by `--settings`, as JSON: hooks that tell the agent its task again, at every start of a session (new,
 * resumed, forked, cleared, compacted) and before a compaction, and that guard the launch of sub-agents, and the tool calls that are
 * always refused. Added to those of the person, never in their place.
 */
export function settingsFile(options: Pick<RunFileOptions, 'lode' | 'denied' | 'cwd' | 'userHome'>): string {
  const hook = [...options.lode, 'hook'].map(shellWord).join(' ')
  const groups = (command: string) => [{ hooks: [{ type: 'command', command, timeout: HOOK_TIMEOUT_SECONDS }] }]
  const hooks = groups(`${hook} --answer`)
  const launches = hooks.map((group) => ({ matcher: 'Agent|Task', ...group }))
  const settings = {
    hooks: { SessionStart: groups(startCommand(hook)), PreCompact: hooks, PreToolUse: launches },
    permissions: { deny: denyRules(options.denied, options) },
    enabledPlugins: WITHOUT_OURS,
  }
  return `${JSON.stringify(settings, null, 2)}\n`
}

/**
 * A run has its own hooks and tools. Our plugin and our mod, where the person has them, would cost its start up to a fifth of a second and
 * tell nothing more. (Seen with 2.1.328: a mod in the skills folder has this name.)
 */
const WITHOUT_OURS = { 'lodeline@lodeline': false, 'lodeline@skills-dir': false }

type McpOptions = Pick<RunFileOptions, 'serverUrl' | 'token' | 'root' | 'mcpServers'>

/**
 * Servers for `--mcp-config`, as JSON: Lodeline's tools, with the attempt's token, and those of the person's own that a run gets. The file
 * must be the owner's alone.
 *
 * @throws `invalid` the person has no server of a name
 */
export function mcpConfigFile(options: McpOptions): string {
  const url = `${options.serverUrl.replace(/\/+$/, '')}/mcp`
  const lodeline = { type: 'http', url, headers: { Authorization: `Bearer ${options.token}` } }
  return `${JSON.stringify({ mcpServers: { ...ownServers(options), lodeline } }, null, 2)}\n`
}

/** As the CLI's settings of the person have them. */
function ownServers({ root, mcpServers }: McpOptions): Record<string, unknown> {
  if (mcpServers.length === 0) return {}
  // In the configuration folder where `CLAUDE_CONFIG_DIR` names one, else beside it.
  const path = [root, dirname(root)].map((folder) => join(folder, '.claude.json')).find((file) => existsSync(file))
  const known = serversIn(path)
  return Object.fromEntries(
    mcpServers.map((name) => {
      if (known !== null && Object.hasOwn(known, name)) return [name, known[name]]
      throw new AppError(
        'invalid',
        `worker.mcpServers names ${name}, but ${path ?? '~/.claude.json'} has no such MCP server.`,
        {
          hint: "Add it with 'claude mcp add --scope user', or take it out of worker.mcpServers.",
        },
      )
    }),
  )
}

function serversIn(path: string | undefined): Record<string, unknown> | null {
  if (path === undefined) return null
  try {
    const { mcpServers } = JSON.parse(readFileSync(path, 'utf8')) as { mcpServers?: unknown }
    return typeof mcpServers === 'object' && mcpServers !== null ? (mcpServers as Record<string, unknown>) : null
  } catch {
    return null
  }
}

/** One word for a POSIX shell, whatever it holds. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
