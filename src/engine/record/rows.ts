import { credibleUsage } from '../../domain/cost/usage'
import type { JournalRef } from '../../domain/harness/harness'
import { type SessionKey, sessionKey } from '../../domain/ids'
import type { Observation, RunEnd } from '../../domain/record/observation'
import type { SubagentRow, ToolUseRow, UsageRow } from '../../domain/record/record-store'
import { MARK_RESULT_LIMIT, OUTPUT_LOOK, type SubagentMark, WHOLE_LOOK } from '../../domain/subagent/subagent-run'
import type { TodoFoldOptions } from '../../domain/todo/todo-step'

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
    isInterrupted: !isCall && seen.isInterrupted === true,
    launch: isCall ? (seen.launch ?? null) : null,
    files: isCall ? (seen.files ?? null) : null,
  }
}

export function usageRow(seen: Seen<'usage'>, place: BatchPlace): UsageRow {
  return {
    sessionKey: NO_SESSION,
    messageId: seen.messageId,
    subagentKey: null,
    model: seen.model,
    at: seen.at,
    ...credibleUsage(seen),
    isMainFile: place.ref.kind === 'transcript',
  }
}

export function subagentRow(seen: Seen<'subagent'>, place: BatchPlace): SubagentRow {
  return {
    sessionKey: NO_SESSION,
    nativeId: seen.subagentId,
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
    reportedTokens: seen.reportedTokens ?? null,
    startedAt: seen.startedAt ?? null,
    end: endOf(seen.end),
    marks: marksOf(seen, place),
  }
}

export function backgroundRow(seen: Seen<'background'>, place: BatchPlace): SubagentRow {
  return {
    sessionKey: NO_SESSION,
    nativeId: seen.taskId,
    source: place.source,
    kind: seen.taskKind,
    link: seen.toolUseId ? { toolUseId: seen.toolUseId, evidence: 'tool_result' } : null,
    parentNativeId: seen.subagentId,
    depth: null,
    type: null,
    description: seen.description ?? null,
    prompt: null,
    model: null,
    isBackground: true,
    outputFile: seen.outputFile ?? null,
    reportedTokens: null,
    startedAt: seen.startedAt ?? null,
    end: endOf(seen.end),
    marks: marksOf(seen, place),
  }
}

function endOf(end: RunEnd | undefined): SubagentRow['end'] {
  return end ? { status: end.status, at: end.at, evidence: end.evidence, result: end.result ?? null } : null
}

/** What an observation says about runs. */
function marksOf(seen: Seen<'subagent'> | Seen<'background'>, place: BatchPlace): SubagentMark[] {
  const { startedAt, end, run } = seen
  const call = { toolUseId: run?.toolUseId ?? null, trigger: run?.trigger ?? ('unknown' as const) }
  const marks: SubagentMark[] = []
  if (startedAt !== undefined || run?.isStart) {
    const evidence = run?.evidence ?? (place.source === 0 ? 'hook:start' : 'line:start')
    const none = { seenAt: null, status: null, result: null, line: null }
    marks.push({ kind: 'start', at: startedAt ?? null, evidence, ...call, ...none })
  }
  if (end)
    marks.push({
      kind: 'end',
      at: end.at,
      seenAt: end.seenAt ?? null,
      status: end.status,
      evidence: end.evidence,
      ...call,
      result: end.result === undefined ? null : clipped(end.result),
      line: end.isShown ? seen.uuid : null,
    })
  // Reports no end, and is shown to the reader.
  if (seen.look)
    marks.push({
      kind: 'end',
      at: null,
      seenAt: seen.look.at,
      status: null,
      evidence: seen.look.isWhole ? WHOLE_LOOK : OUTPUT_LOOK,
      toolUseId: null,
      trigger: 'unknown',
      result: null,
      line: seen.uuid,
    })
  return marks
}

function clipped(text: string): string {
  const cut = text.slice(0, MARK_RESULT_LIMIT)
  return cut.isWellFormed() ? cut : cut.slice(0, -1)
}

/** Where a batch of observations of one session was read. */
export interface BatchPlace {
  ref: JournalRef
  sessionId: string
  /** Lines with a uuid that are older were copied from the parent; 0 = none were. */
  ownFromAt: number
  /** A line's word (1) outweighs a hook's (0). */
  source: 0 | 1
  /** How lists of to-dos are folded. */
  todos?: TodoFoldOptions | undefined
  /** Whether search finds what tools gave out. Default: it does. */
  indexesOutput?: boolean | undefined
}
