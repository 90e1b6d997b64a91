import { issueWords } from '../../domain/issue/issue-mention'
import type { Observation } from '../../domain/record/observation'
import { SEARCH_LIMIT } from '../../domain/record/observation'
import { textOf } from '../json-lines/json-value'
import { clip, TextBudget, titleOf } from '../json-lines/text'
import { activityOf } from './activity'
import { planInCode } from './code-plan'
import { answerShown, launchOf, noticeOf, spawnAnswer, waitAnswer } from './collaboration'
import { filesIn } from './content/patch'
import { FINAL_ANSWER, folderIn, messageType, promptWords, textsOf, thinkingOf } from './message'
import { PLAN_TOOL, planOf } from './plan'
import { eventOf } from './rollout/event'
import { type Place, sourceOf } from './rollout/place'
import { ASKING_TOOLS, addCallWords, answerOf, type Call, callOf } from './tools'

/** Adds what a `response_item` says: what the model was sent, or what it answered. */
export function readItem(into: Observation[], place: Place): void {
  const { payload, inner } = place
  const call = callOf(payload)
  if (call !== undefined) readCall(into, place, call)
  else if (answerOf(payload) !== undefined) readAnswer(into, place)
  else if (inner === 'message') readMessage(into, place)
  else if (inner === 'agent_message') readAgentMessage(into, place)
  else if (inner === 'reasoning') into.push(eventOf(place, 'thinking', thinkingOf(payload) || '[thinking]'))
}

function readMessage(into: Observation[], place: Place): void {
  const texts = textsOf(place.payload.content)
  const type = messageType(textOf(place.payload.role), texts)
  const event = eventOf(place, type, texts.join('\n'))
  into.push(type === 'text' && place.payload.phase === 'final_answer' ? { ...event, isFinal: true } : event)
  if (type === 'notice') into.push(...noticeOf(texts.join('\n'), place))
  if (place.subagentId !== null || place.carry.copyUntil !== null) return
  // Where no line ends a turn, the last words do: a call after them says that it goes on.
  if (type === 'text') into.push(activityOf(place, place.carry.tellsTurns ? 'working' : 'idle', 'text'))
  if (type === 'prompt') readPrompt(into, place, promptWords(texts))
  const cwd = place.carry.bareSince === null ? undefined : folderIn(texts)
  if (cwd !== undefined) into.push({ kind: 'session', uuid: place.uuid, at: place.at, cwd: clip(cwd, 4_000) })
}

function readPrompt(into: Observation[], place: Place, prompt: string): void {
  const { uuid, at } = place
  into.push(activityOf(place, 'working', 'prompt'))
  const title = titleOf(prompt)
  if (title !== undefined) into.push({ kind: 'session', uuid, at, title: { text: title, source: 'prompt' } })
  const words = issueWords(prompt)
  if (words.length > 0) into.push({ kind: 'mention', uuid, at, source: 'prompt', place: uuid, words })
}

/** What one agent says to another: to a sub-agent it is its prompt, to the main thread news. */
function readAgentMessage(into: Observation[], place: Place): void {
  const text = textsOf(place.payload.content).join('\n')
  into.push(eventOf(place, place.subagentId === null ? 'notice' : 'prompt', text))
  if (text.startsWith(FINAL_ANSWER) && place.carry.copyUntil === null) into.push(...answerShown(place))
}

function readCall(into: Observation[], place: Place, call: Call): void {
  const { name, input } = call
  // Many releases write calls of the provider's own without an id.
  const toolUseId = call.toolUseId ?? (isAnswered(place.inner) ? place.uuid : undefined)
  const budget = new TextBudget(SEARCH_LIMIT)
  addCallWords(budget, call)
  const event = eventOf(place, 'tool_call', budget.take() ?? name, { toolUseId, toolName: name })
  into.push(budget.isCut ? { ...event, isCut: true } : event)
  if (toolUseId !== undefined && place.carry.copyUntil === null) {
    const source = { ...sourceOf(place), toolUseId }
    const launch = launchOf(name, input)
    const files = filesIn(input)
    into.push({ kind: 'tool_call', name, ...source, ...(launch && { launch }), ...(files && { files }) })
    const plan = planOf(name === PLAN_TOOL ? input : planInCode(call))
    if (plan !== undefined) into.push({ kind: 'todo', ...source, change: plan })
    // The provider itself searches and draws: no line answers.
    if (isAnswered(place.inner)) into.push({ kind: 'tool_result', isError: false, ...source })
  }
  if (place.subagentId === null && place.carry.copyUntil === null)
    into.push(activityOf(place, ASKING_TOOLS.has(name) ? 'waiting' : 'working', name))
}

const isAnswered = (inner: string | undefined): boolean =>
  inner === 'web_search_call' || inner === 'image_generation_call'

function readAnswer(into: Observation[], place: Place): void {
  const answer = answerOf(place.payload)
  if (answer === undefined) return
  const { toolUseId, text, isError, isInterrupted, others } = answer
  const words =
    text !== '' || others.length === 0 ? text : `[${others.length === 1 ? 'image' : `${others.length} images`}]`
  into.push(eventOf(place, 'tool_result', words, { toolUseId }))
  if (place.carry.copyUntil !== null) return
  if (toolUseId !== undefined) {
    into.push({ kind: 'tool_result', isError, ...(isInterrupted && { isInterrupted }), ...sourceOf(place), toolUseId })
    if (!isError) into.push(...spawnAnswer(text, { ...place, toolUseId }), ...waitAnswer(text, place))
  }
  if (place.subagentId === null) into.push(activityOf(place, 'working', 'tool_result'))
}
