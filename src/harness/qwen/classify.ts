import type { JournalRef } from '../../domain/harness/harness'
import { idOf, uuidOf } from '../json-lines/json-value'

/**
 * Recognises a file by its place, which says whose it is.
 *
 *     projects/<slug>/chats/<session>.jsonl                     a session; archived ones stand in chats/archive
 *     projects/<slug>/subagents/<session>/agent-<id>.jsonl      a sub-agent
 *     projects/<slug>/subagents/<session>/agent-<id>.meta.json  what launched it, and how it ended
 */
export function classify(path: string): JournalRef | null {
  const session = uuidOf(SESSION.exec(path)?.[1])
  if (session !== undefined) return refOf('transcript', path, session, null)
  const [, parent, name, ending] = SUBAGENT.exec(path) ?? []
  const launcher = uuidOf(parent)
  const subagentId = idOf(name)
  if (launcher === undefined || subagentId === undefined) return null
  return refOf(ending === 'jsonl' ? 'subagent' : 'subagent_meta', path, launcher, subagentId)
}

const SESSION = /(?:^|[/\\])chats[/\\](?:archive[/\\])?([0-9a-fA-F-]{36})\.jsonl$/
const SUBAGENT = /(?:^|[/\\])subagents[/\\]([0-9a-fA-F-]{36})[/\\]agent-([^/\\]{1,200})\.(jsonl|meta\.json)$/

function refOf(kind: JournalRef['kind'], path: string, sessionId: string, subagentId: string | null): JournalRef {
  return { agent: 'qwen', kind, path, sessionId, subagentId }
}
