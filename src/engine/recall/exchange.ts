import type { SessionId } from '../../domain/ids'
import type { ConversationEvent } from '../../domain/session'
import type { RecallStore } from './facts'

/** The last words of a conversation's main thread. */
export interface Exchange {
  /** What was asked last. */
  prompt: string | null
  /** What the agent said last. */
  answer: string | null
}

const PAGE = 1_000
/** A conversation of more events than this is read no further: its end is then given as unknown. */
const MAX_PAGES = 50

/** Lists go from the oldest on, so this reads through the whole conversation: for prompts that are made once in a while. */
export async function lastExchange(store: RecallStore, session: SessionId): Promise<Exchange> {
  const [prompt, answer] = await Promise.all([last(store, session, 'prompt'), last(store, session, 'text')])
  return { prompt: prompt?.text ?? null, answer: answer?.text ?? null }
}

async function last(store: RecallStore, session: SessionId, type: 'prompt' | 'text') {
  let newest: ConversationEvent | undefined
  for await (const event of mainThread(store, session, type)) newest = event
  return newest
}

/** Whether the conversation was given this text as a prompt of its own, by its beginning. */
export async function wasAsked(store: RecallStore, session: SessionId, text: string): Promise<boolean> {
  const beginning = comparable(text).slice(0, 200)
  for await (const event of mainThread(store, session, 'prompt'))
    if (!event.inherited && comparable(event.text ?? '').includes(beginning)) return true
  return false
}

/** Rows keep the first 2,000 characters of a prompt; a line of ours may stand before the text. */
const comparable = (text: string) => text.replace(/[\0\s]+/g, ' ').trim()

async function* mainThread(
  store: RecallStore,
  session: SessionId,
  type: 'prompt' | 'text',
): AsyncGenerator<ConversationEvent> {
  let cursor: string | undefined
  for (let page = 0; page < MAX_PAGES; page++) {
    const { rows, nextCursor } = await store.events.list(
      { sessionId: session, type, parentToolUseId: null },
      { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) },
    )
    yield* rows
    if (nextCursor === null) return
    cursor = nextCursor
  }
}
