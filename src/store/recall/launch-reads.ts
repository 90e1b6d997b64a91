import type { LaunchReads } from '../../domain/session/launch'
import { programDriver } from '../sql/program-driver'
import type { ReadContext } from '../sql/read-context'
import { unreadLaunches } from './launch-facts'

/** The store's way to what `launch-facts.ts` reads, on both databases. */
export function launchReads({ db }: ReadContext): LaunchReads {
  return { unread: (asked) => programDriver(db)(unreadLaunches(asked)) }
}
