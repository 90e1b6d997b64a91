import { issueWords } from '../../domain/issue/issue-mention'
import type { Observation } from '../../domain/record/observation'
import { SEARCH_LIMIT } from '../../domain/record/observation'
import { idOf, recordOf, textOf } from '../json-lines/json-value'
import { TextBudget, titleOf } from '../json-lines/text'
import { checklistOf } from './checklist'
import { activityOf, eventOf } from './event'
import type { Place } from './place'
import { readModel } from './session-lines'
import { noticeOf, subagentTurn, subagentTurnEnd } from './subagents'
import { readCall } from './tool-lines'
import { ASKING_TOOLS, addCallWords, callsOf } from './tools'

/** What somebody says to the agent: a person, the agent that launched it, or the CLI under a person's name. */
export function readUserMessage(into: Observation[], place: Place): void {
  const { data, uuid, at, subagentId } = place
  const text = textOf(data.content) ?? ''
  const source = textOf(data.source)
  const isOfAgent = source?.startsWith('agent-') === true
  const isPrompt = source === undefined || source === 'user' || (isOfAgent && subagentId !== null)
  into.push(eventOf(place, isPrompt ? 'prompt' : isOfAgent ? 'notice' : 'attachment', text))
  into.push(...subagentTurn(place), ...activityOf(place, 'working'))
  if (!isPrompt || subagentId !== null) return
  const prompt = text.slice(0, 4_000).trim()
  const title = titleOf(prompt)
  if (title !== undefined) into.push({ kind: 'session', uuid, at, title: { text: title, source: 'prompt' } })
  const words = issueWords(prompt)
  if (words.length > 0) into.push({ kind: 'mention', uuid, at, source: 'prompt', place: uuid, words })
}

/** An answer of the model: words, thinking and calls in one line. */
export function readAssistantMessage(into: Observation[], place: Place): void {
  const { data } = place
  readModel(into, place, data.model)
  const content = textOf(data.content) ?? ''
  const calls = callsOf(data)
  if (calls.length === 0) {
    const thinking = textOf(data.reasoningText) ?? ''
    const isText = content !== '' || thinking === ''
    into.push({ ...eventOf(place, isText ? 'text' : 'thinking', isText ? content : thinking), isFinal: true })
    // An answer without calls ends the turn.
    into.push(...subagentTurnEnd(place, content), ...activityOf(place, 'idle'))
    return
  }
  const budget = new TextBudget(SEARCH_LIMIT)
  budget.addLine(content)
  for (const call of calls) addCallWords(budget, call)
  const [first] = calls
  const event = eventOf(place, 'tool_call', budget.take() ?? '', { ...first, toolName: first?.name })
  into.push(budget.isCut ? { ...event, isCut: true } : event)
  for (const call of calls) if (readCall(into, place, call)) into.push(...checklistOf(place, call))
  into.push(...activityOf(place, calls.some(({ name }) => ASKING_TOOLS.has(name)) ? 'waiting' : 'working'))
}

/** News of the CLI for the model: a sub-agent or a shell has ended. */
export function readNotification(into: Observation[], place: Place): void {
  const kind = recordOf(place.data.kind)
  into.push(eventOf(place, 'notice', textOf(place.data.content) ?? idOf(kind?.type) ?? ''))
  if (kind !== undefined) into.push(...noticeOf(kind, place))
  into.push(...activityOf(place, 'working'))
}
