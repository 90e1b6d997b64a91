import { statSync } from 'node:fs'
import type { Config } from '../../config/load'
import type { LiveSession } from '../../domain/harness/harness-live'
import type { Address, MessageId } from '../../domain/ids'
import { addressKind } from '../../domain/message/message'
import type { OfferPlace } from '../../domain/message/message-offer'
import { messagesText } from '../../domain/message/message-text'
import { chooseRoute, isWaking } from '../../domain/message/route-choice'
import type { Store } from '../../domain/store'
import { DAY_MS } from '../../domain/time-units'
import type { MessageService } from '../../engine/messages/message-service'
import { harnessNamed } from '../../harness/registry'
import type { Logger } from '../../util/log'
import { startUpkeep } from '../../util/upkeep-loop'
import type { HostIdentity } from '../files/home'
import { liveSessions } from '../followed'
import type { LiveMods } from '../mod/live-mods'
import { receiverFacts, transcriptOf } from '../receiver-facts'
import { type KnownOffer, messageOffers } from './message-offers'
import { processTarget } from './offer-mail'

/** Looked at this often, and soon after something changed. Milliseconds. */
const RECEIVER_LOOK_MS = 1_000
const AFTER_CHANGE_LOOK_MS = 50
/** Messages that one look gives to one receiver. */
const MAX_MESSAGES_PER_LOOK = 50
/** Characters of what is put into a socket. */
const SOCKET_ROOM = 8_000
const SWEEP_MS = DAY_MS
/** The server itself may give at every address. */
const OPERATOR = { kind: 'operator' } as const

export interface MessageDriverOptions {
  store: Store
  messages: MessageService
  config: Config
  /** This machine. */
  host: HostIdentity
  /** Sessions that fetch what wakes them. */
  mods: LiveMods
  log: Logger
}

/**
 * Brings messages to conversations of this machine that no run of ours holds: takes in what their hooks gave, and wakes idle ones at their
 * message socket. What their processes did not deliver is `message-upkeep.ts`'s.
 */
export function startMessageDriver(options: MessageDriverOptions): () => Promise<void> {
  const driver = new Driver(options)
  return startUpkeep({
    check: () => driver.look(),
    everyMs: RECEIVER_LOOK_MS,
    onChange: (changed) => options.store.feed.onChange(changed),
    afterChangeMs: AFTER_CHANGE_LOOK_MS,
    log: options.log,
    failure: 'messages could not be delivered; trying again',
  })
}

class Driver {
  private readonly options: MessageDriverOptions
  private readonly offers: ReturnType<typeof messageOffers>
  private readonly factsOf: ReturnType<typeof receiverFacts>
  private sweptAt = 0

  constructor(options: MessageDriverOptions) {
    this.options = options
    this.factsOf = receiverFacts(options.config, options.mods)
    this.offers = messageOffers(options.config.home)
  }

  async look(): Promise<void> {
    await this.takeIn()
    for (const live of await liveSessions(this.options.config)) await this.bring(live)
    const now = Date.now()
    if (now - this.sweptAt > SWEEP_MS) {
      this.sweptAt = now
      this.offers.sweep()
    }
  }

  /** What hooks gave is in flight from then on: nothing else may give it. */
  private async takeIn(): Promise<void> {
    const { messages, store, log } = this.options
    const groups = Map.groupBy(this.offers.open(), ({ at, by, route }) => `${at}\0${by}\0${route}`)
    for (const group of groups.values()) {
      const [first] = group
      const target = first === undefined ? null : (processTarget(this.options.host.name, first.by)?.target ?? null)
      if (first === undefined || target === null || (first.route !== 'hook' && first.route !== 'rewake')) continue
      const { route, agent, transcript, size } = first
      const flight = { route, target, offer: { agent, transcript, size } }
      const ids = group.map(({ message }) => message)
      const flying = await messages.launch(OPERATOR, first.at, flight, ids)
      for (const offer of group) {
        const isFlying = flying.some(({ id }) => id === offer.message)
        // What waits while another flies is tried again, or its own line reports it.
        if (!isFlying && (await store.messages.find(offer.message))?.status === 'produced') continue
        this.offers.setTakenIn(offer)
        log.info('a hook gave a message', { message: offer.message, address: offer.at, route: offer.route, target })
      }
    }
  }

  private async bring(live: LiveSession): Promise<void> {
    const { store } = this.options
    const at = await store.messages.addressOf(live.sessionId)
    if (addressKind(at) !== 'session') return
    const { rows } = await store.messages.list({ to: at, statuses: ['produced'] }, { limit: MAX_MESSAGES_PER_LOOK })
    if (rows.length === 0) return
    if (chooseRoute(await this.factsOf(live), rows.some(isWaking)) !== 'socket') return
    await this.sendTo(live, at, rows)
  }

  private async sendTo(
    live: LiveSession,
    at: Address,
    waiting: Awaited<ReturnType<MessageService['take']>>,
  ): Promise<void> {
    const { messages, log } = this.options
    const newest = this.offers.at(at)
    // A hook gives one of them at this moment.
    if (waiting.some(({ id }) => newest.get(id)?.isTakenIn === false)) return
    const { shown: told } = messagesText(waiting, SOCKET_ROOM)
    const target = `${this.options.host.name} ${live.pid} ${live.startedAt} socket ${waiting[0]?.seq ?? 0}`
    const transcript = await transcriptOf(this.options.config, live.sessionId)
    const size = transcript === null ? 0 : (statSync(transcript, { throwIfNoEntry: false })?.size ?? 0)
    const offer: OfferPlace = { agent: live.agent, transcript, size }
    const flying = await messages.launch(OPERATOR, at, { route: 'socket', target, offer }, told)
    const given = flying.filter(({ id }) => this.claim(live, offer, at, id, newest.get(id)))
    if (given.length === 0 || live.socket === null) return
    const text = messagesText(given, SOCKET_ROOM, waiting.length - given.length).text
    const isSent = (await (await harnessNamed(live.agent).live?.())?.send(live.socket, text)) === true
    const ids = given.map(({ id }) => id)
    log.info(isSent ? 'sent messages to a socket' : 'a socket does not accept messages', { address: at, target, ids })
    if (!isSent) await messages.settle([{ target, to: at }])
  }

  /** Where hooks write files, one more tells them. */
  private claim(
    live: LiveSession,
    offer: OfferPlace,
    at: Address,
    message: MessageId,
    before: KnownOffer | undefined,
  ): boolean {
    if (this.options.config.databaseUrl !== null) return true
    const number = (before?.number ?? 0) + 1
    const by = `${live.pid}@${live.startedAt.split('@')[0]}`
    const isOurs = this.offers.take({ ...offer, route: 'socket', by, at, message }, number)
    if (isOurs) this.offers.setTakenIn({ at, message, number })
    return isOurs
  }
}
