import type { Config } from '../../config/load'
import type { Store } from '../../domain/store'
import type { ReplyDelivery } from '../../engine/inbox/inbox-inputs'
import type { InboxService } from '../../engine/inbox/inbox-service'
import { signatureOf } from '../../engine/inbox/signature'
import type { Logger } from '../../util/log'
import { postOutside } from '../../util/net/post-outside'
import { startUpkeep } from '../../util/upkeep-loop'

const INBOX_LOOK_MS = 1_000
/** The same while nothing changes and nothing is due: a reply that is tried again may be this much later. */
const QUIET_LOOK_MS = 5_000
/** Looks between two tries to notify a lead of requests that none knows: leads come and go in minutes. */
const ANNOUNCE_EVERY = 5
/** Replies on their way at once. */
const MAX_REPLIES_IN_FLIGHT = 8

export interface InboxUpkeepOptions {
  store: Store
  inbox: InboxService
  config: Config
  log: Logger
}

/** Sends replies to their sources' callbacks, and tells leads that come later of what waits. */
export function startInboxUpkeep({ store, inbox, config, log }: InboxUpkeepOptions): () => Promise<void> {
  const ending = new AbortController()
  let turn = 0
  const sendReplies = async (): Promise<void> => {
    const due = await inbox.takeReplies(MAX_REPLIES_IN_FLIGHT)
    await Promise.all(
      due.map(async (delivery) => {
        const error = await sendReply(delivery, { networks: config.inbox.callbackNetworks, signal: ending.signal })
        if (ending.signal.aborted && error !== null) return
        await inbox.settleReply(delivery.replyId, error)
        const { replyId } = delivery
        if (error === null) log.debug('a reply was sent', { replyId })
        else log.warn('a reply could not be sent', { replyId, error })
      }),
    )
  }
  const stop = startUpkeep({
    everyMs: INBOX_LOOK_MS,
    quietMs: QUIET_LOOK_MS,
    onChange: (changed) => store.feed.onChange(changed),
    log,
    failure: 'upkeep of the inbox failed; trying again',
    async check(cause) {
      if (cause === 'change') return true
      const isTime = turn++ % ANNOUNCE_EVERY === 0
      const work = await store.inbox.work(Date.now())
      if (isTime && work.isUntold) await inbox.announce()
      if (work.isDue) await sendReplies()
      return work.isUntold || work.isDue
    },
  })
  return async () => {
    ending.abort()
    await stop()
  }
}

/** @returns why it was not taken; `null` = it was */
async function sendReply(
  { replyId, source, url, secret, body }: ReplyDelivery,
  how: { networks: readonly string[]; signal: AbortSignal },
): Promise<string | null> {
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const { pathname, search } = new URL(url)
  return await postOutside({
    url,
    body,
    headers: {
      'content-type': 'application/json',
      'idempotency-key': replyId,
      'lodeline-timestamp': timestamp,
      'lodeline-signature': signatureOf(
        secret,
        timestamp,
        { source, path: `${pathname}${search}` },
        new TextEncoder().encode(body),
      ),
    },
    setting: 'inbox.callbackNetworks',
    ...how,
  })
}
