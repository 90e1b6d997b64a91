/**
 * Writes `src/cli/command-table.ts`, every command by its place: `npm run generate`
 *
 * The place of a command is the path of its file below `src/cli/commands`, without the folders that are no group. The table has a
 * literal import for each, so that the bundler keeps each command in a file of its own, and a start loads only one.
 */
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { GROUPS, HIDDEN } from '../src/cli/command-groups'
import { COMMANDS, HIDDEN_COMMANDS } from '../src/cli/command-table'
import type { CommandTree } from '../src/cli/kit/command'

export const COMMANDS_FILE = resolve(import.meta.dir, '../src/cli/command-table.ts')
const FOLDER = resolve(import.meta.dir, '../src/cli/commands')

/** A name's text in the table, or the names below a group. */
type Place = string | Group
interface Group {
  folder: string
  places: Map<string, Place>
}

/** The text of `command-table.ts`. */
export function generateCommands(): string {
  const root: Group = { folder: '', places: new Map([['bd', 'BD']]) }
  for (const file of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' }).sort())
    if (file.endsWith('.ts') && !file.endsWith('.test.ts')) addCommand(root, file.slice(0, -'.ts'.length))
  const hidden = new Map(HIDDEN.map((name) => [name, root.places.get(name) ?? '']))
  for (const name of HIDDEN) root.places.delete(name)
  return `// Written by scripts/generate-commands.ts from the files below src/cli/commands: run \`npm run generate\`.
// Help lists commands in the order of this file. Move lines to change it; a new command comes last in its group.
import { BD, GROUPS } from './command-groups'
import type { CommandTree } from './kit/command'

export const COMMANDS: CommandTree = {
${lines(root.places, COMMANDS, '  ')}}

export const HIDDEN_COMMANDS: CommandTree = {
${lines(hidden, HIDDEN_COMMANDS, '  ')}}
`
}

function addCommand(root: Group, file: string): void {
  const words = file.split('/')
  const name = words.pop() ?? ''
  let group = root
  for (const [i, word] of words.entries()) {
    const folder = words.slice(0, i + 1).join('/')
    if (!Object.hasOwn(GROUPS, folder)) continue
    const found = group.places.get(word) ?? { folder, places: new Map() }
    if (typeof found === 'string') throw new Error(`${folder} is a command and a group.`)
    group.places.set(word, found)
    group = found
  }
  if (group.places.has(name)) throw new Error(`There are two files of one command; one is ${file}.`)
  group.places.set(name, `() => import('./commands/${file}')`)
}

function lines(places: Map<string, Place>, before: CommandTree | undefined, indent: string): string {
  const names = [...Object.keys(before ?? {}).filter((name) => places.has(name)), ...places.keys()]
  return [...new Set(names)].map((name) => line(name, places.get(name) ?? '', before?.[name], indent)).join('')
}

function line(name: string, place: Place, before: CommandTree[string] | undefined, indent: string): string {
  const start = `${indent}${/^\w+$/.test(name) ? name : `'${name}'`}: `
  if (typeof place === 'string') return `${start}${place},\n`
  const summary = `GROUPS${/^\w+$/.test(place.folder) ? `.${place.folder}` : `['${place.folder}']`}`
  const verbs = lines(place.places, typeof before === 'object' ? before.verbs : undefined, `${indent}    `)
  return `${start}{\n${indent}  summary: ${summary},\n${indent}  verbs: {\n${verbs}${indent}  },\n${indent}},\n`
}

if (import.meta.main) await Bun.write(COMMANDS_FILE, generateCommands())
