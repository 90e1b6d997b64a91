import { AppError } from '../../../domain/errors'
import type { HookRow } from '../../../domain/harness/harness-setup'
import { appendTo, type JsonNode, lineOfExtension, memberOf, removeAt, scanJson } from '../../../util/json-text'
import { groupOf, isOurs, TODO_TOOLS_VARIABLE } from './hook-rows'

/** Our rows in a file of settings, in its order. */
export function ownRows(text: string): HookRow[] {
  const rows: HookRow[] = []
  for (const { event, group, handler } of handlers(parse(text))) {
    if (!isOurs(handler.command)) continue
    rows.push({
      event,
      ...(typeof group.matcher === 'string' && group.matcher !== '' && { matcher: group.matcher }),
      command: handler.command,
    })
  }
  return rows
}

/** Settings that decide whether hooks and to-do tools work at all. */
export function switchesOf(text: string): { disablesHooks: boolean; todoTools: string | null } {
  const settings = parse(text)
  const env = isRecord(settings.env) ? settings.env[TODO_TOOLS_VARIABLE] : undefined
  return { disablesHooks: settings.disableAllHooks === true, todoTools: env === undefined ? null : String(env) }
}

/** Adds the rows, each as a group of its own at the end of its event. @throws `invalid` `hooks` is not what the CLI takes */
export function addRows(text: string, rows: readonly HookRow[]): string {
  let changed = text
  for (const row of rows) {
    const root = scan(changed)
    const hooks = memberOf(root, 'hooks')
    const event = memberOf(hooks, row.event)
    if (hooks === undefined) changed = appendTo(changed, root, { [row.event]: [groupOf(row)] }, 'hooks')
    else if (event === undefined) changed = appendTo(changed, hooks, [groupOf(row)], row.event)
    else changed = appendTo(changed, event, groupOf(row))
  }
  return changed
}

/** Takes our handlers out, and with them groups, events and `hooks` where nothing else is in them. */
export function removeRows(text: string): string {
  let changed = text
  for (;;) {
    const next = removeOne(changed)
    if (next === null) return changed
    changed = next
  }
}

function removeOne(text: string): string | null {
  const settings = parse(text)
  const root = scan(text)
  for (const { event, groupIndex, handlerIndex, group, handler } of handlers(settings)) {
    if (!isOurs(handler.command)) continue
    const hooks = memberOf(root, 'hooks')
    const groups = memberOf(hooks, event)
    const own = groups?.kind === 'array' ? memberOf(groups.items[groupIndex], 'hooks') : undefined
    if (hooks === undefined || groups === undefined || own === undefined) return null
    if ((group.hooks as unknown[]).length > 1) return removeAt(text, own, handlerIndex)
    if (groups.kind === 'array' && groups.items.length > 1) return removeAt(text, groups, groupIndex)
    if (hooks.kind === 'object' && hooks.members.length > 1) return removeAt(text, hooks, indexOf(hooks, event))
    return removeAt(text, root, indexOf(root, 'hooks'))
  }
  return null
}

/** Sets the switch that gives newer models their to-do tools. */
export function addTodoTools(text: string): string {
  const root = scan(text)
  const env = memberOf(root, 'env')
  if (env === undefined) return appendTo(text, root, { [TODO_TOOLS_VARIABLE]: '1' }, 'env')
  if (env.kind !== 'object') throw invalid('"env" is not an object')
  const present = memberOf(env, TODO_TOOLS_VARIABLE)
  if (present === undefined) return appendTo(text, env, '1', TODO_TOOLS_VARIABLE)
  return `${text.slice(0, present.start)}"1"${text.slice(present.end)}`
}

export function removeTodoTools(text: string): string {
  const root = scan(text)
  const env = memberOf(root, 'env')
  if (env?.kind !== 'object' || memberOf(env, TODO_TOOLS_VARIABLE) === undefined) return text
  if (env.members.length > 1) return removeAt(text, env, indexOf(env, TODO_TOOLS_VARIABLE))
  return removeAt(text, root, indexOf(root, 'env'))
}

const indexOf = (node: JsonNode, key: string): number =>
  node.kind === 'object' ? node.members.findLastIndex((member) => member.key === key) : -1

interface Found {
  event: string
  groupIndex: number
  handlerIndex: number
  group: Record<string, unknown>
  handler: Record<string, unknown>
}

/** Every handler of the file. @throws `invalid` */
function* handlers(settings: Record<string, unknown>): Generator<Found> {
  const { hooks } = settings
  if (hooks === undefined) return
  if (!isRecord(hooks)) throw invalid('"hooks" is not an object')
  for (const [event, groups] of Object.entries(hooks)) {
    if (!Array.isArray(groups)) throw invalid(`"hooks.${event.slice(0, 60)}" is not a list`)
    for (const [groupIndex, group] of groups.entries()) {
      if (!isRecord(group) || !Array.isArray(group.hooks)) continue
      for (const [handlerIndex, handler] of group.hooks.entries())
        if (isRecord(handler)) yield { event, groupIndex, handlerIndex, group, handler }
    }
  }
}

function parse(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    if (error instanceof RangeError) throw invalid('they are nested too deeply')
    const line = extensionLine(text)
    if (line === null) throw invalid((error as Error).message)
    // Releases 2.1.197 and 2.1.328 ignore all of such a file and say nothing: hooks that were put into it would never run.
    throw new AppError('invalid', `Line ${line} of the settings has a comment or a trailing comma.`, {
      hint: 'Claude Code ignores a settings file with comments or trailing commas. Remove them, then try again. Nothing was changed.',
    })
  }
  if (!isRecord(value)) throw invalid('they are not an object')
  return value
}

function extensionLine(text: string): number | null {
  try {
    return lineOfExtension(text)
  } catch {
    // Nested without end.
    return null
  }
}

function scan(text: string): JsonNode {
  parse(text)
  try {
    return scanJson(text)
  } catch (error) {
    if (error instanceof RangeError) throw invalid('they are nested too deeply')
    throw error
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const invalid = (what: string) =>
  new AppError('invalid', `Claude Code can't read these settings: ${what}.`, {
    hint: 'Repair the file first. Nothing was changed.',
  })
