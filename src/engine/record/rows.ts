import { type SessionKey, sessionKey } from '../../domain/ids'
import type { Observation } from '../../domain/observation'
import type { SubagentRow, ToolUseRow, UsageRow } from '../../domain/record-store'
import type { BatchPlace } from './batch'

type Seen<Kind extends Observation['kind']> = Extract<Observation, { kind: Kind }>

/** Filled in by the unit of work. */
const NO_SESSION: SessionKey = sessionKey(0)

export function toolUseRow(seen: Seen<'tool_call'> | Seen<'tool_result'>): ToolUseRow {
  const isCall = seen.kind === 'tool_call'
  return {
    sessionKey: NO_SESSION,
    toolUseId: seen.toolUseId,
    name: isCall ? seen.name : null,
    subagentKey: null,
    isPlaced: false,
    calledAt: isCall ? seen.at : null,
    endedAt: isCall ? null : seen.at,
    isError: isCall ? null : seen.isError,
    launch: isCall ? (seen.launch ?? null) : null,
  }
}

export function usageRow(seen: Seen<'usage'>, place: BatchPlace): UsageRow {
  return {
    sessionKey: NO_SESSION,
    messageId: seen.messageId,
    subagentKey: null,
    model: seen.model,
    at: seen.at,
    inputTokens: seen.inputTokens,
    outputTokens: seen.outputTokens,
    cacheReadTokens: seen.cacheReadTokens,
    cacheCreationTokens: seen.cacheCreationTokens,
    cacheCreation1hTokens: seen.cacheCreation1hTokens,
    webSearchCount: seen.webSearchCount,
    isMainFile: place.ref.kind === 'transcript',
  }
}

export function subagentRow(seen: Seen<'subagent'>, place: BatchPlace): SubagentRow {
  return {
    sessionKey: NO_SESSION,
    nativeId: seen.agentId,
    source: place.source,
    kind: seen.isInternal ? 'internal' : 'agent',
    link: seen.toolUseId && seen.evidence ? { toolUseId: seen.toolUseId, evidence: seen.evidence } : null,
    parentNativeId: seen.parentAgentId ?? null,
    depth: seen.depth ?? null,
    type: seen.type ?? null,
    description: seen.description ?? null,
    prompt: seen.prompt ?? null,
    model: seen.model ?? null,
    isBackground: seen.isBackground ?? null,
    outputFile: seen.outputFile ?? null,
    startedAt: seen.startedAt ?? null,
    end: seen.end ? { ...seen.end, result: seen.end.result ?? null } : null,
  }
}

export function backgroundRow(seen: Seen<'background'>, place: BatchPlace): SubagentRow {
  return {
    sessionKey: NO_SESSION,
    nativeId: seen.taskId,
    source: place.source,
    kind: seen.taskKind,
    link: seen.toolUseId ? { toolUseId: seen.toolUseId, evidence: 'tool_result' } : null,
    parentNativeId: seen.agentId,
    depth: null,
    type: null,
    description: seen.description ?? null,
    prompt: null,
    model: null,
    isBackground: true,
    outputFile: seen.outputFile ?? null,
    startedAt: seen.startedAt ?? null,
    end: seen.end ? { ...seen.end, result: seen.end.result ?? null } : null,
  }
}
