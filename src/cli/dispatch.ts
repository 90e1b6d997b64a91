import { AppError, toAppError } from '../domain/errors'
import { ownValue } from '../domain/own-value'
import { VERSION } from '../util/version'
import { COMMANDS, HIDDEN_COMMANDS } from './command-table'
import { GLOBAL_OPTIONS } from './kit/arguments/global-options'
import { parseArgs, quote, usageError } from './kit/arguments/parse-args'
import { closest, didYouMean } from './kit/arguments/suggest'
import type { Command, CommandGroup } from './kit/command'
import type { Context } from './kit/context'
import { EXIT, exitCodeFor } from './kit/exit-codes'
import { type Io, OutputClosed } from './kit/io'
import { fold } from './print/fold'
import { errorJson, errorText } from './print/print'
import { runCommand } from './run-command'

const SUMMARY = 'Lodeline records every agent conversation on this machine, exactly and live, and can continue it'

/**
 * Runs one command line.
 *
 * @param words   what was typed after `lode`
 * @param signal  aborted when the process is asked to end
 * @param takeSecondSignal  see `Context`
 * @returns the exit code; never throws
 */
export async function dispatch(
  words: readonly string[],
  io: Io,
  signal: AbortSignal,
  takeSecondSignal: () => AbortSignal = () => new AbortController().signal,
): Promise<number> {
  try {
    return await find(words, { io, signal, takeSecondSignal })
  } catch (thrown) {
    // An agent's CLI takes some exit codes of its hooks as orders (2 stops the tool call) and shows what they print.
    if (Object.hasOwn(HIDDEN_COMMANDS, words[0] ?? '')) return EXIT.ok
    if (thrown instanceof OutputClosed) return EXIT.ok
    if (signal.aborted) return EXIT.interrupted
    const error = toAppError(thrown)
    // Whoever types bd's commands reads bd's errors.
    if (isBd(words) && error.code !== 'internal') {
      const { failAsBd } = await import('./bd/failure')
      return failAsBd(io, error, wantsJson(words))
    }
    io.err(wantsJson(words) ? errorJson(error) : fold(errorText(error), io.errColumns))
    // For a person that looks for the mistake; others have the message, and the log has the rest.
    if (error.code === 'internal' && io.env.LODELINE_DEBUG) io.err(`${(thrown as Error).stack}\n`)
    return exitCodeFor(error)
  }
}

type Surroundings = Pick<Context, 'io' | 'signal' | 'takeSecondSignal'>

async function find(words: readonly string[], surroundings: Surroundings): Promise<number> {
  const { io } = surroundings
  const { before, names, rest } = splitWords(words)
  let path = 'lode'
  let group: CommandGroup = { summary: SUMMARY, verbs: COMMANDS }
  for (const [i, name] of names.entries()) {
    const entry = ownValue(group.verbs, name) ?? (i === 0 ? ownValue(HIDDEN_COMMANDS, name) : undefined)
    if (entry === undefined) throw unknownCommand(path, name, group)
    path += ` ${name}`
    if (typeof entry !== 'function') {
      group = entry
      continue
    }
    const { command } = await entry()
    return run(command, path, [...before, ...names.slice(i + 1), ...rest], surroundings)
  }

  if (path === 'lode' && isAlone(words, io)) {
    const { command } = await import('./first/alone')
    return run(command, path, [...before, ...rest], surroundings)
  }
  // No command was named: help and version, or a group that needs a verb.
  const { globals, input } = parseArgs([...before, ...rest], {
    path,
    args: [],
    options: path === 'lode' ? { version: { kind: 'flag', short: 'V', help: 'show the version' } } : {},
  })
  if (input.options.version === true) {
    io.out(`lode ${VERSION}\n`)
    return EXIT.ok
  }
  if (path !== 'lode' && globals.help !== true) {
    throw new AppError('invalid', `'${path}' needs one of: ${Object.keys(group.verbs).join(', ')}.`, {
      hint: `Run '${path} --help' to see what each does.`,
    })
  }
  const { groupHelp } = await import('./kit/help')
  io.out(await groupHelp(path, group.summary, group.verbs, io.columns))
  return EXIT.ok
}

/** Nothing is asked for but what a person sees who types the name, or a program that wants JSON. */
function isAlone(words: readonly string[], io: Io): boolean {
  if (words.some((word) => ['--help', '-h', '--version', '-V'].includes(word))) return false
  return wantsJson(words) || (io.isTerminal && io.canAsk)
}

async function run(command: Command, path: string, words: string[], surroundings: Surroundings): Promise<number> {
  const { io } = surroundings
  const { input, globals } = parse(command, path, words)
  if (globals.help === true) {
    const { commandHelp } = await import('./kit/help')
    io.out(commandHelp(path, command, io.columns))
    return EXIT.ok
  }
  if (globals.json === true && command.hasJson === false && !command.isForPrograms)
    throw usageError(path)(`'${path}' does not support --json.`)
  return runCommand(command, input, {
    path,
    ...surroundings,
    completionScript: async (shell) => (await import('./kit/completion')).completionScript(shell, COMMANDS),
    globals: {
      isJson: globals.json === true,
      isQuiet: globals.quiet === true,
      allowsColor: globals.color !== false,
      home: globals.home as string | undefined,
      server: globals.server as string | undefined,
    },
  })
}

function parse(command: Command, path: string, words: string[]): ReturnType<typeof parseArgs> {
  try {
    return parseArgs(words, { path, args: command.args ?? [], options: command.options ?? {} })
  } catch (error) {
    if (!command.isForPrograms) throw error
    // A program's call that carries a word too many does its work all the same: nobody is there to correct it.
    return { input: { args: [], options: {} }, globals: {} }
  }
}

/** Global options before the command's name, the words that may be names, and everything from the next option on. */
function splitWords(words: readonly string[]): { before: string[]; names: string[]; rest: string[] } {
  let start = 0
  while (start < words.length && words[start]?.startsWith('-') && words[start] !== '--') {
    const spec = (GLOBAL_OPTIONS as Record<string, { kind: string }>)[words[start]?.slice(2) ?? '']
    start += spec?.kind === 'text' ? 2 : 1
  }
  let end = start
  while (end < words.length && !words[end]?.startsWith('-')) end++
  return { before: words.slice(0, start), names: words.slice(start, end), rest: words.slice(end) }
}

function unknownCommand(path: string, name: string, { verbs, elsewhere }: CommandGroup): AppError {
  const instead = elsewhere && ownValue(elsewhere, name)
  if (path.startsWith('lode bd')) {
    const found = instead ?? `${path} ${closest(name, Object.keys(verbs))}`
    return new AppError('invalid', `Unknown command ${quote(name)}; the nearest is '${found}'.`, {
      hint: `Run '${path} --help' for all commands.`,
    })
  }
  const nearest = didYouMean(name, Object.keys(verbs), `${path} `)
  const message = `'${path}' has no command ${quote(name)}.${instead === undefined ? nearest : ` The nearest is '${instead}'.`}`
  return new AppError('invalid', message, { hint: `Run '${path} --help' for all commands.` })
}

function isBd(words: readonly string[]): boolean {
  return splitWords(words).names[0] === 'bd'
}

/** Before the line is parsed, or when it can't be. */
function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf('--')
  return words.slice(0, end < 0 ? undefined : end).includes('--json')
}
