import type { Config } from '../../config/load'
import type { News } from '../../domain/notify/notify'
import { secretMask } from '../../domain/secrets/mask'
import type { Store } from '../../domain/store'
import { HOUR_MS } from '../../domain/time-units'
import { newsOfBudget, newsOfFinished, newsOfLimit, newsOfNeed } from '../../engine/notify/news'
import type { NotifyDelivery } from '../../engine/notify/notify-inputs'
import type { NotifyService } from '../../engine/notify/notify-service'
import { readOverview } from '../../engine/overview/overview'
import type { Logger } from '../../util/log'
import { startUpkeep } from '../../util/upkeep-loop'
import { agentLines } from '../agents/agent-lines'
import { GONE } from './outgoing'
import { SENDERS } from './senders'

/** Milliseconds between two looks: how late a notification may be. */
const NEWS_LOOK_MS = 2_000
/** Some needs come with time alone, so a quiet feed is looked past this often. */
const QUIET_LOOK_MS = 30_000
/** How often due notifications are looked for, in milliseconds. */
const NO_CHANNEL_MS = 6_000
const SWEEP_MS = HOUR_MS
/** Needs that are looked at. Where more stand, nothing is taken for over. */
const MOST_NEEDS = 500
/** A task that was completed while no server ran is news for this long. */
const FINISHED_MS = HOUR_MS
/** Taken at once. */
const MOST_DUE = 50

export interface NotifyUpkeepOptions {
  store: Store
  notify: NotifyService
  config: Config
  /** This server's address on this machine, for links where no public one is set. */
  localUrl: string
  log: Logger
}

/** Notices what needs a person, and tells the channels. Without a channel it costs one small read a look. */
export function startNotifyUpkeep({ store, notify, config, localUrl, log }: NotifyUpkeepOptions): () => Promise<void> {
  const ending = new AbortController()
  let seenHead: unknown
  let lookedAt = 0
  let sweptAt = 0
  let standing: string[] | null = null
  let needs: number | null = null
  const mask = secretMask(config.secrets)

  async function lookForNews(now: number, toldSince: number): Promise<void> {
    const head = await store.feed.head()
    if (head === seenHead && now - lookedAt < QUIET_LOOK_MS) return
    const since = Math.max(toldSince, now - FINISHED_MS)
    const settings = { stuckAfterMs: config.stuckAfterMs, askingTools: await agentLines.askingTools(null) }
    const overview = await readOverview(store, now, settings, { since, limit: MOST_NEEDS })
    const [budgets, limits] = await Promise.all([store.budgets.rows(), store.budgets.usageLimits(now)])
    const news = [
      ...overview.needs.map(newsOfNeed),
      ...budgets.flatMap((row) => newsOfBudget(row, now)),
      ...limits.map((limit) => newsOfLimit(limit, now)),
      ...overview.finished.flatMap(newsOfFinished),
    ]
    if (news.length > 0) await notify.notice(news.map(masked))
    needs = Object.values(overview.counts.needs).reduce((sum, count) => sum + count, 0)
    standing = overview.needs.length < MOST_NEEDS ? news.map(({ subject }) => subject) : null
    seenHead = head
    lookedAt = now
  }

  /** What goes out to phones and chats holds no secret of a conversation. */
  const masked = (one: News): News => ({ ...one, title: mask.text(one.title), text: mask.text(one.text) })

  async function tell(now: number): Promise<void> {
    if (!(await store.notify.isDue(now))) return
    const due = await notify.takeDue(standing, MOST_DUE)
    await Promise.all(
      due.map(async (delivery) => {
        const error = await send(delivery)
        if (ending.signal.aborted && error !== null) return
        if (error === GONE) return await notify.end(delivery.channel.name)
        await notify.settle(delivery.ids, error)
        const about = { channel: delivery.channel.name, event: delivery.event }
        if (error === null) log.debug('a notification was sent', about)
        else log.warn('a notification could not be sent', { ...about, error })
      }),
    )
  }

  async function send(delivery: NotifyDelivery): Promise<string | null> {
    const { publicUrl } = config.server
    const base = publicUrl ?? localUrl
    const outgoing = {
      ...delivery,
      needs,
      link: new URL(delivery.path, base).href,
      answerUrl: publicUrl === null ? null : new URL('/api/notify/answer', publicUrl).href,
    }
    try {
      const error = await SENDERS[delivery.channel.kind](outgoing, {
        networks: config.notify.networks,
        allowsCommands: config.notify.commands,
        signal: ending.signal,
      })
      return error === null ? null : withoutSecrets(error, delivery)
    } catch (error) {
      return withoutSecrets(error instanceof Error ? error.message : String(error), delivery)
    }
  }

  const stop = startUpkeep({
    everyMs: NEWS_LOOK_MS,
    quietMs: NO_CHANNEL_MS,
    log,
    failure: 'notifying failed; trying again',
    async check() {
      const now = Date.now()
      const toldSince = await store.notify.toldSince()
      if (toldSince === null) return false
      await lookForNews(now, toldSince)
      await tell(now)
      if (now - sweptAt < SWEEP_MS) return true
      sweptAt = now
      await notify.sweep()
      return true
    },
  })
  return async () => {
    ending.abort()
    await stop()
  }
}

/** Errors of connections name addresses, and some addresses are secrets. */
function withoutSecrets(error: string, { secret, channel: { target } }: NotifyDelivery): string {
  let text = error
  for (const hidden of [secret, target]) if (hidden !== null && hidden !== '') text = text.replaceAll(hidden, '...')
  return text
}
