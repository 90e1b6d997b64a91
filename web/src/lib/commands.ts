import type { KeyBinding } from './keys'

/** Something that the command bar does. */
export interface Command {
  /** Unique among all. */
  id: string
  label: string
  /** What stands beside it. */
  detail?: string
  /** Keys that do the same. */
  keys?: string
  run(): void
}

export interface CommandGroup {
  name: string
  commands: readonly Command[]
}

/** Groups of keys that the bar has places and settings of its own for. */
const OWN_GROUPS: ReadonlySet<string> = new Set(['Places'])
const OWN_KEYS: ReadonlySet<string> = new Set(['?', '/', 'Mod+k'])
/** Moves in a list: from a field far from it they are of little use, so they are there for who types their name. */
const MOVES: ReadonlySet<string> = new Set(['j', 'k', 'h', 'l', 'ArrowDown', 'ArrowUp', 'Home', 'End', 'Enter'])

/** What keys do on this page, each thing once, the page's own first. `all`: moves in lists as well. */
export function actionsOf(bound: readonly KeyBinding[], all: boolean): KeyBinding[] {
  const seen = new Set<string>()
  const own = bound.toSorted((a, b) => Number(a.group === 'Everywhere') - Number(b.group === 'Everywhere'))
  return own.filter(({ group, label, keys }) => {
    if (OWN_GROUPS.has(group) || OWN_KEYS.has(keys) || (!all && MOVES.has(keys))) return false
    const name = `${group} ${label}`
    if (seen.has(name)) return false
    seen.add(name)
    return true
  })
}

/** Whether all words of `text` stand in the label or detail, in any order. Nothing typed fits everything. */
export function fits({ label, detail = '' }: Pick<Command, 'label' | 'detail'>, text: string): boolean {
  const words = `${label} ${detail}`.toLowerCase()
  return text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word))
}

/** Groups of what fits, without those that are empty. */
export const fitting = (groups: readonly CommandGroup[], text: string): CommandGroup[] =>
  groups.flatMap(({ name, commands }) => {
    const left = commands.filter((command) => fits(command, text))
    return left.length === 0 ? [] : [{ name, commands: left }]
  })

/** The command `step` places further, around the end. `null` where there is none. */
export function stepped(groups: readonly CommandGroup[], current: string | null, step: number): string | null {
  const ids = groups.flatMap(({ commands }) => commands.map(({ id }) => id))
  const at = current === null ? -1 : ids.indexOf(current)
  if (ids.length === 0) return null
  const from = at < 0 && step > 0 ? -1 : Math.max(at, 0)
  return ids[(from + step + ids.length) % ids.length] ?? null
}
