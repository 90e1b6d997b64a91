import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../../../domain/errors'
import type { HarnessRun, RunFileOptions, RunLaunch } from '../../../domain/harness/harness-run'
import { OWN_SERVER } from '../../hook-settings/mcp-server'
import { recordOf } from '../../json-lines/json-value'
import { checkedId } from './place'
import { PLUGIN_FILE } from './plugin'

/** The file of a run with its MCP server. */
export const MCP_FILE = 'mcp.json'

/**
 * argv of a run: it speaks the Agent Client Protocol, the only way in which it asks about calls. Every value is glued to its option.
 *
 * @throws `invalid` a bound that the CLI does not know
 */
export function runArguments({ model, maxCostUsd, permissionMode, files, root, mcpServers }: RunLaunch): string[] {
  if (maxCostUsd !== null)
    throw new AppError('invalid', "Copilot CLI reports no cost while it runs, so maxCostUsd can't limit it.", {
      hint: 'Leave maxCostUsd out, or limit the task with maxTurns or timeoutMs.',
    })
  const file = files[MCP_FILE]
  const plugin = files[PLUGIN_FILE]
  return [
    '--acp',
    '--no-auto-update',
    // Files beside the working directory are asked for, those for a while too.
    '--disallow-temp-dir',
    ...(model === null ? [] : [`--model=${checkedModel(model)}`]),
    ...(permissionMode === 'plan' ? ['--mode=plan'] : []),
    ...(file === undefined ? [] : [`--additional-mcp-config=@${file}`]),
    ...(plugin === undefined ? [] : [`--plugin-dir=${dirname(plugin)}`]),
    // They touch the run's own task alone.
    `--allow-tool=${OWN_SERVER}`,
    ...othersOf(root, mcpServers).map((name) => `--disable-mcp-server=${name}`),
  ]
}

/** argv for a person at a terminal. */
export const openArguments: HarnessRun['openArguments'] = ({ resume, fork, sessionId, model }) => {
  if (fork) throw new AppError('invalid', 'Copilot CLI can not fork a conversation.', { hint: 'Resume it instead.' })
  return [
    ...(resume === null ? [] : [`--resume=${checkedId(resume)}`]),
    ...(sessionId === null || resume !== null ? [] : [`--session-id=${checkedId(sessionId)}`]),
    ...(model === null ? [] : [`--model=${checkedModel(model)}`]),
  ]
}

/** Lodeline's tools, with the attempt's token. The file must be the owner's alone. */
export function mcpFile({ serverUrl, token }: Pick<RunFileOptions, 'serverUrl' | 'token'>): string {
  const url = `${serverUrl.replace(/\/+$/, '')}/mcp`
  const server = { type: 'http', url, headers: { Authorization: `Bearer ${token}` }, tools: ['*'] }
  return `${JSON.stringify({ mcpServers: { [OWN_SERVER]: server } }, null, 2)}\n`
}

/** MCP servers of the person's own that the run does not get. @throws `invalid` the person has no server of a name */
function othersOf(root: string, wanted: readonly string[]): string[] {
  const own = serversIn(join(root, 'mcp-config.json'))
  const missing = wanted.find((name) => !own.includes(name))
  if (missing !== undefined)
    throw new AppError('invalid', `worker.mcpServers names ${missing}, but Copilot CLI has no such MCP server.`, {
      hint: "Add it with 'copilot mcp add', or take it out of worker.mcpServers.",
    })
  return own.filter((name) => name !== OWN_SERVER && !wanted.includes(name))
}

function serversIn(path: string): string[] {
  try {
    const config = recordOf(JSON.parse(readFileSync(path, 'utf8')))
    return Object.keys(recordOf(config?.mcpServers) ?? {})
  } catch {
    return []
  }
}

/** @throws `invalid` what could be taken for an option */
function checkedModel(model: string): string {
  if (/^\w[\w.:/[\]-]{0,127}$/.test(model)) return model
  throw new AppError('invalid', `${JSON.stringify(model.slice(0, 100))} is not the name of a model.`, {
    hint: 'Names have letters, digits, dots and hyphens.',
  })
}
