import type { IdKind } from './id-kinds'

export interface ArgSpec {
  /** As shown in usage, upper case, e.g. `ID`. */
  name: string
  help: string
  /** Default: required. */
  isOptional?: boolean
  /** The last argument only: takes all that is left. */
  isRepeated?: boolean
  /** What shell completion offers. */
  complete?: 'file' | 'folder' | IdKind | readonly string[]
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
  complete?: 'file' | 'folder' | IdKind
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
