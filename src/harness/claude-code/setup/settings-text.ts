import type { HookRow } from '../../../domain/harness/harness-setup'
import { appendTo, memberOf, removeAt } from '../../../util/json/json-text'
import { shellLine, unquoted } from '../../../util/shell-words'
import * as hookText from '../../hook-settings/hook-text'
import { indexOf, invalid, isRecord, parseSettings, scanSettings } from '../../hook-settings/hook-text'
import { groupOf, TODO_TOOLS_VARIABLE } from './hook-rows'

const TITLE = 'Claude Code'

/** Our rows in a file of settings, in its order. */
export const ownRows = (text: string): HookRow[] => hookText.ownRows(TITLE, text)

/** @throws `invalid` `hooks` is not what the CLI takes */
export const addRows = (text: string, rows: readonly HookRow[]): string => hookText.addRows(TITLE, text, rows, groupOf)

export const removeRows = (text: string): string => hookText.removeRows(TITLE, text)

/** Settings that decide whether hooks and to-do tools work at all. */
export function switchesOf(text: string): { disablesHooks: boolean; todoTools: string | null } {
  const settings = parseSettings(TITLE, text)
  const env = isRecord(settings.env) ? settings.env[TODO_TOOLS_VARIABLE] : undefined
  return { disablesHooks: settings.disableAllHooks === true, todoTools: env === undefined ? null : String(env) }
}

/** Sets the switch that gives newer models their to-do tools. */
export function addTodoTools(text: string): string {
  const root = scanSettings(TITLE, text)
  const env = memberOf(root, 'env')
  if (env === undefined) return appendTo(text, root, { [TODO_TOOLS_VARIABLE]: '1' }, 'env')
  if (env.kind !== 'object') throw invalid(TITLE, '"env" is not an object')
  const present = memberOf(env, TODO_TOOLS_VARIABLE)
  if (present === undefined) return appendTo(text, env, '1', TODO_TOOLS_VARIABLE)
  return `${text.slice(0, present.start)}"1"${text.slice(present.end)}`
}

export function removeTodoTools(text: string): string {
  const root = scanSettings(TITLE, text)
  const env = memberOf(root, 'env')
  if (env?.kind !== 'object' || memberOf(env, TODO_TOOLS_VARIABLE) === undefined) return text
  if (env.members.length > 1) return removeAt(text, env, indexOf(env, TODO_TOOLS_VARIABLE))
  return removeAt(text, root, indexOf(root, 'env'))
}

const OURS = /^(.*(?:^|[/\s'"])(?:lode|main\.ts)['"]?(?:\s+--home\s+\S.*?)?\s+statusline)(?: --beside (.+))?$/s

/** The command of the status line, where it is ours. */
export function statuslineOf(text: string): string | null {
  const { statusLine } = parseSettings(TITLE, text)
  const command = isRecord(statusLine) ? statusLine.command : undefined
  return typeof command === 'string' && OURS.test(command) ? command : null
}

/**
 * Puts our line into the status line. The command of another one goes on beside it; one of ours is brought up to date.
 *
 * @param lode  the program as words of a shell
 * @throws `invalid` `statusLine` is not what the CLI takes
 */
export function addStatusline(text: string, lode: string): string {
  const root = scanSettings(TITLE, text)
  const present = memberOf(root, 'statusLine')
  const ours = `${lode} statusline`
  if (present === undefined) return appendTo(text, root, { type: 'command', command: ours }, 'statusLine')
  const command = memberOf(present, 'command')
  const { statusLine } = parseSettings(TITLE, text)
  const words = isRecord(statusLine) ? statusLine.command : undefined
  if (command === undefined || typeof words !== 'string') throw invalid(TITLE, '"statusLine" has no command')
  const beside = OURS.test(words) ? OURS.exec(words)?.[2] : shellLine([words])
  return putString(text, command, beside === undefined ? ours : `${ours} --beside ${beside}`)
}

/** Takes it out: what stood beside it stands alone again. */
export function removeStatusline(text: string): string {
  const words = statuslineOf(text)
  if (words === null) return text
  const root = scanSettings(TITLE, text)
  const beside = OURS.exec(words)?.[2]
  if (beside === undefined) return removeAt(text, root, indexOf(root, 'statusLine'))
  const command = memberOf(memberOf(root, 'statusLine'), 'command')
  return command === undefined ? text : putString(text, command, unquoted(beside))
}

const putString = (text: string, { start, end }: { start: number; end: number }, value: string): string =>
  text.slice(0, start) + JSON.stringify(value) + text.slice(end)
