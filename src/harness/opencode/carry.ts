import { isRecord, listOf, uuidOf } from '../json-lines/json-value'

/** What earlier lines of a journal say about later ones. */
export interface Carry {
  /** The event before: a journal is one chain. */
  lastUuid: string | null
  /** Calls in the chain that have no answer yet. */
  openCalls: string[]
}

/** Calls that a model makes at once are a few. */
const OPEN_LIMIT = 100

export function readCarry(text: string | null | undefined): Carry {
  try {
    const read: unknown = JSON.parse(text ?? 'null')
    if (!isRecord(read)) return { lastUuid: null, openCalls: [] }
    return {
      lastUuid: uuidOf(read.lastUuid) ?? null,
      openCalls: listOf(read.openCalls).flatMap((uuid) => uuidOf(uuid) ?? []),
    }
  } catch {
    return { lastUuid: null, openCalls: [] }
  }
}

export const writeCarry = ({ lastUuid, openCalls }: Carry): string | null =>
  lastUuid === null ? null : JSON.stringify({ lastUuid, ...(openCalls.length > 0 && { openCalls }) })

/**
 * Goes on behind the events of a line. A call comes again with its answer: what was said meanwhile, as by a person who did not wait, is
 * what the model reads next, and the chain goes on from there.
 */
export function follow(carry: Carry, events: readonly { uuid: string; type: string }[]): void {
  const last = events.at(-1)
  if (last === undefined) return
  const call = events.find(({ type }) => type === 'tool_call')
  const isOpen = call !== undefined && carry.openCalls.includes(call.uuid)
  if (!isOpen || carry.lastUuid === call?.uuid) carry.lastUuid = last.uuid
  if (call === undefined) return
  const isAnswered = last.uuid !== call.uuid
  if (isAnswered) carry.openCalls = carry.openCalls.filter((uuid) => uuid !== call.uuid)
  else if (!isOpen) carry.openCalls = [...carry.openCalls, call.uuid].slice(-OPEN_LIMIT)
}
