import type { RunFileOptions } from '../../../domain/harness/harness-run'
import { denyRules } from './bounds/deny-rules'

/** Seconds that the CLI gives a hook of ours before it goes on without it. */
const HOOK_TIMEOUT_SECONDS = 10

/**
 * Settings given to a run by `--settings`, as JSON: hooks that tell the agent its task again, at every start of a session (new,
 * resumed, forked, cleared, compacted) and before a compaction, and that guard the launch of sub-agents, and the tool calls that are
 * always refused. Added to those of the person, never in their place.
 */
export function settingsFile(options: Pick<RunFileOptions, 'lode' | 'denied' | 'cwd' | 'userHome'>): string {
  const command = [...options.lode, 'hook', '--answer'].map(shellWord).join(' ')
  const hooks = [{ hooks: [{ type: 'command', command, timeout: HOOK_TIMEOUT_SECONDS }] }]
  const launches = hooks.map((group) => ({ matcher: 'Agent|Task', ...group }))
  const settings = {
    hooks: { SessionStart: hooks, PreCompact: hooks, PreToolUse: launches },
    permissions: { deny: denyRules(options.denied, options) },
  }
  return `${JSON.stringify(settings, null, 2)}\n`
}

/** A server for `--mcp-config`, as JSON: Lodeline's tools, with the attempt's token. The file must be the owner's alone. */
export function mcpConfigFile(options: { serverUrl: string; token: string }): string {
  const url = `${options.serverUrl.replace(/\/+$/, '')}/mcp`
  const lodeline = { type: 'http', url, headers: { Authorization: `Bearer ${options.token}` } }
  return `${JSON.stringify({ mcpServers: { lodeline } }, null, 2)}\n`
}

/** One word for a POSIX shell, whatever it holds. */
function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
