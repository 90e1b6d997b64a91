import { idOf, isRecord, type JsonRecord, textOf, timeOf } from '../../json-lines/json-value'
import { hasFailed } from './line-of'

/** An entry of what the screen showed. */
interface Entry {
  record: JsonRecord
  at: number | null
  isTold: boolean
}

/** When and how something went that a message tells. */
export interface Shown {
  at: number | null
  hasFailed: boolean
}

/**
 * What the screen of a session of 2025 showed: messages have no times, and the answer of a tool does not say whether it failed. Most
 * entries repeat what a message says.
 */
export class Screen {
  readonly #entries: Entry[]
  readonly #byWords = new Map<string, Entry[]>()
  readonly #prompts: Entry[]

  constructor(timeline: readonly unknown[]) {
    this.#entries = timeline.map((record) => ({
      record: isRecord(record) ? record : {},
      at: isRecord(record) ? timeOf(record.timestamp) : null,
      isTold: false,
    }))
    this.#prompts = this.#entries.filter(({ record }) => record.type === 'user')
    for (const entry of this.#entries) {
      const words = wordsOf(entry.record)
      if (words === undefined) continue
      const same = this.#byWords.get(words)
      if (same === undefined) this.#byWords.set(words, [entry])
      else same.push(entry)
    }
    for (const list of this.#byWords.values()) list.reverse()
    this.#prompts.reverse()
  }

  /** Finds what the screen showed of a message, once. `undefined` = nothing. */
  take(message: JsonRecord, calls: readonly string[]): Shown | undefined {
    const words = textOf(message.content)?.trim()
    const found = [
      ...(words ? [this.#takeWords(`${message.role === 'user' ? 'user' : 'copilot'} ${words}`)] : []),
      ...calls.map((call) => this.#takeWords(`tool_call_requested ${call}`)),
      ...(message.role === 'tool' ? [this.#takeWords(`tool_call_completed ${idOf(message.tool_call_id) ?? ''}`)] : []),
    ].find((entry) => entry !== undefined)
    const entry = found ?? (message.role === 'user' ? this.#nextPrompt() : undefined)
    return entry === undefined ? undefined : { at: entry.at, hasFailed: hasFailed(entry.record) }
  }

  /** The places in the list of what no message told. */
  left(): number[] {
    return this.#entries.flatMap(({ isTold }, n) => (isTold ? [] : [n]))
  }

  #takeWords(words: string): Entry | undefined {
    const entry = this.#byWords.get(words)?.pop()
    if (entry !== undefined) entry.isTold = true
    return entry
  }

  /** A prompt that the CLI added words to before the model got it. */
  #nextPrompt(): Entry | undefined {
    for (let entry = this.#prompts.pop(); entry !== undefined; entry = this.#prompts.pop())
      if (!entry.isTold) {
        entry.isTold = true
        return entry
      }
    return undefined
  }
}

function wordsOf(record: JsonRecord): string | undefined {
  const { type } = record
  if (type === 'user' || type === 'copilot')
    return `${type} ${(textOf(record.expandedText) ?? textOf(record.text) ?? '').trim()}`
  return type === 'tool_call_requested' || type === 'tool_call_completed'
    ? `${type} ${idOf(record.callId) ?? ''}`
    : undefined
}
