import { existsSync } from 'node:fs'
import type { HookRow, SetupCheck, SetupOptions, SetupOutcome } from '../../../domain/harness/harness-setup'
import { sameRows } from '../../hook-settings/own-command'
import {
  checkedJson,
  isAsLeft,
  readNote,
  readSettings,
  removeNote,
  replaceSettings,
  writeNote,
} from '../../hook-settings/settings-file'
import { hookRows } from './hook-rows'
import {
  addRows,
  addStatusline,
  addTodoTools,
  ownRows,
  removeRows,
  removeStatusline,
  removeTodoTools,
  statuslineOf,
  switchesOf,
} from './settings-text'

/**
 * Puts our rows into the file; what is there already is left where it is. Twice is harmless.
 *
 * @throws `invalid` `too_large` `storage_readonly` `storage_full` `conflict`; the file is then as it was
 */
export function setUp(options: Omit<SetupOptions, 'cli' | 'tools' | 'mcp'>): SetupOutcome {
  const { home, path, lode, version, wakes } = options
  const before = readSettings(path)
  const text = before.trim() === '' ? '{}\n' : before
  const present = ownRows(text)
  const wanted = hookRows(lode, version, wakes)
  const isSame = sameRows(present, wanted)
  let after = isSame ? text : addRows(present.length > 0 ? removeRows(text) : text, wanted)
  const { todoTools } = switchesOf(text)
  const addsTools = options.todoTools === 'on' && todoTools !== '1'
  const removesTools = options.todoTools === 'off' && todoTools !== null
  if (addsTools) after = addTodoTools(after)
  if (removesTools) after = removeTodoTools(after)
  const hadLine = statuslineOf(text) !== null
  const lined = options.statusline === true || hadLine ? addStatusline(after, lode) : after
  const addsLine = lined !== after
  after = lined
  const isChanged = !isSame || addsTools || removesTools || addsLine
  let backup: string | null = null
  if (isChanged && !options.isDryRun) {
    checkedJson(after)
    const note = readNote(home, path)
    const isOurs = note !== null && isAsLeft(note, before)
    const isThere = existsSync(path)
    backup = replaceSettings(home, path, before, after)
    const hasOurs = present.length > 0 || hadLine
    const original = isOurs ? note.original : hasOurs ? withoutOurs(text) : isThere ? before : null
    const isSwitchOurs = !removesTools && (addsTools || note?.addedTodoTools === true)
    writeNote(home, { path, agent: 'claude-code', original, addedTodoTools: isSwitchOurs }, after)
  }
  return {
    file: path,
    added: isSame ? [] : wanted.filter((row) => !present.some((one) => sameRows([one], [row]))),
    removed: isSame ? [] : present.filter((row) => !wanted.some((one) => sameRows([one], [row]))),
    addedTodoTools: addsTools,
    removedTodoTools: removesTools,
    addedStatusline: addsLine,
    removedStatusline: false,
    trusted: [],
    isChanged,
    backup,
    changes: isChanged ? [{ path, before, after }] : [],
  }
}

/**
 * Takes our rows out. A file that nobody else has changed since becomes what it was before, byte for byte; else what others wrote
 * stays as it is.
 */
export function takeDown({ home, path, isDryRun }: Pick<SetupOptions, 'home' | 'path' | 'isDryRun'>): SetupOutcome {
  const before = readSettings(path)
  const present = before.trim() === '' ? [] : ownRows(before)
  const note = readNote(home, path)
  const after = before.trim() === '' ? before : restored(before, note)
  const isChanged = after !== before
  const removedTodoTools = hasSwitch(before) && !hasSwitch(after)
  let backup: string | null = null
  if (isChanged && !isDryRun) {
    // As it was, which the CLI had read: an empty file is no JSON.
    if (after !== null && after.trim() !== '') checkedJson(after)
    backup = replaceSettings(home, path, before, after)
    removeNote(home, path)
  }
  return {
    file: path,
    added: [],
    removed: present,
    addedTodoTools: false,
    removedTodoTools,
    addedStatusline: false,
    removedStatusline: hasLine(before) && !hasLine(after),
    trusted: [],
    isChanged,
    backup,
    changes: isChanged ? [{ path, before, after }] : [],
  }
}

const hasLine = (text: string | null): boolean => text !== null && text.trim() !== '' && statuslineOf(text) !== null

const withoutOurs = (text: string): string => removeStatusline(removeRows(text))

const hasSwitch = (text: string | null): boolean =>
  text !== null && text.trim() !== '' && switchesOf(text).todoTools !== null

function restored(text: string, note: ReturnType<typeof readNote>): string | null {
  if (note !== null && isAsLeft(note, text)) return note.original
  const without = withoutOurs(text)
  return note?.addedTodoTools === true && switchesOf(without).todoTools === '1' ? removeTodoTools(without) : without
}

/** What stands in the file. Changes nothing. */
export function checkSetup({
  path,
  lode,
  version,
  wakes,
}: Pick<SetupOptions, 'path' | 'lode' | 'version' | 'wakes'>): SetupCheck {
  const text = readSettings(path)
  const present = text.trim() === '' ? [] : ownRows(text)
  const wanted = hookRows(lode, version, wakes)
  const has = (rows: readonly HookRow[], row: HookRow) => rows.some((one) => sameRows([one], [row]))
  const switches = text.trim() === '' ? { disablesHooks: false, todoTools: null } : switchesOf(text)
  return {
    file: path,
    installed: present.filter((row) => has(wanted, row)),
    missing: wanted.filter((row) => !has(present, row)),
    outdated: present.filter((row) => !has(wanted, row)),
    untrusted: [],
    ...switches,
    statusline: text.trim() === '' ? null : statuslineOf(text),
  }
}
