import type { ArgSpec, Input, OptionSpecs } from './arguments/specs'
import type { Context } from './context'

/**
 * A command is a plain value in a file of its own under `commands/`, loaded when it is used. Its name is its place there.
 *
 * A command answers on stdout, says everything else on stderr, and either returns (exit code 0, or the number that it
 * returns) or throws an `AppError`, whose code decides the exit code.
 */
export interface Command<O extends OptionSpecs = OptionSpecs> {
  /** One line without a full stop, lower case after the first letter: shown in lists. */
  summary: string
  /** What the summary can't say: plain text. The help breaks its lines anew for the terminal; see `reflow`. */
  details?: string
  args?: readonly ArgSpec[]
  options?: O
  /** At least one; each is run through the parser by a test. */
  examples: readonly Example[]
  /** `false` = the command has no JSON answer (it starts a server or prints a script); `--json` is then refused. */
  hasJson?: boolean
  /** It changes or shows issues: afterwards the to-dos in the tracker's file are brought up to date, where the settings want them there. */
  keepsTodosInFile?: true
  /** Programs call it: it reads no settings, and a word that it does not know does not keep it from its work. */
  isForPrograms?: true
  /** It reads no settings and asks no server, so that it starts without their code. */
  readsNoSettings?: true
  run(context: Context, input: Input<O>): Promise<number | undefined>
}

export interface Example {
  /** As typed, beginning with `lode`. */
  line: string
  does: string
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
