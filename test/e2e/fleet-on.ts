import { make } from '../store-contract/databases'
import { cleanUp } from './clean-up'
import { Fleet } from './fleet'
import type { CliVersion } from './real-cli'

/** A fleet over a database of its own, with the scenario of the ladder. */
export async function fleetOn(
  version: CliVersion,
  kind: 'sqlite' | 'postgres',
): Promise<{ fleet: Fleet; remove(): Promise<void> }> {
  const database = kind === 'postgres' ? await make(kind) : null
  try {
    // Of one length on both: some tests wait until one is over.
    const settings = { 'tasks.leaseSeconds': 15 }
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
