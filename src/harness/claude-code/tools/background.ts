import type { BackgroundObservation, Observation } from '../../../domain/record/observation'
import type { JsonRecord } from '../../json-lines/json-value'
import { idOf, recordOf, textOf } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'
import { endStatusOf, isAgentTaskId, taskKindOf } from '../notification'
import type { ToolPlace } from './place'

const started = (at: number | null): { startedAt?: number } => (at === null ? {} : { startedAt: at })

/**
 * What a tool's answer says about background shells and monitors, told by its shape: Bash in the background, Monitor,
 * KillShell and TaskStop, BashOutput and TaskOutput.
 */
export function backgroundAnswer(answer: JsonRecord, place: ToolPlace, evidence: string): Observation | undefined {
  const shell = idOf(answer.backgroundTaskId)
  if (shell !== undefined) return launched(shell, 'shell', place, evidence)
  const monitor = idOf(answer.taskId)
  if (monitor !== undefined && typeof answer.persistent === 'boolean')
    return launched(monitor, 'monitor', place, evidence)
  return stopped(answer, place, evidence) ?? lookedAt(answer, place, evidence)
}

function launched(
  taskId: string,
  taskKind: 'shell' | 'monitor',
  place: ToolPlace,
  evidence: string,
): BackgroundObservation {
  return {
    kind: 'background',
    uuid: place.uuid,
    taskId,
    taskKind,
    toolUseId: place.toolUseId,
    subagentId: place.subagentId,
    run: { toolUseId: place.toolUseId, trigger: 'launch', isStart: true, evidence },
    ...started(place.at),
  }
}

/** KillShell `{message, shell_id}`, TaskStop `{message, task_id, task_type}`. */
function stopped(answer: JsonRecord, place: ToolPlace, evidence: string): Observation | undefined {
  if (typeof answer.message !== 'string') return undefined
  const taskId = idOf(answer.shell_id ?? answer.task_id)
  if (taskId === undefined) return undefined
  const kind = answer.shell_id === undefined ? (taskKindOf(textOf(answer.task_type)) ?? kindById(taskId)) : 'shell'
  return ended(taskId, kind, { status: 'killed', at: place.at, evidence }, place)
}

/** BashOutput `{shellId, status, exitCode}`, TaskOutput `{retrieval_status, task: {task_id, task_type, status, exitCode}}`. */
function lookedAt(answer: JsonRecord, place: ToolPlace, evidence: string): Observation | undefined {
  const task = recordOf(answer.task) ?? answer
  const taskId = idOf(task.task_id ?? task.shellId)
  const status = endStatusOf(task.status)
  if (taskId === undefined || !status) return undefined
  const kind = task.shellId === undefined ? (taskKindOf(textOf(task.task_type)) ?? kindById(taskId)) : 'shell'
  // The look says that it has ended, not when.
  const seenAt = place.at === null ? {} : { seenAt: place.at }
  return ended(taskId, kind, { status, at: null, evidence, isShown: true, ...seenAt }, place)
}

const kindById = (taskId: string): 'agent' | 'shell' => (isAgentTaskId(taskId) ? 'agent' : 'shell')

function ended(
  taskId: string,
  kind: 'agent' | 'shell' | 'monitor',
  end: NonNullable<BackgroundObservation['end']>,
  place: ToolPlace,
): Observation {
  if (kind === 'agent') return { kind: 'subagent', uuid: place.uuid, subagentId: taskId, end }
  // The node that stops a task or looks at it need not be the one that launched it.
  return { kind: 'background', uuid: place.uuid, taskId, taskKind: kind, subagentId: null, end }
}

/** A task that was stopped, from the answer's words. */
export function stoppedAnswerText(text: string, place: ToolPlace, evidence: string): Observation | undefined {
  const taskId = idOf(/^\{"message":"Successfully stopped task: ([\w.-]{1,200}) /.exec(text)?.[1])
  if (taskId === undefined) return undefined
  return ended(taskId, kindById(taskId), { status: 'killed', at: place.at, evidence }, place)
}

/** A shell that went to the background, from the answer's words, for lines that carry nothing else (sub-agents' files). */
export function backgroundAnswerText(
  text: string,
  place: ToolPlace,
  evidence: string,
): BackgroundObservation | undefined {
  const found =
    /^Command (?:running in background|was manually backgrounded by user) with ID: (\w{1,60})(?:\. Output is being written to: (\S{1,1000}?)(?:\. You|$|\s))?/.exec(
      text,
    )
  const taskId = idOf(found?.[1])
  if (taskId === undefined) return undefined
  const outputFile = found?.[2]
  return { ...launched(taskId, 'shell', place, evidence), ...(outputFile && { outputFile: clip(outputFile, 1_000) }) }
}
