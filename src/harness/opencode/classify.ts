import type { JournalRef } from '../../domain/harness/harness'

/**
 * Recognises a journal of rows by its place in Lodeline's folder, see `rows/`, and the output of a run by its first bytes.
 *
 *     rows/opencode/<database>/rows/<session>/<session>.jsonl
 *     rows/opencode/<database>/rows/<session>/<session that it launched>.jsonl
 */
export function classify(path: string, head?: Uint8Array): JournalRef | null {
  const [, root, session] = PLACE.exec(path) ?? []
  if (root === undefined || session === undefined) {
    const isStream = head !== undefined && STREAM.test(new TextDecoder().decode(head.subarray(0, 65_536)))
    return isStream ? { agent: 'opencode', kind: 'stream', path, sessionId: null, subagentId: null } : null
  }
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

/** What the CLI says of itself first. */
const STREAM = /^\{"jsonrpc":"2\.0",.{1,4000}"agentInfo":\{"name":"OpenCode"/m
