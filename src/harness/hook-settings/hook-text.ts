import { AppError } from '../../domain/errors'
import type { HookRow } from '../../domain/harness/harness-setup'
import { appendTo, type JsonNode, lineOfExtension, memberOf, removeAt, scanJson } from '../../util/json/json-text'
import { isOurs } from './own-command'

/** The agent CLI of the hooks, as people call it: for messages. */
type Title = string

/** Our rows in a file of settings, in its order. */
export function ownRows(title: Title, text: string): HookRow[] {
  const rows: HookRow[] = []
  for (const { event, group, handler } of handlers(title, parseSettings(title, text))) {
    if (!isOurs(handler.command)) continue
    rows.push({
      event,
      ...(typeof group.matcher === 'string' && group.matcher !== '' && { matcher: group.matcher }),
      command: handler.command,
    })
  }
  return rows
}

/**
 * Adds the rows, each as a group of its own at the end of its event.
 *
 * @param groupOf  a row as it stands within its event
 * @throws `invalid` `hooks` is not what the CLI takes
 */
export function addRows(
  title: Title,
  text: string,
  rows: readonly HookRow[],
  groupOf: (row: HookRow) => Readonly<Record<string, unknown>>,
): string {
  let changed = text
  for (const row of rows) {
    const root = scanSettings(title, changed)
    const hooks = memberOf(root, 'hooks')
    const event = memberOf(hooks, row.event)
    if (hooks === undefined) changed = appendTo(changed, root, { [row.event]: [groupOf(row)] }, 'hooks')
    else if (event === undefined) changed = appendTo(changed, hooks, [groupOf(row)], row.event)
    else changed = appendTo(changed, event, groupOf(row))
  }
  return changed
}

/** Takes our handlers out, and with them groups, events and `hooks` where nothing else is in them. */
export function removeRows(title: Title, text: string): string {
  let changed = text
  for (;;) {
    const next = removeOne(title, changed)
    if (next === null) return changed
    changed = next
  }
}

function removeOne(title: Title, text: string): string | null {
  const settings = parseSettings(title, text)
  const root = scanSettings(title, text)
  for (const { event, groupIndex, handlerIndex, group, handler } of handlers(title, settings)) {
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

/** The last member of that name, which counts. */
export const indexOf = (node: JsonNode, key: string): number =>
  node.kind === 'object' ? node.members.findLastIndex((member) => member.key === key) : -1

interface Found {
  event: string
  groupIndex: number
  handlerIndex: number
  group: Record<string, unknown>
  handler: Record<string, unknown>
}

/** Every handler of the file. @throws `invalid` */
function* handlers(title: Title, settings: Record<string, unknown>): Generator<Found> {
  const { hooks } = settings
  if (hooks === undefined) return
  if (!isRecord(hooks)) throw invalid(title, '"hooks" is not an object')
  for (const [event, groups] of Object.entries(hooks)) {
    if (!Array.isArray(groups)) throw invalid(title, `"hooks.${event.slice(0, 60)}" is not a list`)
    for (const [groupIndex, group] of groups.entries()) {
      if (!isRecord(group) || !Array.isArray(group.hooks)) continue
      for (const [handlerIndex, handler] of group.hooks.entries())
        if (isRecord(handler)) yield { event, groupIndex, handlerIndex, group, handler }
    }
  }
}

/** A file of settings as a value. @throws `invalid` the CLI could not read it */
export function parseSettings(title: Title, text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    if (error instanceof RangeError) throw invalid(title, 'they are nested too deeply')
    const line = extensionLine(text)
    if (line === null) throw invalid(title, (error as Error).message)
    // Claude Code 2.1.197 and 2.1.328 ignore all of such a file and say nothing: hooks that were put into it would never run.
    throw new AppError('invalid', `Line ${line} of the settings has a comment or a trailing comma.`, {
      hint: `${title} ignores a settings file with comments or trailing commas. Remove them, then try again. Nothing was changed.`,
    })
  }
  if (!isRecord(value)) throw invalid(title, 'they are not an object')
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

/** The same with the place of each part. @throws `invalid` */
export function scanSettings(title: Title, text: string): JsonNode {
  parseSettings(title, text)
  try {
    return scanJson(text)
  } catch (error) {
    if (error instanceof RangeError) throw invalid(title, 'they are nested too deeply')
    throw error
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export const invalid = (title: Title, what: string) =>
  new AppError('invalid', `${title} can't read these settings: ${what}.`, {
    hint: 'Repair the file first. Nothing was changed.',
  })
