/** Lodeline's tools in `mcp-config.json` of Copilot CLI: an MCP server of the person's own. */
import { AppError } from '../../../domain/errors'
import type { HookRow } from '../../../domain/harness/harness-setup'
import { appendTo, memberOf, removeAt } from '../../../util/json/json-text'
import { indexOf, isRecord, parseSettings, scanSettings } from '../../hook-settings/hook-text'
import { isOurServer } from '../../hook-settings/own-command'

const TITLE = 'Copilot CLI'
const SERVERS = 'mcpServers'
/** The server's name: its tools are `lodeline-<tool>`. */
export const OWN_SERVER = 'lodeline'
/** What stands for the server among rows of hooks. */
const EVENT = `${SERVERS}.${OWN_SERVER}`

/** @param lode  the program as one shell word, with the options that every call has */
export const serverRow = (lode: string): HookRow => ({ event: EVENT, command: `${lode} mcp` })

/** Our server, of whatever place and version; one of that name that is somebody else's is none. */
export function serverRowsIn(text: string): HookRow[] {
  const server = serversIn(text)[OWN_SERVER]
  const last: unknown = isRecord(server) && Array.isArray(server.args) ? server.args.at(-1) : undefined
  const command = typeof last === 'string' ? last.replace(/^exec /, '') : undefined
  return isOurServer(command) ? [{ event: EVENT, command }] : []
}

/** @throws `invalid` a server of that name is somebody else's */
export function requireFreeName(text: string): void {
  if (text.trim() === '' || serverRowsIn(text).length > 0 || !Object.hasOwn(serversIn(text), OWN_SERVER)) return
  throw new AppError(
    'invalid',
    `mcp-config.json already has an MCP server named ${OWN_SERVER}, which is not this one.`,
    {
      hint: `Give it another name, or take it out with 'copilot mcp remove ${OWN_SERVER}'. Nothing was changed.`,
    },
  )
}

/** @throws `invalid` `mcpServers` is not what the CLI takes */
export function addServer(text: string, { command }: HookRow): string {
  const root = scanSettings(TITLE, text)
  // The shell takes the words of the command apart, as it does those of the hooks.
  const server = { type: 'local', command: '/bin/sh', args: ['-c', `exec ${command}`], tools: ['*'] }
  serversIn(text)
  const servers = memberOf(root, SERVERS)
  return servers === undefined
    ? appendTo(text, root, { [OWN_SERVER]: server }, SERVERS)
    : appendTo(text, servers, server, OWN_SERVER)
}

/** Takes our server out, and the list with it where nothing else is in it. */
export function removeServer(text: string): string {
  if (serverRowsIn(text).length === 0) return text
  const root = scanSettings(TITLE, text)
  const servers = memberOf(root, SERVERS)
  if (servers?.kind !== 'object') return text
  return servers.members.length > 1
    ? removeAt(text, servers, indexOf(servers, OWN_SERVER))
    : removeAt(text, root, indexOf(root, SERVERS))
}

function serversIn(text: string): Record<string, unknown> {
  const { [SERVERS]: servers } = parseSettings(TITLE, text)
  if (servers === undefined) return {}
  if (isRecord(servers)) return servers
  throw new AppError('invalid', `${TITLE} can't read mcp-config.json: "${SERVERS}" is not an object.`, {
    hint: 'Repair the file first. Nothing was changed.',
  })
}
