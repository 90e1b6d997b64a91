import type { JournalRef } from '../../domain/harness/harness'

/**
 * Recognises a journal of rows by its place in Lodeline's folder; see `rows/`.
 *
 *     rows/opencode/<database>/rows/<session>/<session>.jsonl
 *     rows/opencode/<database>/rows/<session>/<session that it launched>.jsonl
 */
export function classify(path: string): JournalRef | null {
  const [, root, session] = PLACE.exec(path) ?? []
  if (root === undefined || session === undefined) return null
  const isOwn = root === session
  return {
    agent: 'opencode',
    kind: isOwn ? 'transcript' : 'subagent',
    path,
    sessionId: root,
    subagentId: isOwn ? null : session,
  }
}

const PLACE =
  /[/\\]rows[/\\]opencode[/\\](?:[^/\\]{1,200}[/\\]){1,3}?([A-Za-z0-9_-]{1,120})[/\\]([A-Za-z0-9_-]{1,120})\.jsonl$/
