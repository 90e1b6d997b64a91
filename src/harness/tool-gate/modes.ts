/**
 * Permission modes of a run of a CLI that has none itself: our extension asks about each tool call, and these rules answer what needs no
 * person. `null` = whoever may answer questions is asked about the rest; the other modes refuse the rest.
 */
const READ = ['Read(./**)', 'Grep(./**)', 'Glob(./**)', 'LS(./**)']
const EDIT = ['Edit(./**)', 'Write(./**)']

const RULES = {
  default: { allow: READ, asks: true },
  acceptEdits: { allow: [...READ, ...EDIT], asks: true },
  plan: { allow: READ, asks: false },
  dontAsk: { allow: READ, asks: false },
  bypassPermissions: { allow: ['*'], asks: true },
} as const

export type Mode = keyof typeof RULES
export const MODES = Object.keys(RULES) as Mode[]
export const isMode = (text: string): text is Mode => Object.hasOwn(RULES, text)

/** What a mode allows by itself, and whether somebody is asked about the rest. */
export const rulesOf = (mode: string | null): { allow: readonly string[]; asks: boolean } =>
  RULES[mode !== null && isMode(mode) ? mode : 'default']
