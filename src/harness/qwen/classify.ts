import type { JournalRef } from '../../domain/harness/harness'
import { idOf, uuidOf } from '../json-lines/json-value'

/**
 * Recognises a file by its place, which says whose it is; a document of 2025 by its first bytes.
 *
 *     projects/<slug>/chats/<session>.jsonl                     a session; archived ones stand in chats/archive
 *     projects/<slug>/subagents/<session>/agent-<id>.jsonl      a sub-agent
 *     projects/<slug>/subagents/<session>/agent-<id>.meta.json  what launched it, and how it ended
 *     tmp/<project>/chats/session-<minute>-<8 of the id>.json   a session of 2025; Gemini CLI's have the same form
 *     tmp/<project>/chats/<session>.jsonl                       releases between the two
 */
export function classify(path: string, head?: Uint8Array): JournalRef | null {
  const session = uuidOf(SESSION.exec(path)?.[1])
  if (session !== undefined) return refOf('transcript', path, session, null)
  if (DOCUMENT.test(path)) return documentAt(path, head)
  const [, parent, name, ending] = SUBAGENT.exec(path) ?? []
  const launcher = uuidOf(parent)
  const subagentId = idOf(name)
  if (launcher === undefined || subagentId === undefined) return null
  return refOf(ending === 'jsonl' ? 'subagent' : 'subagent_meta', path, launcher, subagentId)
}

const SESSION = /(?:^|[/\\])chats[/\\](?:archive[/\\])?([0-9a-fA-F-]{36})\.jsonl$/
const SUBAGENT = /(?:^|[/\\])subagents[/\\]([0-9a-fA-F-]{36})[/\\]agent-([^/\\]{1,200})\.(jsonl|meta\.json)$/

const DOCUMENT = /(?:^|[/\\])chats[/\\]session-[^/\\]{1,100}\.json$/
const HEADER = /^\uFEFF?\s*\{\s*"sessionId"\s*:\s*"([^"\\]{1,200})"\s*,\s*"projectHash"\s*:\s*"/

function documentAt(path: string, head: Uint8Array | undefined): JournalRef | null {
  if (head === undefined) return refOf('transcript', path, null, null)
  const text = new TextDecoder().decode(head)
  const session = idOf(HEADER.exec(text)?.[1])
  const isOurs = /[/\\]\.qwen[/\\]/.test(path) || /"type"\s*:\s*"qwen"/.test(text)
  return session !== undefined && isOurs ? refOf('transcript', path, session, null) : null
}

function refOf(
  kind: JournalRef['kind'],
  path: string,
  sessionId: string | null,
  subagentId: string | null,
): JournalRef {
  return { agent: 'qwen', kind, path, sessionId, subagentId }
}
