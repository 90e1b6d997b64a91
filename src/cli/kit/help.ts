import { pad, wrap } from '../print/text'
import type { Command, CommandTree } from './command'
import { GLOBAL_OPTIONS } from './global-options'
import type { OptionSpec, OptionSpecs } from './specs'

const WIDTH = 100

/** `lode session list [--limit N] [ID]` in one line. */
export function usage(path: string, command: Command): string {
  const args = (command.args ?? []).map((arg) => {
    const name = arg.isRepeated ? `${arg.name}...` : arg.name
    return arg.isOptional ? `[${name}]` : name
  })
  const options = Object.keys(command.options ?? {}).length > 0 ? ['[options]'] : []
  return [path, ...args, ...options].join(' ')
}

/** A command's whole help. */
export function commandHelp(path: string, command: Command): string {
  const parts = [`${command.summary}.`, `Usage: ${usage(path, command)}`]
  if (command.details) parts.push(command.details.trim())
  const args = command.args ?? []
  if (args.length > 0)
    parts.push(
      section(
        'Arguments',
        args.map((arg) => [arg.name, arg.help]),
      ),
    )
  const { json, ...others } = GLOBAL_OPTIONS
  const own = optionRows(command.options ?? {})
  if (own.length > 0) parts.push(section('Options', own))
  parts.push(section('Global options', optionRows(command.hasJson === false ? others : { json, ...others })))
  const examples = command.examples.map(({ line, does }) => `  ${line}\n      ${does}`)
  parts.push(`Examples:\n${examples.join('\n')}`)
  return `${parts.join('\n\n')}\n`
}

/** What stands below a group, or below `lode` itself. */
export async function groupHelp(path: string, summary: string, tree: CommandTree): Promise<string> {
  const rows = await Promise.all(
    Object.entries(tree).map(async ([name, entry]): Promise<[string, string]> => {
      if (typeof entry === 'function') return [name, (await entry()).command.summary]
      return [name, `${entry.summary} (${Object.keys(entry.verbs).join(', ')})`]
    }),
  )
  const parts = [`${summary}.`, `Usage: ${path} COMMAND [options]`, section('Commands', rows)]
  parts.push(section('Global options', optionRows(GLOBAL_OPTIONS)))
  parts.push(`Run '${path} COMMAND --help' for the options and examples of a command.`)
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

function section(title: string, rows: readonly (readonly [string, string])[]): string {
  const left = Math.max(...rows.map(([name]) => name.length)) + 2
  const lines = rows.map(([name, help]) => {
    const [first = '', ...rest] = wrap(help, WIDTH - left - 2)
    return [`  ${pad(name, left)}${first}`, ...rest.map((line) => `  ${' '.repeat(left)}${line}`)].join('\n')
  })
  return `${title}:\n${lines.join('\n')}`
}
