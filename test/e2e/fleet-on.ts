import { make } from '../store-contract/databases'
import { cleanUp } from './clean-up'
import { Fleet } from './fleet'
import type { CliVersion } from './real-cli'

/**
 * Each CLI and each database, but not every pair: what a CLI does depends on no database. The newer CLI runs on the database that has
 * the least to do with this machine.
 */
export const CLI_AND_DATABASE = [
  ['2.1.328', 'postgres'],
  ['2.1.197', 'sqlite'],
] as const

/** A fleet over a database of its own, with the scenario of the ladder. */
export async function fleetOn(
  version: CliVersion,
  kind: 'sqlite' | 'postgres',
  // Of one length on both: some tests wait until one is over.
  leaseSeconds = 15,
): Promise<{ fleet: Fleet; remove(): Promise<void> }> {
  const database = kind === 'postgres' ? await make(kind) : null
  try {
    const settings = { 'tasks.leaseSeconds': leaseSeconds }
    const fleet = await Fleet.start({ version, script: 'ladder', databaseUrl: database?.place.url, settings })
    return {
      fleet,
      remove: () =>
        cleanUp(
          () => fleet.stop(),
          () => database?.remove(),
        ),
    }
  } catch (error) {
    await database?.remove()
    throw error
  }
}
