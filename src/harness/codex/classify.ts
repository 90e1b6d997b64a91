import type { JournalRef } from '../../domain/harness/harness'
import { plainPath } from '../../util/files/packed-file'
import { isRecord, parsedJson, uuidOf } from '../json-lines/json-value'
import { type Lineage, lineageOf } from './rollout/session-meta'

/**
 * Recognises a rollout by its name, and by its first line whose it is: a thread that another one launched has a file of its own, beside
 * those of the threads that persons began, and only its `session_meta` tells.
 *
 *     sessions/YYYY/MM/DD/rollout-<local time>-<thread>.jsonl
 *     archived_sessions/rollout-<local time>-<thread>.jsonl
 *     rollout-<date>-<thread>.jsonl       releases of 2025 without a folder for each day
 *     rollout-<date>-<thread>.json        the first releases: one JSON document, see `document.ts`
 *     ….jsonl.zst                         packed, see `util/files/packed-file.ts`: the journal has the name without `.zst`
 */
export function classify(path: string, head?: Uint8Array): JournalRef | null {
  const thread = threadOf(path)
  if (thread === null) return null
  if (isDocumentName(path)) return refOf(path, thread)
  if (head === undefined) return refOf(path, null)
  const lineage = lineageIn(head)
  if (lineage === 'unfinished') return null
  if (lineage === 'none' || lineage.parent === null)
    return { ...refOf(path, thread), kind: 'transcript', subagentId: null }
  const root = lineage.root === thread ? null : lineage.root
  const launched = { ...refOf(path, root ?? lineage.parent), kind: 'subagent', subagentId: thread } as const
  return root === null && lineage.depth !== 1 ? { ...launched, isByLauncher: true } : launched
}

const NAME = /(?:^|[/\\])rollout-[^/\\]{1,150}?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})\.jsonl?$/i

/** The thread that a rollout's name ends with; `null` = no rollout. */
export const threadOf = (path: string): string | null => uuidOf(NAME.exec(plainPath(path))?.[1]) ?? null

/** Whether a rollout's name is that of a document. The CLI of today does not know such a thread. */
export const isDocumentName = (path: string): boolean => path.toLowerCase().endsWith('.json')

function refOf(path: string, sessionId: string | null): JournalRef {
  return { agent: 'codex', kind: 'transcript', path: plainPath(path), sessionId, subagentId: null }
}

/** Bytes without a newline after which a first line is no longer waited for. Its beginning has all that is asked of it. */
const ENOUGH_BYTES = 8 * 1_024
const NEWLINE = 10

function lineageIn(head: Uint8Array): Lineage | 'none' | 'unfinished' {
  const end = head.indexOf(NEWLINE)
  const text = new TextDecoder().decode(end === -1 ? head : head.subarray(0, end))
  const record = parsedJson(text)
  if (isRecord(record)) return lineageOf(record) ?? 'none'
  if (end === -1 && head.byteLength < ENOUGH_BYTES) return 'unfinished'
  return lineageOfBeginning(text)
}

/** For a first line that is cut: its ids stand before its long texts. */
function lineageOfBeginning(text: string): Lineage | 'none' {
  const facts = text.slice(0, 64 * 1_024).split('"base_instructions"', 1)[0] ?? ''
  if (!/^\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":"session_meta"/.test(facts)) return 'none'
  const idAt = (key: string): string | null =>
    uuidOf(new RegExp(`"${key}":"([0-9a-fA-F-]{36})"`).exec(facts)?.[1]) ?? null
  const isLaunched = facts.includes('"source":{"subagent":')
  const named = [idAt('parent_thread_id'), ...(isLaunched ? [idAt('forked_from_id'), idAt('session_id')] : [])]
  const parent = named.find((id) => id !== null && id !== idAt('id')) ?? null
  return { parent, root: idAt('session_id'), depth: null, task: undefined }
}
