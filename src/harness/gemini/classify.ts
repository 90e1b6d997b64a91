import type { JournalRef } from '../../domain/harness/harness'
import { idOf } from '../json-lines/json-value'

/**
 * Recognises a file by its name, and by its first bytes whose it is: the name of a session's file has the first 8 characters of its id.
 *
 *     tmp/<project>/chats/session-<minute>-<8 of the id>.jsonl   a session; of 0.61, one that was resumed has an empty second one
 *     tmp/<project>/chats/<session>/<sub-agent>.jsonl            a sub-agent
 *     tmp/<project>/chats/session-<minute>-<8 of the id>.json    a session of 2025: one JSON document
 */
export function classify(path: string, head?: Uint8Array): JournalRef | null {
  const place = placeOf(path)
  if (place === null || /[/\\]\.qwen[/\\]/.test(path)) return null
  if (head === undefined) return refOf(path, null)
  const header = headerIn(head)
  if (header === null) return null
  if (place.parent === null) return header.isSubagent ? null : refOf(path, header.sessionId)
  return header.isSubagent ? { ...refOf(path, place.parent), kind: 'subagent', subagentId: header.sessionId } : null
}

const SESSION = /(?:^|[/\\])session-[^/\\]{1,100}\.jsonl?$/
const SUBAGENT = /(?:^|[/\\])chats[/\\]([^/\\]{1,200})[/\\][^/\\]{1,200}\.jsonl$/

/** `parent`: the session of a sub-agent's file. `null` = no file of a conversation. */
function placeOf(path: string): { parent: string | null } | null {
  if (SESSION.test(path)) return { parent: null }
  const parent = idOf(SUBAGENT.exec(path)?.[1])
  return parent === undefined ? null : { parent }
}

function refOf(path: string, sessionId: string | null): JournalRef {
  return { agent: 'gemini', kind: 'transcript', path, sessionId, subagentId: null }
}

/** All that writes such a file begins it with these two fields, whatever follows. */
const HEADER = /^\uFEFF?\s*\{\s*"sessionId"\s*:\s*"([^"\\]{1,200})"\s*,\s*"projectHash"\s*:\s*"/
/** Documents of Qwen Code have the same form (2025): its replies name it. */
const QWEN = /"type"\s*:\s*"qwen"/
/** Characters of a first line in which the kind stands, if it does. */
const HEADER_LENGTH = 4_000

function headerIn(head: Uint8Array): { sessionId: string; isSubagent: boolean } | null {
  const text = new TextDecoder().decode(head.subarray(0, HEADER_LENGTH))
  const sessionId = idOf(HEADER.exec(text)?.[1])
  if (sessionId === undefined || QWEN.test(new TextDecoder().decode(head))) return null
  const line = text.split('\n', 1)[0] ?? ''
  return { sessionId, isSubagent: /,"kind":"subagent"/.test(line) }
}
