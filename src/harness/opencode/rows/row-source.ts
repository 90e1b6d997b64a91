import { sha256Hex } from '../../../util/crypto'
import { isRecord, textOf, timeOf } from '../../json-lines/json-value'
import type { GoneRow, MessageFacts, Row } from './row-line'

/** A place that has conversations in rows: a database, or files of the same meaning. */
export interface RowSource {
  /** All sessions, cheaply. */
  sessions(): SessionSummary[]
  /**
   * Rows of a session that are not known in their version. Session first, then each message with its parts, then the to-dos.
   *
   * @param known  versions by `keyOf`
   * @param since  milliseconds: older messages and their parts are left out; `null` = all are looked at, and what is gone is reported too
   */
  rowsOf(session: string, known: ReadonlyMap<string, string>, since: number | null): Iterable<Row | GoneRow>
  /** Whether no turn of the session is under way or was broken off. */
  isSettled(session: string): boolean
}

export interface SessionSummary {
  id: string
  parentId: string | null
  /** Milliseconds. */
  created: number | null
  updated: number
  /** Differs when anything of the session's own row does. */
  signature: string
}

/** A short name of a text. */
export const shortHash = (text: string): string => sha256Hex(text).slice(0, 16)

/** What a message says of all its parts. */
export function factsOf(data: string): MessageFacts {
  const message = parsed(data)
  const model = isRecord(message.model) ? message.model : message
  return {
    role: textOf(message.role) ?? '',
    model: textOf(model.modelID) ?? null,
    created: isRecord(message.time) ? timeOf(message.time.created) : null,
    isSummary: message.summary === true,
  }
}

/** Whether a message is an answer that is over and tells tokens. */
export function hasTokens(data: string): boolean {
  const message = parsed(data)
  const isOver = isRecord(message.time) && typeof message.time.completed === 'number'
  return message.role === 'assistant' && isOver && isRecord(message.tokens)
}

/** Whether a message is one with which a turn ends. */
export function endsTurn(data: string): boolean {
  const message = parsed(data)
  const isOver = isRecord(message.time) && typeof message.time.completed === 'number'
  return message.role === 'assistant' && isOver && message.finish !== 'tool-calls'
}

function parsed(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
