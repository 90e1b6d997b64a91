/** Lodeline's tools in a file of MCP servers that an agent CLI reads: a server of the person's own. */
import { AppError } from '../../domain/errors'
import type { HookRow } from '../../domain/harness/harness-setup'
import { appendTo, memberOf, removeAt } from '../../util/json/json-text'
import { indexOf, isRecord, parseSettings, scanSettings } from './hook-text'
import { isOurServer } from './own-command'
import { readSettings } from './settings-file'
import type { SettingsPart } from './settings-part'

const SERVERS = 'mcpServers'
/** The server's name, which its tools' names begin with. */
export const OWN_SERVER = 'lodeline'
/** What stands for the server among rows of hooks. */
const EVENT = `${SERVERS}.${OWN_SERVER}`

export interface ServersFile {
  path: string
  /** The agent CLI, as people call it. */
  title: string
  /** What takes a server of our name out, as typed. */
  removal: string
  /** A server as the file names one. @param line  what a shell runs */
  entry(line: string): Readonly<Record<string, unknown>>
}

/** @param lode  the program as one shell word, with the options that every call has */
export const serverRow = (lode: string): HookRow => ({ event: EVENT, command: `${lode} mcp` })

/** How our server stands in such a file. */
export function serverPart(file: ServersFile, lode: string): SettingsPart {
  const { title, path } = file
  const wanted = serverRow(lode)
  return {
    path,
    agent: null,
    empty: '{}\n',
    wanted: [wanted],
    rowsIn: (text) => rowsIn(title, text),
    add(text) {
      const root = scanSettings(title, text)
      // The shell takes the words of the command apart, as it does those of the hooks.
      const server = file.entry(`exec ${wanted.command}`)
      serversIn(title, text)
      const servers = memberOf(root, SERVERS)
      return servers === undefined
        ? appendTo(text, root, { [OWN_SERVER]: server }, SERVERS)
        : appendTo(text, servers, server, OWN_SERVER)
    },
    remove: (text) => removeServer(title, text),
  }
}

/** @throws `invalid` a server of that name is somebody else's */
export function requireFreeName({ title, path, removal }: ServersFile): void {
  const text = readSettings(path)
  if (text.trim() === '' || rowsIn(title, text).length > 0 || !Object.hasOwn(serversIn(title, text), OWN_SERVER)) return
  throw new AppError('invalid', `${path} already has an MCP server named ${OWN_SERVER}, which is not this one.`, {
    hint: `Give it another name, or take it out with '${removal} ${OWN_SERVER}'. Nothing was changed.`,
  })
}

/** Our server, of whatever place and version; one of that name that is somebody else's is none. */
function rowsIn(title: string, text: string): HookRow[] {
  const server = serversIn(title, text)[OWN_SERVER]
  const last: unknown = isRecord(server) && Array.isArray(server.args) ? server.args.at(-1) : undefined
  const command = typeof last === 'string' ? last.replace(/^exec /, '') : undefined
  return isOurServer(command) ? [{ event: EVENT, command }] : []
}

/** Takes our server out, and the list with it where nothing else is in it. */
function removeServer(title: string, text: string): string {
  if (rowsIn(title, text).length === 0) return text
  const root = scanSettings(title, text)
  const servers = memberOf(root, SERVERS)
  if (servers?.kind !== 'object') return text
  return servers.members.length > 1
    ? removeAt(text, servers, indexOf(servers, OWN_SERVER))
    : removeAt(text, root, indexOf(root, SERVERS))
}

function serversIn(title: string, text: string): Record<string, unknown> {
  const { [SERVERS]: servers } = parseSettings(title, text)
  if (servers === undefined) return {}
  if (isRecord(servers)) return servers
  throw new AppError('invalid', `${title} can't read its MCP servers: "${SERVERS}" is not an object.`, {
    hint: 'Repair the file first. Nothing was changed.',
  })
}
