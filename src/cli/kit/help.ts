import { reflow } from '../print/fold'
import { pad, wrap } from '../print/text'
import { GLOBAL_OPTIONS } from './arguments/global-options'
import type { OptionSpec, OptionSpecs } from './arguments/specs'
import type { Command, CommandTree } from './command'

/** Longer lines are hard to read, however wide the terminal is. */
const WIDEST = 100

/** @param columns  cells of the terminal; 0 = there is none */
const widthOf = (columns: number): number => (columns > 0 ? Math.min(columns, WIDEST) : WIDEST)

/** `lode session list [--limit N] [ID]` in one line. */
export function usage(path: string, command: Command): string {
  const args = (command.args ?? []).map((arg) => {
    const name = arg.isRepeated ? `${arg.name}...` : arg.name
    return arg.isOptional ? `[${name}]` : name
  })
  const options = Object.keys(command.options ?? {}).length > 0 ? ['[options]'] : []
  return [path, ...args, ...options].join(' ')
}

/** A command's whole help, for a terminal of this many columns; 0 = there is none. */
export function commandHelp(path: string, command: Command, columns: number): string {
  const width = widthOf(columns)
  const parts = [reflow(`${command.summary}.`, width), reflow(`Usage: ${usage(path, command)}`, width)]
  if (command.details) parts.push(reflow(command.details.trim(), width))
  const args = command.args ?? []
  if (args.length > 0)
    parts.push(
      section(
        'Arguments',
        args.map((arg) => [arg.name, arg.help]),
        width,
      ),
    )
  const { json, ...others } = GLOBAL_OPTIONS
  const own = optionRows(command.options ?? {})
  if (own.length > 0) parts.push(section('Options', own, width))
  parts.push(section('Global options', optionRows(command.hasJson === false ? others : { json, ...others }), width))
  const examples = command.examples.map(({ line, does }) => `  ${line}\n${reflow(`      ${does}`, width)}`)
  parts.push(`Examples:\n${examples.join('\n')}`)
  return `${parts.join('\n\n')}\n`
}

/** What stands below a group, or below `lode` itself. */
export async function groupHelp(path: string, summary: string, tree: CommandTree, columns: number): Promise<string> {
  const width = widthOf(columns)
  const rows = await Promise.all(
    Object.entries(tree).map(async ([name, entry]): Promise<[string, string]> => {
      if (typeof entry === 'function') return [name, (await entry()).command.summary]
      return [name, `${entry.summary} (${Object.keys(entry.verbs).join(', ')})`]
    }),
  )
  const parts = [reflow(`${summary}.`, width), `Usage: ${path} COMMAND [options]`, section('Commands', rows, width)]
  parts.push(section('Global options', optionRows(GLOBAL_OPTIONS), width))
  parts.push(reflow(`Run '${path} COMMAND --help' for the options and examples of a command.`, width))
  return `${parts.join('\n\n')}\n`
}

function optionRows(options: OptionSpecs): [string, string][] {
  return Object.entries(options).map(([name, spec]) => [optionForm(name, spec), optionHelp(spec)])
}

function optionForm(name: string, spec: OptionSpec): string {
  const long = spec.kind === 'flag' ? `--${spec.isDefault ? 'no-' : ''}${name}` : `--${name} ${spec.value}`
  return spec.short ? `-${spec.short}, ${long}` : long
}

function optionHelp(spec: OptionSpec): string {
  if (spec.kind === 'text' && spec.isRepeated) return `${spec.help}; may be repeated`
  if (spec.kind === 'number' && spec.fallback !== undefined) return `${spec.help} (default ${spec.fallback})`
  return spec.help
}

function section(title: string, rows: readonly (readonly [string, string])[], columns: number): string {
  const left = Math.max(...rows.map(([name]) => name.length)) + 2
  const lines = rows.map(([name, help]) => {
    const [first = '', ...rest] = wrap(help, columns - left - 2)
    return [`  ${pad(name, left)}${first}`, ...rest.map((line) => `  ${' '.repeat(left)}${line}`)].join('\n')
  })
  return `${title}:\n${lines.join('\n')}`
}
