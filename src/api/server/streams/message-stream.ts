import type { Address, MessageId } from '../../../domain/ids'
import type { Message } from '../../../domain/message/message'
import type { MessageReads } from '../../../domain/message/message-store'
import type { SecretMask } from '../../../domain/secrets/mask'
import type { MessageWatch } from './message-watch'
import { pulledStream, type StreamEnd } from './pulled-stream'
import { sleepUntil } from './sleep-until'

export interface MessageStreamOptions {
  at: Address
  /** `seq` of the last message that the follower has. */
  after: number
  /** A returning follower: it hears where its newest messages are by now. */
  isBack: boolean
  /** Silence after which the address is looked at anyway, in milliseconds. */
  checkIntervalMs: number
  heartbeatMs: number
  stallMs: number
  /** Hides secrets in entries. */
  mask: SecretMask
  signal: AbortSignal
  onEnd: (why: StreamEnd, error?: unknown) => void
}

/** Messages of one chunk, which is all that a stalled reader holds of the server's memory beside its socket. */
const PAGE_MESSAGES = 50
/** How many messages a returning follower hears of again. */
const MAX_REPEATED = 200
/** Changes that are kept for a slow reader. A reader further behind is disconnected and starts again. */
const MAX_CHANGES = 10_000

/**
 * Messages for an address, as server-sent events: `message` with its `seq` as the id, then `update` without one whenever a message that was
 * sent moved on. Several changes of one message before the next chunk go as one.
 */
export function messageStream(
  messages: Pick<MessageReads, 'list' | 'find' | 'newest'>,
  watch: Pick<MessageWatch, 'join'>,
  options: MessageStreamOptions,
): ReadableStream<Uint8Array> {
  const { at, checkIntervalMs: lookMs, heartbeatMs } = options
  let { after } = options
  let spokeAt = performance.now()
  let isBack = options.isBack
  let isStale = true
  let changed = new Set<MessageId>()
  let woken = Promise.withResolvers<void>()
  const { ready, leave } = watch.join(at, {
    changed({ id, status }) {
      if (status === 'produced') isStale = true
      changed.add(id)
      if (changed.size > MAX_CHANGES) pulled.end()
      woken.resolve()
    },
    end: () => pulled.end(),
  })

  async function next(over: AbortSignal): Promise<string | null> {
    await ready()
    while (!over.aborted) {
      woken = Promise.withResolvers()
      const text = (await newer()) + (isBack ? await newestMessages() : await updates())
      isBack = false
      if (text !== '') return speak(text)
      if (isStale || changed.size > 0) continue
      await sleepUntil(woken.promise, lookMs, over)
      // What a lost wake-up hides is found by looking.
      isStale = true
      if (performance.now() - spokeAt >= heartbeatMs) return speak(':\n\n')
    }
    return null
  }

  async function newer(): Promise<string> {
    if (!isStale) return ''
    isStale = false
    const before = changed
    changed = new Set()
    const { rows, nextCursor } = await messages.list({ to: at, after }, { limit: PAGE_MESSAGES })
    isStale ||= nextCursor !== null
    // Entries of now show what was read; what changed meanwhile comes again.
    for (const { id } of rows) before.delete(id)
    for (const id of before) changed.add(id)
    after = rows.at(-1)?.seq ?? after
    return rows.map((row) => `id: ${row.seq}\n${frame('message', row)}`).join('')
  }

  /** Messages that were sent; a change of a later one goes with it. */
  async function updates(): Promise<string> {
    let text = ''
    for (const id of [...changed].slice(0, PAGE_MESSAGES)) {
      changed.delete(id)
      const message = await messages.find(id)
      if (message !== undefined && message.seq <= after) text += frame('update', message)
    }
    return text
  }

  async function newestMessages(): Promise<string> {
    const newest = await messages.newest(at, options.after, MAX_REPEATED)
    return newest.map((message) => frame('update', message)).join('')
  }

  function speak(text: string): string {
    spokeAt = performance.now()
    return text
  }

  const pulled = pulledStream({
    mask: options.mask,
    first: `retry: 1000\nid: ${after}\n\n`,
    next,
    stallMs: options.stallMs,
    signal: options.signal,
    onEnd(why, error) {
      leave()
      options.onEnd(why, error)
    },
  })
  return pulled.stream
}

const frame = (event: 'message' | 'update', message: Message): string =>
  `event: ${event}\ndata: ${JSON.stringify(message)}\n\n`
