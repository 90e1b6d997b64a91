/**
 * The permission modes that a worker may allow, from the one that lets a run do least to the one that asks nobody:
 *
 * - `plan`: reads and plans, changes nothing
 * - `dontAsk`: what no rule allows is refused without a question
 * - `default`: what no rule allows is asked for
 * - `acceptEdits`: files are changed without a question
 * - `auto`: a model decides what needs no question
 * - `bypassPermissions`: nothing is asked
 *
 * A mode that is not among them is above all of them: nobody knows what it lets through.
 */
export const PERMISSION_MODES = ['plan', 'dontAsk', 'default', 'acceptEdits', 'auto', 'bypassPermissions'] as const
export type PermissionMode = (typeof PERMISSION_MODES)[number]

/** The default of a worker. */
export const DEFAULT_MAX_PERMISSION_MODE: PermissionMode = 'default'

/** Whether a run of this mode may do more than the ceiling lets it. */
export function exceedsMode(mode: string, ceiling: string): boolean {
  const rank = rankOf(mode)
  return rank === UNKNOWN || rank > rankOf(ceiling)
}

/** The modes of runs that a worker with this ceiling takes. */
export const modesBelow = (ceiling: string): PermissionMode[] =>
  PERMISSION_MODES.filter((mode) => !exceedsMode(mode, ceiling))

const UNKNOWN = PERMISSION_MODES.length
function rankOf(mode: string): number {
  const rank = (PERMISSION_MODES as readonly string[]).indexOf(mode)
  return rank < 0 ? UNKNOWN : rank
}

/** The highest of them; `null` = there is none. */
export const highestMode = (modes: readonly string[]): string | null =>
  modes.reduce<string | null>((most, one) => (most === null || exceedsMode(one, most) ? one : most), null)

/** What to do where no worker takes the mode. */
export const raiseCeilingHint = (mode: string): string =>
  (PERMISSION_MODES as readonly string[]).includes(mode)
    ? `To let tasks do so, run 'lode config set worker.maxPermissionMode ${mode}' on the worker's machine.`
    : `Use one of ${PERMISSION_MODES.join(', ')}.`
