import { AppError } from '../../../domain/errors'
import { ownValue } from '../../../domain/own-value'
import { GLOBAL_OPTIONS } from './global-options'
import { ID_FORMS } from './id-kinds'
import type { ArgSpec, Input, OptionSpec, OptionSpecs } from './specs'
import { didYouMean } from './suggest'

type Value = boolean | number | string | string[] | undefined

/** What a command takes, and how it is called, for messages. */
export interface ArgumentShape {
  /** E.g. `lode session list`. */
  path: string
  args: readonly ArgSpec[]
  options: OptionSpecs
}

/**
 * Parses what follows a command's name. Options and arguments mix freely; `--` ends the options; `--name=value`,
 * `--name value`, `-n value`, `-nvalue` and joined one-letter flags are understood. Global options are taken anywhere.
 *
 * @returns the command's input, and what was said of the global options under their own names.
 * @throws `invalid`  unknown or doubled option, missing or wrong value, too few or too many arguments
 */
export function parseArgs(
  words: readonly string[],
  shape: ArgumentShape,
): { input: Input; globals: Record<string, Value> } {
  const specs: Record<string, OptionSpec> = { ...GLOBAL_OPTIONS, ...shape.options }
  const values: Record<string, Value> = Object.create(null)
  const args: string[] = []
  const fail = usageError(shape.path)

  const names = Object.keys(specs)
  const byShort = new Map(names.flatMap((name) => (specs[name]?.short ? [[specs[name].short, name] as const] : [])))

  const set = (name: string, spec: OptionSpec, value: Value): void => {
    if (spec.kind === 'text' && spec.isRepeated) {
      values[name] = [...((values[name] as string[] | undefined) ?? []), value as string]
    } else {
      if (spec.kind !== 'flag' && values[name] !== undefined) throw fail(`Pass --${name} only once.`)
      values[name] = value
    }
  }

  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (word === '--') {
      args.push(...words.slice(i + 1))
      break
    }
    if (word.startsWith('--')) {
      const equals = word.indexOf('=')
      const name = equals < 0 ? word.slice(2) : word.slice(2, equals)
      const given = equals < 0 ? undefined : word.slice(equals + 1)
      const spec = ownValue(specs, name)
      if (spec?.kind === 'flag') {
        set(name, spec, given === undefined ? true : parseFlag(name, given, fail))
      } else if (spec !== undefined) {
        const text = given ?? words[++i]
        if (text === undefined) throw fail(`--${name} needs a value (${spec.value}).`)
        set(name, spec, parseValue(name, spec, text, fail))
      } else {
        const negated = name.startsWith('no-') ? name.slice(3) : undefined
        const flag = negated === undefined ? undefined : ownValue(specs, negated)
        if (negated === undefined || flag?.kind !== 'flag' || given !== undefined) {
          throw fail(`Unknown option --${name}.${didYouMean(name, names, '--')}`)
        }
        set(negated, flag, false)
      }
      continue
    }
    if (word.startsWith('-') && word.length > 1 && !/^-\d/.test(word)) {
      let rest = word.slice(1)
      while (rest !== '') {
        const letter = rest.charAt(0)
        const name = byShort.get(letter)
        const spec = name === undefined ? undefined : specs[name]
        if (name === undefined || spec === undefined) throw fail(`Unknown option -${letter}.`)
        rest = rest.slice(1)
        if (spec.kind === 'flag') {
          set(name, spec, true)
          continue
        }
        const text = rest !== '' ? rest.replace(/^=/, '') : words[++i]
        if (text === undefined) throw fail(`-${letter} (--${name}) needs a value (${spec.value}).`)
        set(name, spec, parseValue(name, spec, text, fail))
        rest = ''
      }
      continue
    }
    args.push(word)
  }

  const globals: Record<string, Value> = {}
  for (const name of Object.keys(GLOBAL_OPTIONS)) globals[name] = values[name]
  if (globals.help !== true) checkCount(args, shape, fail)

  const options: Record<string, Value> = {}
  for (const [name, spec] of Object.entries(shape.options)) options[name] = values[name] ?? fallbackOf(spec)
  // The loop above made each value by its own spec.
  return { input: { args, options: options as Input['options'] }, globals }
}

function fallbackOf(spec: OptionSpec): Value {
  if (spec.kind === 'flag') return spec.isDefault ?? false
  if (spec.kind === 'number') return spec.fallback
  return spec.isRepeated ? [] : undefined
}

function parseFlag(name: string, text: string, fail: Fail): boolean {
  if (text === 'true' || text === 'yes') return true
  if (text === 'false' || text === 'no') return false
  throw fail(`--${name} takes no value (or true, false), not ${quote(text)}.`)
}

function parseValue(name: string, spec: Exclude<OptionSpec, { kind: 'flag' }>, text: string, fail: Fail): Value {
  if (spec.kind === 'number') return parseNumber(`--${name}`, spec, text, fail)
  if (spec.choices !== undefined && !spec.choices.includes(text)) {
    throw fail(
      `--${name} must be one of ${spec.choices.join(', ')}, not ${quote(text)}.${didYouMean(text, spec.choices)}`,
    )
  }
  return text
}

function parseNumber(name: string, spec: { min: number; max: number }, text: string, fail: Fail): number {
  const number = /^-?\d[\d_]*$/.test(text) ? Number(text.replaceAll('_', '')) : Number.NaN
  if (!Number.isSafeInteger(number)) throw fail(`${name} needs a whole number, not ${quote(text)}.`)
  if (number < spec.min || number > spec.max) {
    const range = spec.max === Number.MAX_SAFE_INTEGER ? `at least ${spec.min}` : `${spec.min} to ${spec.max}`
    throw fail(`${name} must be ${range}, not ${number}.`)
  }
  return number
}

function checkCount(args: readonly string[], shape: ArgumentShape, fail: Fail): void {
  const required = shape.args.filter((arg) => !arg.isOptional)
  const missing = required[args.length]
  if (missing !== undefined) throw fail(`Missing ${missing.name}: ${missing.help}.`)
  const takesAll = shape.args.at(-1)?.isRepeated === true
  const extra = takesAll ? undefined : args[shape.args.length]
  if (extra !== undefined) throw fail(`Unexpected argument ${quote(extra)}.${meantOption(extra, shape.options)}`)
  const empty = args.indexOf('')
  if (empty >= 0) throw fail(`${shape.args[Math.min(empty, shape.args.length - 1)]?.name ?? 'An argument'} is empty.`)
}

/** The option that takes an ID like the one that was typed as an argument, as a sentence behind a message; '' = none. */
function meantOption(typed: string, options: OptionSpecs): string {
  const found = Object.entries(options).find(
    ([, spec]) => spec.kind === 'text' && ownValue<RegExp>(ID_FORMS, spec.complete ?? '')?.test(typed) === true,
  )
  return found === undefined ? '' : ` Did you mean '--${found[0]} ${typed}'?`
}

/** Makes an `invalid` error whose hint is the command's help. */
export type Fail = (message: string) => AppError
export function usageError(path: string): Fail {
  return (message) => new AppError('invalid', message, { hint: `Run '${path} --help' for usage.` })
}

/** What was typed, as part of a message: at most 60 characters; the printer makes control characters visible. */
export function quote(text: string): string {
  return `'${text.length > 60 ? `${text.slice(0, 57)}...` : text}'`
}
