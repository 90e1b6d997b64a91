import type { AgentName } from '../ids'

/** An agent CLI that a worker found on its machine. */
export interface InstalledCli {
  name: AgentName
  version: string
}

/** Names of agent CLIs that a task may list, and that a worker may have. */
export const MOST_AGENT_CLIS = 20
/** Characters of a CLI's version. */
export const CLI_VERSION_LIMIT = 100

/** What a worker says of its agent CLIs. */
export interface CliHolder {
  /** The first begins the tasks that name none. `null` = it does not say: it may take any task. */
  clis: readonly InstalledCli[] | null
  /** Until when an account's usage limit holds, in milliseconds, by the CLI. */
  cliLimits: Readonly<Record<AgentName, number>>
  /** A CLI that is at its limit may be passed over for the next that a task lists. */
  fallsOver: boolean
}

/**
 * The agent CLI that runs a task on a worker: the one rule for claims, and for what is said of tasks that nobody takes.
 *
 * @param needed  any one of these, the best first; none = the worker's own choice
 * @returns `undefined` when the worker has none of them now; `null` when it does not say what it has
 */
export function chooseCli(needed: readonly AgentName[], holder: CliHolder, now: number): AgentName | null | undefined {
  const { clis, cliLimits, fallsOver } = holder
  if (clis === null) return needed[0] ?? null
  const had = clis.map(({ name }) => name)
  const fit = needed.length === 0 ? had.slice(0, 1) : needed.filter((name) => had.includes(name))
  return (fallsOver ? fit : fit.slice(0, 1)).find((name) => (cliLimits[name] ?? 0) <= now)
}

/** The CLIs that may go on with a task after one that met its limit: what it lists, but for that one. */
export const othersThan = (limited: AgentName, listed: readonly AgentName[]): AgentName[] =>
  listed.includes(limited) ? listed.filter((name) => name !== limited) : []

/**
 * The CLIs that may run a task next: it stays with the one that has its conversation, unless the person now lists others.
 *
 * @param holding  the CLI of the conversation that it goes on with; `null` = it has none, or it is not known
 */
export function neededClis(listed: readonly AgentName[], holding: AgentName | null): AgentName[] {
  if (holding !== null && (listed.length === 0 || listed.includes(holding))) return [holding]
  return [...listed]
}
