import type { Observation } from '../../domain/record/observation'
import { SEARCH_LIMIT } from '../../domain/record/observation'
import { TextBudget } from '../json-lines/text'
import { activityOf, eventOf } from './event'
import { type Place, sourceOf } from './place'
import { agentAnswer, launchOf } from './subagents'
import { readTodos } from './todos'
import { addCallWords, answerOf, type Call, callIn, filesOf } from './tools'

/** A command that a person ran, past the model. */
export function readUserCall(into: Observation[], place: Place): void {
  const call = callIn(place.data)
  const budget = new TextBudget(SEARCH_LIMIT)
  addCallWords(budget, call)
  const event = eventOf(place, 'tool_call', budget.take() ?? call.name, { ...call, toolName: call.name })
  into.push(budget.isCut ? { ...event, isCut: true } : event)
  if (call.toolUseId !== undefined)
    into.push({ kind: 'tool_call', name: call.name, ...sourceOf(place), toolUseId: call.toolUseId })
}

/** A tool begins. The answer that asked for it says so too, if the CLI could write it down. */
export function readToolStart(into: Observation[], place: Place): void {
  readCall(into, place, callIn(place.data))
}

/** A tool call, with what it launches and the files that it writes. @returns whether the call is distinct from others */
export function readCall(into: Observation[], place: Place, { toolUseId, name, input }: Call): boolean {
  if (toolUseId === undefined) return false
  const launch = launchOf(name, input)
  const files = filesOf(name, input)
  into.push({
    kind: 'tool_call',
    name,
    ...sourceOf(place),
    toolUseId,
    ...(launch && { launch }),
    ...(files && { files }),
  })
  return true
}

/** What a tool answered. */
export function readToolResult(into: Observation[], place: Place): void {
  const { toolUseId, text, isError, isInterrupted, others } = answerOf(place.data)
  const words =
    text !== '' || others.length === 0 ? text : `[${others.length === 1 ? 'image' : `${others.length} images`}]`
  into.push(eventOf(place, 'tool_result', words, { toolUseId }))
  if (toolUseId !== undefined) {
    into.push({ kind: 'tool_result', isError, ...(isInterrupted && { isInterrupted }), ...sourceOf(place), toolUseId })
    into.push(...agentAnswer(place, toolUseId, text), ...readTodos(place, toolUseId))
  }
  into.push(...activityOf(place, 'working'))
}
