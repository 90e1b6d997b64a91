import type { JournalRef } from '../../domain/harness/harness'
import type { Observation } from '../../domain/record/observation'
import { idOf, isRecord } from '../json-lines/json-value'
import { documentKind } from './kinds'
import { isInternalAgentId } from './notification'
import { subagentTexts } from './tools/agent'

/** A file that is being written may be half there: it is read again when it changes, so half a file says nothing. */
export function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
  } catch {
    return undefined
  }
}

const DEPTH_LIMIT = 100

/** `agent-<id>.meta.json`: the exact link from a sub-agent to the tool call that launched it. */
export function readMetaFile(bytes: Uint8Array, ref: JournalRef): Observation[] {
  const meta = parseJson(bytes)
  const { subagentId } = ref
  if (subagentId === null || !isRecord(meta)) return [documentKind('meta', false)]
  if (isInternalAgentId(subagentId)) {
    return [documentKind('meta', true), { kind: 'subagent', uuid: null, subagentId, isInternal: true }]
  }
  const toolUseId = idOf(meta.toolUseId)
  const parentAgentId = idOf(meta.parentAgentId)
  const depth = meta.spawnDepth
  return [
    documentKind('meta', true),
    {
      kind: 'subagent',
      uuid: null,
      subagentId,
      ...(toolUseId !== undefined && { toolUseId, evidence: 'meta' as const }),
      ...(parentAgentId !== undefined && { parentAgentId }),
      ...(typeof depth === 'number' && Number.isInteger(depth) && depth > 0 && depth <= DEPTH_LIMIT && { depth }),
      ...subagentTexts({ type: meta.agentType, description: meta.description, model: meta.model }),
      // It shows that the agent's last run is over, neither when nor how; other evidence shows a failure.
      ...(meta.finished === true && { end: { status: 'completed' as const, at: null, evidence: 'meta:finished' } }),
    },
  ]
}
