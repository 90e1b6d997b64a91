import type { Context } from './context'

/**
 * A command is a plain value in a file of its own under `commands/`, loaded when it is used. Its name is its place in `command-table.ts`.
 *
 * A command answers on stdout, says everything else on stderr, and either returns (exit code 0, or the number that it
 * returns) or throws an `AppError`, whose code decides the exit code.
 */
export interface Command<O extends OptionSpecs = OptionSpecs> {
  /** One line without a full stop, lower case after the first letter: shown in lists. */
  summary: string
  /** What the summary can't say: plain text, wrapped by hand at 100 columns. */
  details?: string
  args?: readonly ArgSpec[]
  options?: O
  /** At least one; each is run through the parser by a test. */
  examples: readonly Example[]
  /** `false` = the command has no JSON answer (it starts a server or prints a script); `--json` is then refused. */
  hasJson?: boolean
  run(context: Context, input: Input<O>): Promise<number | undefined>
}

export interface Example {
  /** As typed, beginning with `lode`. */
  line: string
  does: string
}

export interface ArgSpec {
  /** As shown in usage, upper case, e.g. `ID`. */
  name: string
  help: string
  /** Default: required. */
  isOptional?: boolean
  /** The last argument only: takes all that is left. */
  isRepeated?: boolean
  /** What shell completion offers. */
  complete?: 'file' | 'folder' | readonly string[]
}

/** Present or not; `--no-<name>` says `false`. */
export interface FlagSpec {
  kind: 'flag'
  help: string
  /** One letter. */
  short?: string
  isDefault?: boolean
}

export interface TextSpec {
  kind: 'text'
  help: string
  short?: string
  /** What stands for the value in usage, e.g. `DIR`. */
  value: string
  /** Given several times, each value counts. */
  isRepeated?: boolean
  /** The only values that are taken. */
  choices?: readonly string[]
  complete?: 'file' | 'folder'
}

/** A whole number between `min` and `max`, both allowed. */
export interface NumberSpec {
  kind: 'number'
  help: string
  short?: string
  value: string
  min: number
  max: number
  fallback?: number
}

export type OptionSpec = FlagSpec | TextSpec | NumberSpec
/** Keyed by the long name in kebab-case, without the dashes. */
export type OptionSpecs = Readonly<Record<string, OptionSpec>>

type ValueOf<S extends OptionSpec> = S extends FlagSpec
  ? boolean
  : S extends NumberSpec
    ? S extends { fallback: number }
      ? number
      : number | undefined
    : S extends { isRepeated: true }
      ? string[]
      : S extends { choices: readonly (infer C)[] }
        ? C | undefined
        : string | undefined

export type OptionValues<O extends OptionSpecs> = { [K in keyof O]: ValueOf<O[K]> }

/** What was typed, checked against the command's specs. */
export interface Input<O extends OptionSpecs = OptionSpecs> {
  args: string[]
  options: OptionValues<O>
}

/** Checks a command's shape and infers its options' types. */
export function defineCommand<const O extends OptionSpecs = Record<never, never>>(command: Command<O>): Command<O> {
  return command
}

/** What a command's module exports. */
export interface CommandModule {
  command: Command
}

/** Loads a command's module. The import stands in the table itself, so that the bundler makes it a file of its own. */
export type CommandLoader = () => Promise<CommandModule>

export interface CommandGroup {
  summary: string
  verbs: CommandTree
  /** Verbs that people may expect here, with what to type instead. */
  elsewhere?: Readonly<Record<string, string>>
}

export interface CommandTree {
  readonly [name: string]: CommandLoader | CommandGroup
}
