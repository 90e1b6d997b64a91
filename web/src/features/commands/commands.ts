import type { KeyBinding } from '../../lib/keys/keys'

/** An entry of the command bar. */
export interface Command {
  /** Unique among all. */
  id: string
  label: string
  /** Secondary text beside the label. */
  detail?: string
  /** The shortcut that does the same. */
  keys?: string
  run(): void
}

export interface CommandGroup {
  name: string
  commands: readonly Command[]
}

/** Groups and shortcuts that the command bar has its own entries for. */
const OWN_GROUPS: ReadonlySet<string> = new Set(['Pages'])
const OWN_KEYS: ReadonlySet<string> = new Set(['?', '/', 'Mod+k'])
/** Leaves what one is in, which the command bar has left already. */
const LEAVE_KEY = 'Escape'
/** Shortcuts that move in a list. They are of little use in the command bar, so they appear only when somebody types their name. */
const MOVES: ReadonlySet<string> = new Set(['j', 'k', 'h', 'l', 'ArrowDown', 'ArrowUp', 'Home', 'End', 'Enter'])

/** The actions of all shortcuts, each once, those of the page first. @param all  whether to include moves in lists, and choices of menus */
export function actionsOf(bound: readonly KeyBinding[], all: boolean): KeyBinding[] {
  const seen = new Set<string>()
  const own = bound.toSorted((a, b) => Number(a.group === 'Everywhere') - Number(b.group === 'Everywhere'))
  return own.filter(({ group, label, keys, isPossible, isChoice }) => {
    if (isPossible?.() === false || OWN_GROUPS.has(group) || OWN_KEYS.has(keys) || keys === LEAVE_KEY) return false
    if (!all && (MOVES.has(keys) || isChoice === true)) return false
    const name = `${group} ${label}`
    if (seen.has(name)) return false
    seen.add(name)
    return true
  })
}

/** Whether the label and detail contain all words of `text`, in any order. An empty text matches everything. */
export function matches({ label, detail = '' }: Pick<Command, 'label' | 'detail'>, text: string): boolean {
  const words = `${label} ${detail}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word))
}

/** The matching commands by group, without empty groups. */
export const matchingGroups = (groups: readonly CommandGroup[], text: string): CommandGroup[] =>
  groups.flatMap(({ name, commands }) => {
    const left = commands.filter((command) => matches(command, text))
    return left.length === 0 ? [] : [{ name, commands: left }]
  })

/** ID of the command `step` places after the current one, wrapping around. `null` if there are no commands. */
export function stepped(groups: readonly CommandGroup[], current: string | null, step: number): string | null {
  const ids = groups.flatMap(({ commands }) => commands.map(({ id }) => id))
  const at = current === null ? -1 : ids.indexOf(current)
  if (ids.length === 0) return null
  const from = at < 0 && step > 0 ? -1 : Math.max(at, 0)
  return ids[(from + step + ids.length) % ids.length] ?? null
}
