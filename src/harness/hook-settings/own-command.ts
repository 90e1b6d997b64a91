import type { HookRow } from '../../domain/harness/harness-setup'

/** Whether a handler's command is one of ours, of whatever place and version. */
export const isOurs = (command: unknown): command is string => calls(command, HOOK)

/** The same of the command that starts an MCP server. */
export const isOurServer = (command: unknown): command is string => calls(command, MCP)

const calls = (command: unknown, verb: RegExp): command is string => typeof command === 'string' && verb.test(command)
const HOOK = /(?:^|[/\s'"])(?:lode|main\.ts)['"]?(?:\s+--home\s+\S.*)?\s+hook(?:\s|$)/
const MCP = /(?:^|[/\s'"])(?:lode|main\.ts)['"]?(?:\s+--home\s+\S.*)?\s+mcp$/

/** The same rows, in whatever order. */
export function sameRows(a: readonly HookRow[], b: readonly HookRow[]): boolean {
  const key = ({ event, matcher, command }: HookRow) => JSON.stringify([event, matcher ?? null, command])
  return JSON.stringify(a.map(key).sort()) === JSON.stringify(b.map(key).sort())
}
