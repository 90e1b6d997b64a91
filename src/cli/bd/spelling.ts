import type { Input, OptionSpecs } from '../kit/arguments/specs'

/** Flags of bd that ours have under another name, or that say how bd prints: made into what our commands take. */
export interface Spelling {
  options: OptionSpecs
  /** The input as our command takes it. */
  ours(input: Input): Input
}

type Values = Record<string, unknown>
const flag = (help: string) => ({ kind: 'flag', help }) as const
const PRINTS = flag('accepted for compatibility; has no effect')
const unchanged = (input: Input) => input
const withOptions = (input: Input, options: Values): Input => ({
  ...input,
  options: { ...input.options, ...options } as Input['options'],
})
const listed = (value: unknown): string[] => (Array.isArray(value) ? value : [])

/** They say how bd draws a list; ours is drawn one way. */
export const LIST_SPELLING: Spelling = {
  options: { long: PRINTS, flat: PRINTS, tree: PRINTS, pretty: PRINTS, 'no-pager': PRINTS },
  ours: unchanged,
}

export const SHOW_SPELLING: Spelling = {
  options: {
    'include-comments': flag('include comments (JSON only)'),
    'include-dependents': flag('include the issues that depend on it (JSON only)'),
    long: PRINTS,
    short: PRINTS,
  },
  ours: unchanged,
}

export const CREATE_SPELLING: Spelling = {
  options: {
    stdin: flag('read the description from stdin'),
    label: { kind: 'text', value: 'LABELS', isRepeated: true, help: 'same as --labels' },
    'waits-for': { kind: 'text', value: 'ID', complete: 'issue', help: 'add a waits-for dependency on ID' },
    'dry-run': flag('show what would be created without creating it'),
    force: PRINTS,
    validate: PRINTS,
  },
  ours(input) {
    const { stdin, label, labels, deps, 'waits-for': waits, 'body-file': file } = input.options as Values
    return withOptions(input, {
      labels: [...listed(labels), ...listed(label)],
      deps: [...listed(deps), ...(waits === undefined ? [] : [`waits-for:${waits}`])],
      'body-file': stdin === true ? '-' : file,
    })
  },
}

export const UPDATE_SPELLING: Spelling = {
  options: {
    stdin: flag('read the description from stdin'),
  },
  ours(input) {
    const { stdin, 'body-file': file } = input.options as Values
    return withOptions(input, { 'body-file': stdin === true ? '-' : file })
  },
}

export const EXPORT_SPELLING: Spelling = {
  options: { 'include-memories': PRINTS, 'include-infra': PRINTS },
  ours: unchanged,
}
