import type { RunLaunch, RunOutcome } from './harness-run'

/** A limit of its task that a run reached: the `subtype` of its result, as Claude Code writes it. */
export type RunBound = 'error_max_turns' | 'error_max_budget_usd'

export type RunBounds = Pick<RunLaunch, 'maxTurns' | 'maxCostUsd'>

/** The limit that the answers so far reach, for CLIs that have no limits of their own. A cost that is not known (`null`) reaches none. */
export function reachedBound(
  { maxTurns, maxCostUsd }: RunBounds,
  { turns, costUsd }: { turns: number; costUsd: number | null },
): RunBound | null {
  if (maxTurns !== null && turns >= maxTurns) return 'error_max_turns'
  return maxCostUsd !== null && (costUsd ?? 0) >= maxCostUsd ? 'error_max_budget_usd' : null
}

/**
 * The result of a run that ended at a limit; `null` = it ended otherwise.
 *
 * @param said  what the CLI says of it
 */
export function boundOutcome(subtype: string | undefined, said = ''): RunOutcome | null {
  const because = said === '' ? '' : `: ${said}`
  switch (subtype) {
    case 'error_max_turns':
      return failed('turn_limit', `The task's limit of turns was reached${because}; raise maxTurns and retry.`)
    case 'error_max_budget_usd':
      return failed('cost_limit', `The task's limit of cost was reached${because}; raise maxCostUsd and retry.`)
    default:
      return null
  }
}

const failed = (failureClass: 'turn_limit' | 'cost_limit', reason: string): RunOutcome => ({
  ...{ isOk: false, failureClass, reason, resetAt: null },
})
