/** What is ours in one file of settings that it shares with others, or has to itself: put in, taken out, looked at. */
import { existsSync, rmdirSync } from 'node:fs'
import { dirname } from 'node:path'
import type { FileChange, HookRow } from '../../domain/harness/harness-setup'
import { sameRows } from './own-command'
import { checkedJson, isAsLeft, readNote, readSettings, removeNote, replaceSettings, writeNote } from './settings-file'

/** A file, and how our rows stand in its text. */
export interface SettingsPart {
  path: string
  /** The agent CLI whose `filesSetUp` names the file; `null` = it stands beside such a file. */
  agent: string | null
  /** The text of a file that is not there yet. */
  empty: string
  wanted: readonly HookRow[]
  /** Our rows, of whatever place and version. @throws `invalid` the CLI could not read it */
  rowsIn(text: string): HookRow[]
  add(text: string): string
  /** `null` = the file is ours alone: it goes. */
  remove(text: string): string | null
  /** Nothing that the CLI could not read is ever written. @throws `internal` */
  check?(text: string): void
}

export interface PartOutcome {
  added: HookRow[]
  removed: HookRow[]
  isChanged: boolean
  backup: string | null
  /** `null` = none. */
  change: FileChange | null
}

type Place = { home: string; isDryRun: boolean }

/** Twice is harmless. @throws as `replaceSettings` */
export function setUpPart(part: SettingsPart, { home, isDryRun }: Place): PartOutcome {
  const { path, wanted } = part
  const before = readSettings(path)
  const text = before.trim() === '' ? part.empty : before
  const present = rowsOf(part, before)
  if (sameRows(present, wanted)) return { added: [], removed: [], isChanged: false, backup: null, change: null }
  const after = part.add(present.length > 0 ? (part.remove(text) ?? part.empty) : text)
  const [added, removed] = [without(wanted, present), without(present, wanted)]
  const outcome = { added, removed, isChanged: true, change: { path, before, after } }
  if (isDryRun) return { ...outcome, backup: null }
  ;(part.check ?? checkedJson)(after)
  const note = readNote(home, path)
  const [isThere, hasFolder] = [existsSync(path), existsSync(dirname(path))]
  const isOurs = note !== null && isAsLeft(note, before)
  const original = isOurs ? note.original : present.length > 0 ? part.remove(before) : isThere ? before : null
  const backup = replaceSettings(home, path, before, after)
  const madeFolder = !hasFolder || note?.madeFolder === true
  writeNote(home, { path, agent: part.agent, original, addedTodoTools: false, madeFolder }, after)
  return { ...outcome, backup }
}

/** A file that nobody else has changed since becomes what it was, byte for byte; else what others wrote stays. @throws as `setUpPart` */
export function takeDownPart(part: SettingsPart, { home, isDryRun }: Place): PartOutcome {
  const { path } = part
  const before = readSettings(path)
  const present = rowsOf(part, before)
  const note = readNote(home, path)
  const after =
    before.trim() === '' ? before : note !== null && isAsLeft(note, before) ? note.original : part.remove(before)
  const isChanged = after !== before
  const outcome = { added: [], removed: present, isChanged, change: isChanged ? { path, before, after } : null }
  if (after === before || isDryRun) return { ...outcome, backup: null }
  if (after !== null && after.trim() !== '') (part.check ?? checkedJson)(after)
  const backup = replaceSettings(home, path, before, after)
  removeNote(home, path)
  if (after === null && note?.madeFolder === true) removeEmpty(dirname(path))
  return { ...outcome, backup }
}

/** Changes nothing. @throws `invalid` the CLI could not read it */
export function checkPart(part: SettingsPart): Record<'installed' | 'missing' | 'outdated', HookRow[]> {
  const present = rowsOf(part, readSettings(part.path))
  const outdated = without(present, part.wanted)
  return { installed: without(present, outdated), missing: without(part.wanted, present), outdated }
}

const rowsOf = (part: SettingsPart, text: string): HookRow[] => (text.trim() === '' ? [] : part.rowsIn(text))

const without = (rows: readonly HookRow[], others: readonly HookRow[]): HookRow[] =>
  rows.filter((row) => !others.some((one) => sameRows([one], [row])))

/** One that somebody else uses meanwhile stays. */
function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder)
  } catch {
    // It is not empty, or gone.
  }
}
