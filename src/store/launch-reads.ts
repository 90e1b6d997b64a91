import type { LaunchReads } from '../domain/launch'
import { unreadLaunches } from './launch-facts'
import { programDriver } from './program-driver'
import type { ReadContext } from './read-context'

/** The store's way to what `launch-facts.ts` reads, on both databases. */
export function launchReads({ db }: ReadContext): LaunchReads {
  return { unread: (asked) => programDriver(db)(unreadLaunches(asked)) }
}
