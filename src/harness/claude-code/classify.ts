import type { JournalKind, JournalRef } from '../../domain/harness/harness'
import { isRecord, parsedJson } from '../json-lines/json-value'

/**
 * Recognises a file of the CLI's by its place, or a stream's recording and a moved transcript by its first lines.
 *
 * Places, below any root (`~/.claude`, `CLAUDE_CONFIG_DIR`, a copy of either):
 *
 *     projects/<slug>/<session>.jsonl
 *     projects/<slug>/<session>/subagents/agent-<id>.jsonl, agent-<id>.meta.json
 *     projects/<slug>/<session>/subagents/workflows/<run>/agent-<id>.jsonl, agent-<id>.meta.json
 *     projects/<slug>/agent-<id>.jsonl      2.0.x: the session is named inside, `ParsedLines.sessionId` tells it
 *     tasks/<list>/<number>.json, todos/<session>-agent-<agent>.json
 */
export function classify(path: string, head?: Uint8Array): JournalRef | null {
  const parts = path.split(/[/\\]/)
  const name = parts.at(-1) ?? ''
  if (!isSane(name) || isForeign(parts)) return null
  if (name.endsWith('.jsonl')) return classifyLines(path, parts, name.slice(0, -'.jsonl'.length), head)
  return name.endsWith('.json') ? classifyDocument(path, parts, name.slice(0, -'.json'.length)) : null
}

/** Other agent CLIs keep files of the same names in `chats/` and `subagents/<session>/`. */
const isForeign = (parts: readonly string[]): boolean =>
  parts.at(-2) === 'chats' ||
  (parts.at(-3) === 'chats' && parts.at(-2) === 'archive') ||
  (parts.at(-3) === 'subagents' && UUID.test(parts.at(-2) ?? ''))

const NAME_LIMIT_BYTES = 200

/** Names are ids and become keys: nothing over 200 bytes, no control characters, no path steps. */
function isSane(name: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it keeps out
  if (name === '' || name.startsWith('.') || /[\u0000-\u001f\u007f]/.test(name)) return false
  return Buffer.byteLength(name) <= NAME_LIMIT_BYTES
}

const AGENT_FILE = /^agent-(.+)$/
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function refOf(kind: JournalKind, path: string, sessionId: string | null, subagentId: string | null): JournalRef {
  return { agent: 'claude-code', kind, path, sessionId, subagentId }
}

function classifyLines(path: string, parts: string[], stem: string, head: Uint8Array | undefined): JournalRef | null {
  const subagentId = AGENT_FILE.exec(stem)?.[1]
  // Only below a session's own folder: any other folder may be called "subagents" too.
  const session = parts[parts.lastIndexOf('subagents') - 1] ?? ''
  if (UUID.test(session)) {
    // A workflow's journal.jsonl beside its agents' files is no conversation.
    return subagentId === undefined ? null : refOf('subagent', path, session, subagentId)
  }
  if (subagentId !== undefined) return refOf('subagent', path, null, subagentId)
  const place = parts.length >= 3 && parts.at(-3) === 'projects'
  const kind = head === undefined ? undefined : kindOfHead(head)
  if (kind === 'stream') return refOf('stream', path, null, null)
  if (place || kind === 'transcript' || (head === undefined && UUID.test(stem)))
    // A copy under another name: its lines say whose it is.
    return refOf('transcript', path, UUID.test(stem) ? stem : null, null)
  return null
}

function classifyDocument(path: string, parts: string[], stem: string): JournalRef | null {
  const folder = parts.at(-2) ?? ''
  if (stem.endsWith('.meta')) {
    const subagentId = AGENT_FILE.exec(stem.slice(0, -'.meta'.length))?.[1]
    const session = parts[parts.lastIndexOf('subagents') - 1] ?? ''
    if (subagentId === undefined || !parts.includes('subagents')) return null
    return refOf('subagent_meta', path, UUID.test(session) ? session : null, subagentId)
  }
  if (parts.at(-3) === 'tasks' && isSane(folder)) return refOf('tasks', path, UUID.test(folder) ? folder : null, null)
  if (folder === 'todos') {
    const [session, agent] = stem.split('-agent-', 2)
    if (!session || !UUID.test(session)) return null
    return refOf('tasks', path, session, agent === undefined || agent === session ? null : agent)
  }
  return null
}

/** Bytes of a file's beginning that `classify` looks at. */
export const HEAD_BYTES = 64 * 1024
const HEAD_LINES = 40

/** What the first whole lines are: a transcript's lines name `sessionId`, a stream's `session_id`. */
function kindOfHead(head: Uint8Array): 'transcript' | 'stream' | undefined {
  const text = Buffer.from(head.buffer, head.byteOffset, Math.min(head.byteLength, HEAD_BYTES)).toString('utf8')
  for (const line of text.split('\n', HEAD_LINES)) {
    const record = parsedJson(line)
    if (!isRecord(record) || typeof record.type !== 'string') {
      // The first line may be longer than the head: then only its beginning is there to tell by.
      const kind = kindOfFragment(line)
      if (kind) return kind
      continue
    }
    if (typeof record.session_id === 'string' || record.type === 'control_response') return 'stream'
    if (typeof record.sessionId === 'string' || typeof record.leafUuid === 'string') return 'transcript'
    if (record.type === 'file-history-snapshot') return 'transcript'
  }
  return undefined
}

function kindOfFragment(line: string): 'transcript' | 'stream' | undefined {
  const start = line.slice(0, 400)
  if (/^\{"(?:parentUuid|logicalParentUuid)":/.test(start)) return 'transcript'
  if (/^\{"type":"system","subtype":"init",/.test(start)) return 'stream'
  return undefined
}
