import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { COMMANDS_FILE, generateCommands } from '../../scripts/generate-commands'
import { COMMANDS, HIDDEN_COMMANDS } from './command-table'
import { GLOBAL_OPTIONS } from './kit/arguments/global-options'
import { parseArgs } from './kit/arguments/parse-args'
import type { Command, CommandTree } from './kit/command'
import { commandHelp, groupHelp, usage } from './kit/help'

async function collect(tree: CommandTree, path = 'lode'): Promise<[string, Command][]> {
  const found: [string, Command][] = []
  for (const [name, entry] of Object.entries(tree)) {
    if (typeof entry === 'function') found.push([`${path} ${name}`, (await entry()).command])
    else found.push(...(await collect(entry.verbs, `${path} ${name}`)))
  }
  return found
}
const commands = await collect(COMMANDS)
const all = [...commands, ...(await collect(HIDDEN_COMMANDS))]

describe.each(all)('%s', (path, command) => {
  test('says in one line what it does, plainly', () => {
    expect(command.summary).toMatch(/^[\x20-\x7e]{10,90}[^.]$/)
  })
  test('has examples that its own parser takes', () => {
    expect(command.examples.length).toBeGreaterThan(0)
    for (const { line, does } of command.examples) {
      expect(line).toStartWith(path)
      expect(does.length).toBeGreaterThan(5)
      const words = [...line.slice(path.length).matchAll(/'([^']*)'|(\S+)/g)].map((match) => match[1] ?? match[2] ?? '')
      expect(() => parseArgs(words, { path, args: command.args ?? [], options: command.options ?? {} })).not.toThrow()
    }
  })
  test('explains every option and argument', () => {
    const help = commandHelp(path, command, 80)
    expect(help).toMatch(/^[\x20-\x7e\n]*$/)
    expect(help).toContain(`Usage: ${usage(path, command)}`)
    for (const [name, spec] of Object.entries(command.options ?? {})) {
      expect(name).toMatch(/^[a-z][a-z-]*$/)
      expect(help).toContain(spec.help.slice(0, 20))
    }
    for (const arg of command.args ?? []) expect(help).toContain(arg.name)
    // An example stays on one line, so that it can be copied.
    const isExample = (line: string) => command.examples.some((each) => line.trim() === each.line)
    expect(help.split('\n').filter((line) => line.length > 80 && !isExample(line))).toEqual([])
  })
  test('takes no letter twice and hides no global option', () => {
    const specs = { ...GLOBAL_OPTIONS, ...command.options }
    const letters = Object.values(specs).flatMap((spec) => ('short' in spec && spec.short ? [spec.short] : []))
    expect(new Set(letters).size).toBe(letters.length)
    for (const name of Object.keys(command.options ?? {})) expect(Object.hasOwn(GLOBAL_OPTIONS, name)).toBe(false)
  })
  test('takes only its last argument many times, and none that is needed after one that is not', () => {
    const args = command.args ?? []
    expect(args.slice(0, -1).some((arg) => arg.isRepeated)).toBe(false)
    expect(args.some((arg, i) => !arg.isOptional && args[i - 1]?.isOptional)).toBe(false)
  })
})

test('every command of the tracker keeps the to-dos in its file in step; merge and sync do so themselves', () => {
  const isOfTracker = (path: string) =>
    /^lode (?:bd )?(?:issue|dep|label|comment|epic) /.test(path) && !/ issue (?:merge|sync)$/.test(path)
  const forgetful = commands.filter(([path, command]) => isOfTracker(path) && !command.keepsTodosInFile)
  expect(forgetful.map(([path]) => path)).toEqual([])
  expect(commands.filter(([, { keepsTodosInFile }]) => keepsTodosInFile).length).toBeGreaterThan(50)
})

const commandFiles = readdirSync(join(import.meta.dir, 'commands'), { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.ts') && !path.endsWith('.test.ts'),
)

test('the table is what the files of the commands make it', async () => {
  expect(await Bun.file(COMMANDS_FILE).text()).toBe(generateCommands())
})

test('the first help lists every command that people use', async () => {
  const help = await groupHelp('lode', 'x', COMMANDS, 80)
  for (const name of Object.keys(COMMANDS)) expect(help).toContain(`\n  ${name} `)
  expect(help).not.toContain('hook')
})

test('start-up loads no schema library, server or database, and no command that was not asked for', () => {
  const start = loadedBy(join(import.meta.dir, 'main.ts'))
  expect(start.packages).toEqual([])
  expect(start.files.filter((path) => /\/(commands|views|app|store|engine|api\/server)\//.test(path))).toEqual([])
})

test('no command loads a schema library, server or database before it runs', () => {
  for (const name of commandFiles) {
    const { packages, files } = loadedBy(join(import.meta.dir, 'commands', name))
    expect([name, packages]).toEqual([name, []])
    expect([
      name,
      files.filter((path) => /\/src\/(app|store|engine|worker|collector)\/|\/api\/server\//.test(path)),
    ]).toEqual([name, []])
  }
})

/** Everything that importing a module loads: its static imports and theirs, types left out. */
function loadedBy(entry: string): { files: string[]; packages: string[] } {
  const transpiler = new Bun.Transpiler({ loader: 'ts' })
  const files = new Set<string>([entry])
  const packages = new Set<string>()
  for (const file of files) {
    if (file.endsWith('.json')) continue
    for (const { kind, path } of transpiler.scanImports(readFileSync(file, 'utf8'))) {
      if (kind !== 'import-statement' || path.startsWith('node:') || path.startsWith('bun:')) continue
      if (!path.startsWith('.')) packages.add(path)
      else files.add(Bun.resolveSync(path, dirname(file)))
    }
  }
  return { files: [...files], packages: [...packages] }
}
