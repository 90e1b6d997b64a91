import { sql } from 'kysely'
import type { LaunchReads } from '../domain/launch'
import { unreadLaunches } from './launch-facts'
import type { ReadContext } from './read-context'

/** The store's way to the same, on both databases. */
export function launchReads({ db }: ReadContext): LaunchReads {
  return {
    async unread(asked) {
      const program = unreadLaunches(asked)
      let step = program.next()
      while (!step.done) {
        const parts = step.value.sql.split('?')
        const query = sql(Object.assign(parts, { raw: parts }), ...step.value.params)
        step = program.next((await query.execute(db)).rows)
      }
      return step.value
    },
  }
}
