import type { Danger } from '#domain/policy/danger'
import { HOUR_MS } from '#domain/time-units'
import { counted } from '../../../lib/format'
import { hold } from '../../../lib/live/held-moves'
import type { Need } from '../needs'
import { alwaysMove, canDo, moveOf, type NeedMove } from './need-moves'

/** Something that a second key decides, after the person saw what it is about. */
export interface Pending {
  title: string
  needs: readonly Need[]
  dangers: readonly Danger[]
  choices: readonly Choice[]
}

export interface Choice {
  /** The key that chooses it. */
  keys: string
  label: string
  /** What it adds to the settings, word for word. */
  rule?: string
  run(): void
}

/** Holds a move for each need; `z` undoes all of them. */
function holdAll(needs: readonly Need[], move: NeedMove): void {
  const batch = needs.length > 1 ? crypto.randomUUID() : undefined
  for (const need of needs) {
    const made = moveOf(need, move)
    if (made !== null) hold({ ...made, ...(batch !== undefined && { batch }) })
  }
}

/**
 * Does something with needs: at once if it is about one and harmless, else by asking for a second key.
 *
 * @returns what is to be decided, `done`, or null if it fits none of the needs
 */
export function actOn(needs: readonly Need[], move: NeedMove): Pending | 'done' | null {
  const fitting = needs.filter((need) => canDo(need, move.kind))
  if (fitting.length === 0) return null
  const dangers = move.kind === 'allow' ? dangersIn(fitting) : []
  if (fitting.length === 1 && dangers.length === 0) {
    holdAll(fitting, move)
    return 'done'
  }
  const isCall = move.kind === 'allow' || move.kind === 'deny'
  const label =
    fitting.length === 1
      ? 'Allow it anyway'
      : `${VERBS[move.kind]} ${counted(fitting.length, isCall ? 'call' : 'need')}`
  return {
    title: fitting.length === 1 ? 'Allow this dangerous call?' : `${label}?`,
    needs: fitting,
    dangers,
    choices: [{ keys: 'y', label, run: () => holdAll(fitting, move) }],
  }
}

const VERBS: Record<NeedMove['kind'], string> = {
  allow: 'Allow',
  deny: 'Deny',
  consent: 'Consent to',
  dismiss: 'Dismiss',
  retry: 'Retry',
  read: 'Mark as read',
  snooze: 'Snooze',
}

/** Each danger of the calls once, the worst first. */
function dangersIn(needs: readonly Need[]): Danger[] {
  const all = needs.flatMap(({ question }) => question?.dangers ?? [])
  return [...new Map(all.map((danger) => [`${danger.why} ${danger.part}`, danger])).values()]
}

/** Until when needs are put off. @returns null if none of them can be */
export function snoozeOf(needs: readonly Need[], now: Date): Pending | null {
  const fitting = needs.filter((need) => canDo(need, 'snooze'))
  if (fitting.length === 0) return null
  return {
    title: fitting.length === 1 ? 'Snooze until when?' : `Snooze ${counted(fitting.length, 'need')} until when?`,
    needs: fitting,
    dangers: [],
    choices: snoozeTimes(now).map(({ label, at }, n) => ({
      keys: String(n + 1),
      label,
      run: () => holdAll(fitting, { kind: 'snooze', until: at.toISOString() }),
    })),
  }
}

/** Times to put a need off to, by the clock of the person. */
export function snoozeTimes(now: Date): { label: string; at: Date }[] {
  const morning = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, 9)
  // Monday is 1.
  const toMonday = (8 - now.getDay()) % 7 || 7
  return [
    { label: 'In 1 hour', at: new Date(now.getTime() + HOUR_MS) },
    { label: 'Tomorrow at 9:00', at: morning(1) },
    { label: 'Monday at 9:00', at: morning(toMonday) },
  ]
}

/** By which rule calls like this one are let through from now on. @returns null if no rule does that */
export function alwaysOf(needs: readonly Need[]): Pending | null {
  const [need] = needs.filter((one) => canDo(one, 'allow'))
  const rules = need?.question?.alwaysRules ?? []
  if (need === undefined || rules.length === 0) return null
  return {
    title: 'Allow such calls from now on?',
    needs: [need],
    dangers: dangersIn([need]),
    choices: rules.map((rule, n) => ({
      keys: String(n + 1),
      label: n === rules.length - 1 ? 'In every project' : 'In this project',
      rule,
      run: () => {
        const made = alwaysMove(need, rule)
        if (made !== null) hold(made)
      },
    })),
  }
}
