import type { OptionSpecs } from './specs'

/** Options that every command takes, before or after its name. */
export const GLOBAL_OPTIONS = {
  json: { kind: 'flag', help: 'print JSON on stdout (docs/reference/json.md)' },
  home: {
    kind: 'text',
    value: 'DIR',
    help: "Lodeline's folder (default: $LODELINE_HOME or ~/.lodeline)",
    complete: 'folder',
  },
  server: {
    kind: 'text',
    value: 'URL',
    help: 'use this server, or the first of URL,URL that responds (default: $LODELINE_SERVER, or the one running here)',
  },
  quiet: { kind: 'flag', short: 'q', help: 'no progress, notes or warnings on stderr' },
  color: { kind: 'flag', isDefault: true, help: 'no colour, same as $NO_COLOR' },
  help: { kind: 'flag', short: 'h', help: 'show this help' },
} as const satisfies OptionSpecs

/** What was said of the global options. */
export interface Globals {
  isJson: boolean
  isQuiet: boolean
  /** `--no-color` was not given. */
  allowsColor: boolean
  home: string | undefined
  server: string | undefined
}
