/** A server and the workers that a test starts, as processes of their own, each to be killed and started again. */

import type { CliVersion } from '../../lab/claude'
import { type LabWith, openLab } from '../../lab/lab'
import type { DatabaseKind } from '../../store-contract/databases'

export type Fleet = LabWith<'claude' | 'lode'>

export interface FleetOptions {
  version: CliVersion
  database: DatabaseKind
  /** What the model answers: a scenario. */
  script: string
  settings?: Record<string, unknown>
  /** The way to a database of the test's own; `database` makes one otherwise. */
  databaseUrl?: string
}

/**
 * Each CLI and each database, but not every pair: what a CLI does depends on no database. The newer CLI runs on the database that has
 * the least to do with this machine.
 */
export const CLI_AND_DATABASE: readonly [CliVersion, DatabaseKind][] = [
  ['2.1.328', 'postgres'],
  ['2.1.197', 'sqlite'],
]

/** The server takes no tasks itself, and comes back where it was. */
export function openFleet({ version, database, script, settings, databaseUrl }: FleetOptions): Promise<Fleet> {
  return openLab({
    isOddlyNamed: true,
    ...(databaseUrl === undefined && { database }),
    claude: { version, script },
    lode: { hasFixedPort: true, settings: { 'worker.enabled': false, ...settings }, databaseUrl },
    server: true,
  })
}

/** With the scenario of the ladder. @param leaseSeconds  of one length on both databases: some tests wait until one is over */
export const openLadder = (version: CliVersion, database: DatabaseKind, leaseSeconds = 15): Promise<Fleet> =>
  openFleet({ version, database, script: 'ladder', settings: { 'tasks.leaseSeconds': leaseSeconds } })
