import type { SessionId } from '../../domain/ids'
import type { ConversationEvent } from '../../domain/session/session'
import type { RecallStore } from './facts'

/** The last words of a conversation's main thread. */
export interface Exchange {
  /** What was asked last. */
  prompt: string | null
  /** What the agent said last. */
  answer: string | null
}

type MainType = 'prompt' | 'text' | 'tool_call'

const PAGE = 1_000
/** A conversation of more events than this is read no further: its end is then given as unknown. */
const MAX_PAGES = 50

/** Lists go from the oldest on, so this reads through the whole conversation: for prompts that are made once in a while. */
export async function lastExchange(store: RecallStore, session: SessionId): Promise<Exchange> {
  const [prompt, answer] = await Promise.all([last(store, session, 'prompt'), last(store, session, 'text')])
  return { prompt: prompt?.text ?? null, answer: answer?.text ?? null }
}

/** The tool that the main thread called last, with what of its input is kept; `null` when it called none. */
export async function lastToolCall(store: RecallStore, session: SessionId): Promise<string | null> {
  const call = await last(store, session, 'tool_call')
  if (call === undefined) return null
  return [call.toolName, call.text].filter((part) => part !== null && part !== '').join(': ')
}

async function last(store: RecallStore, session: SessionId, type: MainType) {
  let newest: ConversationEvent | undefined
  for await (const event of mainThread(store, session, type)) newest = event
  return newest
}

/** Whether the conversation was given this text as a prompt of its own. In doubt it was not: twice is better than never. */
export async function wasAsked(store: RecallStore, session: SessionId, text: string): Promise<boolean> {
  const whole = comparable(text)
  const beginning = whole.slice(0, COMPARED)
  for await (const event of mainThread(store, session, 'prompt')) {
    if (event.inherited) continue
    const asked = withoutNote(comparable(event.text ?? ''), beginning)
    if (whole.length > COMPARED ? asked.startsWith(beginning) : asked === whole) return true
  }
  return false
}

/** Rows keep the first 2,000 characters of a prompt, so long texts are known by their beginnings. */
const COMPARED = 200
const comparable = (text: string) => text.replace(/[\0\s]+/g, ' ').trim()

/** A note of ours in brackets may stand before the text. */
function withoutNote(prompt: string, beginning: string): string {
  const end = prompt.startsWith('[') ? prompt.indexOf(`] ${beginning}`) : -1
  return end < 0 ? prompt : prompt.slice(end + 2)
}

async function* mainThread(store: RecallStore, session: SessionId, type: MainType): AsyncGenerator<ConversationEvent> {
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
