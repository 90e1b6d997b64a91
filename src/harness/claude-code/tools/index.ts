import type { Observation } from '../../../domain/record/observation'
import { isRecord } from '../../json-lines/json-value'
import { resultText } from '../content/content'
import { agentAnswer, agentAnswerText, isLaunchText } from './agent'
import { backgroundAnswer, backgroundAnswerText, stoppedAnswerText } from './background'
import { outputRead } from './output-read'
import type { ToolPlace } from './place'
import { todoAnswer, todoAnswerText, todoCall, todoObservation } from './todo'
import { UNKNOWN_AGENT, UNKNOWN_TASK, unknownForm } from './unknown-form'

export type { ToolPlace } from './place'

/** Tools whose calls ask a person for something: the session waits until they are answered. */
export const ASKING_TOOLS: ReadonlySet<string> = new Set(['AskUserQuestion', 'ExitPlanMode'])

/** What a tool call says besides that it was made. */
export function readCall(name: string, input: unknown, place: ToolPlace): Observation[] {
  const change = todoCall(name, input)
  return change ? [todoObservation(place, change)] : []
}

/**
 * What a tool's answer says besides that it came.
 *
 * @param answer    the structured answer (`toolUseResult`, `tool_use_result`, `tool_response`); `undefined` when there is none.
 * @param content   the answer as the model sees it.
 * @param evidence  what ends are said to be known from.
 */
export function readAnswer(answer: unknown, content: unknown, place: ToolPlace, evidence: string): Observation[] {
  if (isRecord(answer)) {
    const change = todoAnswer(answer)
    if (change) return [todoObservation(place, change)]
    const found = agentAnswer(answer, place, evidence) ?? backgroundAnswer(answer, place, evidence)
    if (found) return [withOutputFile(found, content, place, evidence), ...unknownForm(answer, found)]
    const look = outputRead(answer, place)
    return look ? [look] : unknownForm(answer, undefined)
  }
  if (answer !== undefined) return []
  const agent = agentAnswerText(content, place, evidence)
  if (agent) return [agent]
  if (isLaunchText(content)) return [UNKNOWN_AGENT]
  const text = typeof content === 'string' ? content.slice(0, 2_000) : resultText(content, 2_000)
  if (text === undefined) return []
  const change = todoAnswerText(text)
  if (change) return [todoObservation(place, change)]
  if (typeof content !== 'string') return []
  const task = backgroundAnswerText(text, place, evidence) ?? stoppedAnswerText(text, place, evidence)
  if (task) return [task]
  return text.startsWith('Command running in background') ? [UNKNOWN_TASK] : []
}

/** A shell's structured answer leaves out where its output goes; the words beside it say so. */
function withOutputFile(found: Observation, content: unknown, place: ToolPlace, evidence: string): Observation {
  if (found.kind !== 'background' || found.outputFile !== undefined || typeof content !== 'string') return found
  const said = backgroundAnswerText(content.slice(0, 2_000), place, evidence)
  if (said?.kind !== 'background' || said.taskId !== found.taskId || said.outputFile === undefined) return found
  return { ...found, outputFile: said.outputFile }
}
