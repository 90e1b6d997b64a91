import { existsSync, rmdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../../../domain/errors'
import {
  HOOKS_ALONE,
  type HookRow,
  NOTHING_BESIDE,
  type SetupCheck,
  type SetupOptions,
  type SetupOutcome,
} from '../../../domain/harness/harness-setup'
import { sameRows } from '../../hook-settings/own-command'
import { readNote, readSettings, removeNote, replaceSettings, writeNote } from '../../hook-settings/settings-file'
import { sessionPlugin } from '../plugin/session-plugin'
import { hookRows } from './hook-rows'

/** The first line of our file, with the rows that it stands for. */
const MARK = '// Lodeline wrote this file; `lode setup opencode --remove` removes it. '

const textOf = (lode: string): string => `${MARK}${JSON.stringify({ rows: hookRows(lode) })}\n${sessionPlugin(lode)}`

/** Writes our plugin's file. @see HarnessSetup.setUp */
export async function setUp({ home, path, lode, isDryRun }: SetupOptions): Promise<SetupOutcome> {
  const before = readSettings(path)
  const present = ownRows(path, before)
  const after = textOf(lode)
  const wanted = hookRows(lode)
  const isChanged = before !== after
  const outcome = {
    ...HOOKS_ALONE,
    ...{ file: path, isChanged },
    added: without(wanted, present),
    removed: without(present, wanted),
  }
  if (isDryRun || !isChanged) return { ...outcome, backup: null }
  const backup = replaceSettings(home, path, before, after)
  writeNote(home, { path, agent: 'opencode', original: null, addedTodoTools: false }, after)
  return { ...outcome, backup }
}

/** Removes the file. @see HarnessSetup.takeDown */
export async function takeDown(
  options: Pick<SetupOptions, 'home' | 'path' | 'isDryRun' | 'cli'>,
): Promise<SetupOutcome> {
  const { home, path, isDryRun } = options
  const before = readSettings(path)
  const removed = ownRows(path, before)
  const isChanged = existsSync(path)
  const outcome = {
    ...HOOKS_ALONE,
    ...{ file: path, added: [], removed, isChanged },
  }
  if (isDryRun || !isChanged) return { ...outcome, backup: null }
  const backup = replaceSettings(home, path, before, null)
  if (readNote(home, path) !== null) removeNote(home, path)
  removeEmpty(dirname(path))
  return { ...outcome, backup }
}

/** What stands in the file. @see HarnessSetup.check */
export async function check({ path, lode }: Pick<SetupOptions, 'path' | 'lode'>): Promise<SetupCheck> {
  const text = readSettings(path)
  // Somebody else's file has none of them.
  const present = rowsIn(text) ?? []
  const wanted = hookRows(lode)
  // Another version of the program writes another plugin for the same rows.
  const isOld = present.length > 0 && text !== textOf(lode)
  return {
    ...NOTHING_BESIDE,
    ...{ file: path, disablesHooks: false },
    installed: isOld ? [] : present,
    missing: without(wanted, present),
    outdated: isOld ? present : [],
  }
}

/** Rows of the file's first line; `null` = it is somebody else's file. */
function rowsIn(text: string): HookRow[] | null {
  if (text === '') return []
  const [first = ''] = text.split('\n', 1)
  if (!first.startsWith(MARK)) return null
  try {
    return (JSON.parse(first.slice(MARK.length)) as { rows: HookRow[] }).rows
  } catch {
    // Somebody changed it.
    return null
  }
}

/** @throws `conflict` somebody else's file */
function ownRows(path: string, text: string): HookRow[] {
  const rows = rowsIn(text)
  if (rows !== null) return rows
  throw new AppError('conflict', `${path} is not a file that Lodeline wrote.`, {
    hint: 'Move it away, or give another file of that folder with --file. Nothing was changed.',
  })
}

/** The folder of plugins, when nobody else's is in it. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // There is something in it.
  }
}

const without = (rows: readonly HookRow[], others: readonly HookRow[]): HookRow[] =>
  rows.filter((row) => !others.some((one) => sameRows([one], [row])))
