import type { Observation, RunSeen, SubagentObservation } from '../../../domain/record/observation'
import { GONE } from '../../../domain/subagent/subagent-run'
import type { JsonRecord } from '../../json-lines/json-value'
import { idOf, listOf, recordOf, textOf, timeOf } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'
import { endStatusOf, isAgentTaskId, isGoneSummary, taskKindOf } from '../notification'
import { subagentTexts } from '../tools/agent'

/**
 * What a stream's `system/task_…` and `system/background_tasks_changed` lines say about sub-agents and background work.
 *
 * A command in the foreground that takes some seconds is announced as a task too: a shell only counts when the line says
 * that it is in the background.
 */
export function readTaskLine(subtype: string, record: JsonRecord): Observation[] {
  if (subtype === 'background_tasks_changed') return listOf(record.tasks).slice(0, 1_000).flatMap(runningTask)
  const taskId = idOf(record.task_id)
  if (taskId === undefined) return []
  const kind = taskKindOf(textOf(record.task_type)) ?? (isAgentTaskId(taskId) ? 'agent' : undefined)
  if (subtype === 'task_started') {
    if (kind === 'agent') return [startedAgent(taskId, record)]
    if (kind === undefined || record.is_backgrounded !== true) return []
    const task = backgroundTask(taskId, kind, record)
    return [{ ...task, run: { ...task.run, isStart: true, evidence: 'stream:task_started' } }]
  }
  if (subtype === 'task_updated') return kind === 'agent' ? updatedAgent(taskId, recordOf(record.patch) ?? {}) : []
  if (subtype === 'task_notification') return kind === 'agent' ? endedAgent(taskId, record) : endedShell(taskId, record)
  return []
}

function startedAgent(subagentId: string, record: JsonRecord): SubagentObservation {
  const toolUseId = idOf(record.tool_use_id)
  const parentAgentId = idOf(record.parent_task_id)
  const depth = record.spawn_depth
  return {
    kind: 'subagent',
    uuid: null,
    subagentId,
    ...(toolUseId !== undefined && { toolUseId, evidence: 'task_started' as const }),
    ...(parentAgentId !== undefined && { parentAgentId }),
    ...(typeof depth === 'number' && Number.isInteger(depth) && depth > 0 && depth <= 100 && { depth }),
    ...subagentTexts({ type: record.subagent_type, description: record.description, prompt: record.prompt }),
    ...(typeof record.is_backgrounded === 'boolean' && { isBackground: record.is_backgrounded }),
    run: { ...runOf(toolUseId), isStart: true, evidence: 'stream:task_started' },
  }
}

/** A task's lines name the call that began this run of it. */
const runOf = (toolUseId: string | undefined): RunSeen => ({
  trigger: 'unknown',
  ...(toolUseId !== undefined && { toolUseId }),
})

function updatedAgent(subagentId: string, patch: JsonRecord): Observation[] {
  const status = endStatusOf(patch.status)
  const isBackground = patch.is_backgrounded === true
  if (!status && !isBackground) return []
  return [
    {
      kind: 'subagent',
      uuid: null,
      subagentId,
      ...(isBackground && { isBackground }),
      ...(status && { end: { status, at: timeOf(patch.end_time), evidence: 'stream:task_updated' } }),
    },
  ]
}

function endedAgent(subagentId: string, record: JsonRecord): Observation[] {
  const status = endStatusOf(record.status)
  const isGone = isGoneSummary(textOf(record.summary) ?? '')
  const toolUseId = idOf(record.tool_use_id)
  return [
    {
      kind: 'subagent',
      uuid: null,
      subagentId,
      ...(toolUseId !== undefined && { toolUseId, evidence: 'notification' as const }),
      ...subagentTexts({ outputFile: record.output_file }),
      run: runOf(toolUseId),
      ...(status && {
        end: { status: isGone ? 'killed' : status, at: null, evidence: isGone ? GONE : 'stream:task_notification' },
      }),
    },
  ]
}

/** Only work in the background has an output file. */
function endedShell(taskId: string, record: JsonRecord): Observation[] {
  const status = endStatusOf(record.status)
  const outputFile = textOf(record.output_file)
  if (!status || !outputFile) return []
  const isMonitor = textOf(record.summary)?.startsWith('Monitor "') === true
  const task = backgroundTask(taskId, isMonitor ? 'monitor' : 'shell', record)
  return [{ ...task, end: { status, at: null, evidence: 'stream:task_notification' } }]
}

function backgroundTask(taskId: string, taskKind: 'shell' | 'monitor', record: JsonRecord) {
  const toolUseId = idOf(record.tool_use_id)
  const description = textOf(record.description)
  const outputFile = textOf(record.output_file)
  return {
    kind: 'background' as const,
    uuid: null,
    taskId,
    taskKind,
    subagentId: null,
    ...(toolUseId !== undefined && { toolUseId }),
    run: runOf(toolUseId),
    ...(description && { description: clip(description, 1_000) }),
    ...(outputFile && { outputFile: clip(outputFile, 4_000) }),
  }
}

/** An entry of the lists of what runs in the background: a stream's `background_tasks_changed`, the Stop hook's `background_tasks`. */
export function runningTask(entry: unknown): Observation[] {
  const task = recordOf(entry)
  const taskId = idOf(task?.task_id ?? task?.id)
  const kind = taskKindOf(textOf(task?.task_type ?? task?.type))
  if (!task || taskId === undefined || kind === undefined) return []
  if (kind !== 'agent') return [backgroundTask(taskId, kind, { description: task.description })]
  const texts = subagentTexts({ type: task.agent_type, description: task.description })
  return [{ kind: 'subagent', uuid: null, subagentId: taskId, isBackground: true, ...texts }]
}
