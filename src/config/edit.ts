import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { AppError } from '../domain/errors'
import { parseConfig, readConfigFile } from './config-file'
import type { ConfigKey } from './keys'

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

/** The text with one key changed. Where the text's shape can't be edited line by line it is written anew, without its comments. */
export function editText(text: string, key: ConfigKey, value: ConfigValue): string {
  const wanted = parseConfig(text)
  if (same(wanted.get(key), value)) return text
  wanted.delete(key)
  if (value !== undefined) {
    // Where a group should be there may be something else (`listen: 5`); it means nothing and makes way.
    wanted.delete(key.split('.')[0] ?? key)
    wanted.set(key, value)
  }
  const edited = editLines(text, key, value)
  try {
    if (sameEntries(parseConfig(edited), wanted)) return edited
  } catch {
    // The line edit did not give YAML: flow style, anchors or another shape that it does not know.
  }
  return render(wanted)
}

function editLines(text: string, key: ConfigKey, value: ConfigValue): string {
  const lines = text === '' ? [] : text.replace(/\n$/, '').split('\n')
  const [group, leaf] = key.split('.') as [string, string?]
  let start = 0
  let end = lines.length
  let indent = ''
  if (leaf !== undefined && !lines.some((line) => keyOf(line) === key)) {
    const head = lines.findIndex((line) => /^\S/.test(line) && keyOf(line) === group)
    if (head < 0) {
      if (value !== undefined) lines.push(`${group}:`, `  ${leaf}: ${scalar(value)}`)
      return join(lines)
    }
    start = head + 1
    end = lines.findIndex((line, i) => i > head && /^[^\s#]/.test(line))
    if (end < 0) end = lines.length
    indent = /^ +/.exec(lines.slice(start, end).find((line) => /^ +[^\s#]/.test(line)) ?? '')?.[0] ?? '  '
  }
  const name = indent === '' ? key : (leaf ?? key)
  const at = lines.findIndex(
    (line, i) =>
      i >= start && i < end && line.startsWith(indent) && /\S/.test(line.charAt(indent.length)) && keyOf(line) === name,
  )
  if (at < 0) {
    let last = end
    while (last > start && /^\s*(#.*)?$/.test(lines[last - 1] ?? '')) last--
    if (value !== undefined) lines.splice(last, 0, `${indent}${name}: ${scalar(value)}`)
    return join(lines)
  }
  // A list below the key belongs to it.
  let after = at + 1
  while (after < lines.length && (/^\s*-\s/.test(lines[after] ?? '') || leadingSpaces(lines[after]) > indent.length))
    after++
  const comment = /\s+#[^'"]*$/.exec(lines[at] ?? '')?.[0] ?? ''
  lines.splice(at, after - at, ...(value === undefined ? [] : [`${indent}${name}: ${scalar(value)}${comment}`]))
  return join(lines)
}

function keyOf(line: string): string | undefined {
  return /^\s*(['"]?)([\w.]+)\1\s*:(\s|$)/.exec(line)?.[2]
}

function leadingSpaces(line: string | undefined): number {
  return line === undefined || line.trim() === '' ? 0 : (/^ */.exec(line)?.[0].length ?? 0)
}

function join(lines: readonly string[]): string {
  return lines.length === 0 ? '' : `${lines.join('\n')}\n`
}

function scalar(value: Exclude<ConfigValue, undefined>): string {
  return JSON.stringify(value)
}

function render(values: ReadonlyMap<string, unknown>): string {
  const lines: string[] = []
  const groups = new Map<string, string[]>()
  for (const [key, value] of values) {
    const dot = key.indexOf('.')
    // A group that holds something of its own as well can't be written as a group.
    if (dot < 0 || values.has(key.slice(0, dot))) lines.push(`${quoted(key)}: ${JSON.stringify(value)}`)
    else
      groups.set(key.slice(0, dot), [
        ...(groups.get(key.slice(0, dot)) ?? []),
        `  ${quoted(key.slice(dot + 1))}: ${JSON.stringify(value)}`,
      ])
  }
  for (const [group, inside] of groups) lines.push(`${quoted(group)}:`, ...inside)
  return join(lines)
}

function quoted(key: string): string {
  return /^[A-Za-z]\w*$/.test(key) ? key : JSON.stringify(key)
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function sameEntries(a: ReadonlyMap<string, unknown>, b: ReadonlyMap<string, unknown>): boolean {
  return a.size === b.size && [...b].every(([key, value]) => a.has(key) && same(a.get(key), value))
}

function replaceFile(path: string, text: string): void {
  const temporary = `${path}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(temporary, text, { mode: 0o600, flag: 'wx', flush: true })
    const mode = statSync(path, { throwIfNoEntry: false })?.mode
    if (mode !== undefined) chmodSync(temporary, mode & 0o777)
    renameSync(temporary, path)
  } catch (error) {
    removeQuietly(temporary)
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOSPC' || code === 'EDQUOT')
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
