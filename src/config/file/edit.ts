import { chmodSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { isCollection } from 'yaml'
import { AppError } from '../../domain/errors'
import { randomHex } from '../../util/crypto'
import { diskFault } from '../../util/files/disk-fault'
import type { ConfigKey } from '../keys'
import { parseConfig, readConfigFile } from './config-file'
import {
  indentAt,
  lineEnd,
  mapOf,
  readYamlMap,
  splice,
  withoutAliases,
  type YamlMap,
  type YamlPair,
} from './yaml-places'

/** A value as YAML holds it; `undefined` removes the key, so that the default counts again. */
export type ConfigValue = string | number | boolean | null | readonly string[] | undefined

/**
 * Sets one key in a settings file and keeps everything else as it stands, comments included. The file is replaced whole
 * (written beside it, then renamed), so a reader sees the old one or the new one. A new file is private (0600).
 *
 * @returns whether the file changed
 * @throws `invalid`  the file as it stands can't be read as settings: it is not touched
 */
export function setConfigValue(path: string, key: ConfigKey, value: ConfigValue): boolean {
  const file = readConfigFile(path)
  if (file.problem !== null)
    throw new AppError('invalid', `${path} ${file.problem}.`, { hint: `Correct or remove ${path}, then try again.` })
  const before = file.text ?? ''
  const after = editText(before, key, value)
  if (after === before) return false
  replaceFile(path, after)
  return true
}

/**
 * The text with one key changed. Everything else keeps its bytes: comments, order, quotes and blank lines. The result is read
 * again before it is taken, so no other setting changes.
 *
 * @throws `invalid`  the text's shape leaves no place for the key
 */
export function editText(text: string, key: ConfigKey, value: ConfigValue): string {
  const wanted = parseConfig(text)
  if (same(wanted.get(key), value)) return text
  wanted.delete(key)
  // Where a group should be there may be something else (`listen: 5`); it means nothing, and makes way where it has to.
  const cleared = new Map(wanted)
  if (value !== undefined) {
    cleared.delete(key.split('.')[0] ?? key)
    for (const each of [wanted, cleared]) each.set(key, value)
  }
  const ways = value === undefined ? REMOVALS : CHANGES
  for (const way of ways) {
    try {
      const edited = way(text, key, JSON.stringify(value))
      const now = parseConfig(edited)
      if (sameEntries(now, wanted) || sameEntries(now, cleared)) return edited
    } catch {
      // A shape that this way does not know, or it did not give YAML: the next way may.
    }
  }
  throw new AppError('invalid', `${key} can't be changed without changing other settings.`, {
    hint: `Change ${key} by hand in the settings file.`,
  })
}

type Edit = (text: string, key: string, value: string) => string

/** Tried in this order. An alias (`*a`) is written out only where nothing else works. */
const CHANGES: readonly Edit[] = [
  change,
  addDotted,
  (text, key, value) => change(withoutAliases(text), key, value),
  (text, key, value) => addDotted(withoutAliases(text), key, value),
]
const REMOVALS: readonly Edit[] = [remove, (text, key) => remove(withoutAliases(text), key)]

/** Gives the key its value where it stands; else puts it into the innermost of its groups, or into a new group at the end. */
function change(text: string, key: string, value: string): string {
  const root = readYamlMap(text)
  const holders = placesOf(root, key, lastOf).filter(({ pair }) => mapOf(pair.value) === null)
  // From the end, so that the places of the others stay right.
  if (holders.length > 0)
    return holders
      .sort((a, b) => b.pair.keyStart - a.pair.keyStart)
      .reduce((changed, { pair }) => withValue(changed, pair, value), text)
  const { within, leaf } = innermost(root, key)
  if (within === undefined) {
    const [group = key, ...names] = key.split('.')
    const rest = names.join('.')
    if (rest === '') return addLine(text, root, `${key}: ${value}`)
    return root?.isFlow
      ? addToFlow(text, root, `${group}: {${rest}: ${value}}`)
      : addLine(text, root, `${group}:`, `  ${rest}: ${value}`)
  }
  const inside = mapOf(within.value)
  if (inside?.isFlow) return addToFlow(text, inside, `${leaf}: ${value}`)
  const last = inside?.pairs.at(-1)
  if (last !== undefined)
    return insertLines(text, lineEnd(text, last.end), `${indentAt(text, last.keyStart)}${leaf}: ${value}`)
  if (root?.isFlow || within.isShared || !within.hasColon) throw new Error('no place for lines')
  const emptied = withValue(text, within, '')
  const indent = indentAt(text, within.keyStart)
  return insertLines(emptied, lineEnd(emptied, within.colonEnd), `${indent}  ${leaf}: ${value}`)
}

/** The innermost group of a key, and what is left of the key there. `a.b.c` stands in `a: { b: … }` or in `a.b:`. */
function innermost(map: YamlMap | null, key: string): { within: YamlPair | undefined; leaf: string } {
  for (const { name, rest } of splits(key)) {
    const pair = rest === '' ? undefined : lastOf(map, name)
    if (pair === undefined) continue
    const deeper = innermost(mapOf(pair.value), rest)
    return deeper.within === undefined ? { within: pair, leaf: rest } : deeper
  }
  return { within: undefined, leaf: key }
}

/** `a.b` is `a` and then `b`, or one word with a dot. */
const splits = (key: string): { name: string; rest: string }[] => {
  const words = key.split('.')
  return words.map((_, i) => ({ name: words.slice(0, i + 1).join('.'), rest: words.slice(i + 1).join('.') }))
}

/** The key as one word with a dot, at the end of the file, where it counts whatever stands in its group. */
function addDotted(text: string, key: string, value: string): string {
  return addLine(text, readYamlMap(text), `${key}: ${value}`)
}

function remove(text: string, key: string): string {
  return placesOf(readYamlMap(text), key, allOf)
    .sort((a, b) => b.pair.keyStart - a.pair.keyStart)
    .reduce((changed, { map, pair }) => withoutPair(changed, map, pair), text)
}

/** If a key stands twice, the last counts. */
const lastOf = (map: YamlMap | null, name: string): YamlPair | undefined =>
  map?.pairs.findLast((pair) => pair.name === name)

const allOf = (map: YamlMap, name: string): YamlPair[] => map.pairs.filter((pair) => pair.name === name)

/** Where a key stands, in groups or by a word with dots. @param find  the pairs of a name that count */
function placesOf(
  map: YamlMap | null,
  key: string,
  find: (map: YamlMap, name: string) => YamlPair | YamlPair[] | undefined,
): { map: YamlMap; pair: YamlPair }[] {
  if (map === null) return []
  return splits(key).flatMap(({ name, rest }) =>
    [find(map, name) ?? []]
      .flat()
      .flatMap((pair) => (rest === '' ? [{ map, pair }] : placesOf(mapOf(pair.value), rest, find))),
  )
}

/** Puts `json` behind the key's colon ('' = nothing). Comments between the key and its value stay, and those within a list. */
function withValue(text: string, { value, colonEnd, hasColon, end }: YamlPair, json: string): string {
  if (!hasColon) return splice(text, end, end, `: ${json}`)
  const start = Math.min(value?.range[0] ?? end, end)
  const between = text.slice(colonEnd, start)
  // A block of text ends with its line.
  const put = json + (text[end - 1] === '\n' ? newlineOf(text) : '')
  if (json !== '' && /^[ \t]+$/.test(between)) return splice(text, start, end, put)
  // What looks like one within a text is a part of it.
  const commented = isCollection(value) ? text.slice(colonEnd, end) : between
  const comments = commented.match(/(?:^|\r?\n)[ \t]*#[^\r\n]*/g) ?? []
  return splice(text, colonEnd, end, (json === '' ? put : ` ${put}`) + comments.join(''))
}

function withoutPair(text: string, { isFlow, pairs }: YamlMap, pair: YamlPair): string {
  if (!isFlow) return splice(text, pair.keyStart - indentAt(text, pair.keyStart).length, lineEnd(text, pair.end), '')
  const at = pairs.indexOf(pair)
  const after = pairs[at + 1]
  if (after !== undefined) return splice(text, pair.keyStart, after.keyStart, '')
  const before = pairs[at - 1]?.end ?? pair.keyStart
  // A comment between the two stays, and a comma before it: flow style takes one at the end.
  return splice(text, text.slice(before, pair.keyStart).includes('#') ? pair.keyStart : before, pair.end, '')
}

/** At the end of the file's lines, or of the braces around all of it. */
function addLine(text: string, root: YamlMap | null, ...lines: string[]): string {
  if (root?.isFlow) return addToFlow(text, root, lines.join(' '))
  const [first] = root?.pairs ?? []
  const indent = first === undefined ? '' : indentAt(text, first.keyStart)
  return insertLines(text, text.length, ...lines.map((line) => indent + line))
}

function addToFlow(text: string, { start, pairs }: YamlMap, added: string): string {
  const last = pairs.at(-1)
  return last === undefined ? splice(text, start + 1, start + 1, added) : splice(text, last.end, last.end, `, ${added}`)
}

function insertLines(text: string, at: number, ...lines: string[]): string {
  const newline = newlineOf(text)
  const isOpen = at > 0 && text[at - 1] !== '\n'
  return splice(text, at, at, (isOpen ? newline : '') + lines.map((line) => line + newline).join(''))
}

const newlineOf = (text: string): string => (text.includes('\r\n') ? '\r\n' : '\n')

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function sameEntries(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
  return a.size === b.size && [...b].every(([key, value]) => a.has(key) && same(a.get(key), value))
}

function replaceFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.${randomHex(4)}`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true })
    const mode = statSync(path, { throwIfNoEntry: false })?.mode
    if (mode !== undefined) chmodSync(temporary, mode & 0o777)
    renameSync(temporary, path)
  } catch (error) {
    removeQuietly(temporary)
    const code = (error as NodeJS.ErrnoException).code
    if (diskFault(error) === 'storage_full')
      throw new AppError('storage_full', `No space left to write ${path}.`, { cause: error })
    throw new AppError('storage_readonly', `${path} can't be written (${code ?? error}).`, { cause: error })
  }
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true })
  } catch {
    // Its folder is no folder: there is nothing to remove, and the first error says more.
  }
}
