import type { NotifyReads } from '../../domain/notify/notify'
import { shownTarget } from '../../domain/notify/shown-target'
import { isoTime, type ReadContext } from '../sql/read-context'
import { selectRows } from '../sql/row-statements'
import { CHANNEL, NOTIFICATION } from './rows'

/** Reads the channels, and what they reported. */
export function notifyReads({ db }: ReadContext): NotifyReads {
  return {
    async channels() {
      const rows = await selectRows(db, CHANNEL).orderBy('t.name').execute()
      return rows.map((row) => {
        const { key: _, secret, target, createdAt, ...channel } = CHANNEL.read(row)
        return {
          ...channel,
          target: shownTarget(channel.kind, target),
          hasSecret: secret !== null,
          createdAt: isoTime(createdAt),
        }
      })
    },

    async toldSince() {
      const found = await db
        .selectFrom('notify_channels')
        .select((eb) => eb.fn.min('created_at').as('at'))
        .executeTakeFirst()
      return found?.at == null ? null : Number(found.at)
    },

    async log(channel, limit) {
      let query = selectRows(db, NOTIFICATION).orderBy('t.id', 'desc').limit(limit)
      if (channel !== null) query = query.where('t.channel', '=', channel)
      return (await query.execute()).map(
        ({ id, channel, event, title, status, tries, error, createdAt, settledAt }) => ({
          id,
          channel,
          event,
          title,
          status,
          tries,
          error,
          createdAt: isoTime(createdAt),
          settledAt: isoTime(settledAt),
        }),
      )
    },

    async isDue(now) {
      const found = await db
        .selectFrom('notifications')
        .select('id')
        .where('next_at', 'is not', null)
        .where('next_at', '<=', now)
        .limit(1)
        .execute()
      return found.length > 0
    },
  }
}
