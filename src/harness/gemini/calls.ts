import { KEPT } from '../../domain/record/kept-text'
import type { EndStatus, Observation, SubagentObservation } from '../../domain/record/observation'
import { SEARCH_LIMIT } from '../../domain/record/observation'
import { fieldsOf } from '../json-lines/json-spans'
import { idOf, type JsonRecord, recordOf, textOf, timeOf } from '../json-lines/json-value'
import { answerIn, nameOfTool, type PartAnswer, type PartCall, partsOf } from '../json-lines/parts'
import { clip, TextBudget, titleOf } from '../json-lines/text'
import { type WritingTools, writtenFiles } from '../json-lines/written-files'
import { eventOf } from './event'
import { activity, type Message } from './message'
import { eventId } from './place'
import { ASKING_TOOLS, addCallWords, commandFailed, launchOf, TOPIC_TOOL, todosOf } from './tools'

const WRITING_TOOLS: WritingTools = { replace: 'file_path', write_file: 'file_path' }

/** A message, and the place of one call in it. */
export type CallPlace = Message

/** A call as the CLI keeps it: `{id, name, args, result, status, timestamp, agentId, resultDisplay}`. */
export function readToolCall(into: Observation[], message: CallPlace, call: JsonRecord): void {
  const { place, at } = message
  const asked: PartCall = { toolUseId: idOf(call.id), name: nameOfTool(call.name), input: call.args ?? null }
  readCall(into, message, asked)
  const status = textOf(call.status)
  if (asked.toolUseId === undefined || !isOver(call)) return
  const span = fieldsOf(place.bytes, place.span).get('result')
  const endedAt = timeOf(call.timestamp) ?? at
  const { text, isError } = resultOf(call)
  addResult(
    into,
    { ...message, place: span === undefined ? place : { ...place, span }, at: endedAt },
    { toolUseId: asked.toolUseId, name: asked.name, text, isError, isInterrupted: status === 'cancelled' },
  )
  const toolUseId = asked.toolUseId
  const uuid = callId(message, toolUseId)
  const todos = status === 'success' || status === undefined ? todosOf(asked) : undefined
  if (todos !== undefined)
    into.push({ kind: 'todo', toolUseId, uuid, subagentId: place.subagentId, at: endedAt, change: todos })
  const title = asked.name === TOPIC_TOOL ? titleOf(textOf(recordOf(asked.input)?.title) ?? '') : undefined
  if (title !== undefined && status === 'success' && place.subagentId === null)
    into.push({ kind: 'session', uuid, at: endedAt, title: { text: title, source: 'agent' } })
  const launched = launchedBy(message, call, asked, endedAt, text)
  if (launched !== undefined) into.push(launched)
}

/** Whether a call has its answer: one that succeeded may get it later, by a change of its message (`patch.ts`). */
function isOver(call: JsonRecord): boolean {
  const isEmpty = partsOf(call.result).length === 0
  if (call.status === 'error' || call.status === 'cancelled' || !isEmpty) return true
  return call.status === 'success' && call.result !== undefined
}

/** The result of a call. A command that ended with another code than 0 has the status of a success. */
export function resultOf(call: JsonRecord): Pick<Result, 'name' | 'text' | 'isError'> {
  const [first] = partsOf(call.result)
  const name = idOf(call.name) ?? idOf(recordOf(first?.functionResponse)?.name)
  const answers = partsOf(call.result).flatMap((part) => answerIn(part) ?? [])
  const text = answers.map((answer) => answer.text).join('\n') || (textOf(call.resultDisplay) ?? '')
  const status = textOf(call.status)
  const hasFailed = status === undefined ? answers.some((answer) => answer.isError) : status !== 'success'
  return { name: name && nameOfTool(name), text, isError: hasFailed || commandFailed(name, text) }
}

const callId = ({ place }: Message, toolUseId: string): string => eventId(place.sessionId, 'call', toolUseId)

/** Adds a call alone. */
export function readCall(into: Observation[], message: CallPlace, call: PartCall): void {
  const { place, at, id } = message
  const budget = new TextBudget(SEARCH_LIMIT)
  addCallWords(budget, call)
  const text = budget.take() ?? call.name
  const { toolUseId, name } = call
  const uuid = toolUseId === undefined ? eventId(place.sessionId, `call ${name}`, id) : callId(message, toolUseId)
  const event = eventOf(place, { uuid, at, type: 'tool_call', text, toolUseId, toolName: name })
  into.push(budget.isCut ? { ...event, isCut: true } : event)
  if (toolUseId === undefined) return
  const launch = launchOf(call)
  const files = writtenFiles(WRITING_TOOLS, name, call.input)
  into.push({
    ...{ kind: 'tool_call', uuid, toolUseId, name, subagentId: place.subagentId, at },
    ...(launch !== undefined && { launch }),
    ...(files !== undefined && { files }),
  })
  into.push(...activity(message, at, ASKING_TOOLS.has(name) ? 'waiting' : 'working', 'tool_call'))
}

/** Adds an answer that stands in a message of its own. */
export function readAnswer(into: Observation[], message: Message, part: JsonRecord): void {
  const answer: PartAnswer | undefined = answerIn(part)
  if (answer?.toolUseId === undefined) return
  const name = nameOfTool(recordOf(part.functionResponse)?.name)
  const isError = answer.isError || commandFailed(name, answer.text)
  addResult(into, message, { toolUseId: answer.toolUseId, name, text: answer.text, isError, isInterrupted: false })
}

interface Result {
  toolUseId: string
  /** `undefined` = not said. */
  name: string | undefined
  text: string
  isError: boolean
  isInterrupted: boolean
}

/** Adds an answer. */
export function addResult(into: Observation[], message: Message, result: Result): void {
  const { place, at } = message
  const { toolUseId, name, text, isError, isInterrupted } = result
  const uuid = eventId(place.sessionId, 'answer', toolUseId)
  into.push(eventOf(place, { uuid, at, type: 'tool_result', text, toolUseId, toolName: name }))
  into.push({
    ...{ kind: 'tool_result', uuid, toolUseId, isError, subagentId: place.subagentId, at },
    ...(isInterrupted && { isInterrupted }),
  })
  into.push(...activity(message, at, 'working', 'tool_result'))
}

/** The sub-agent that a call launched: the call names it once it is done. */
function launchedBy(
  message: Message,
  call: JsonRecord,
  asked: PartCall,
  at: number | null,
  answer: string,
): SubagentObservation | undefined {
  const subagentId = idOf(call.agentId)
  const { toolUseId } = asked
  if (subagentId === undefined || toolUseId === undefined) return undefined
  const { place } = message
  const launch = launchOf(asked)
  const shown = recordOf(call.resultDisplay)
  const result = textOf(shown?.result) || answer
  return {
    kind: 'subagent',
    uuid: callId(message, toolUseId),
    subagentId,
    toolUseId,
    evidence: 'tool_result',
    ...(place.subagentId !== null && { parentAgentId: place.subagentId }),
    ...launch,
    isBackground: false,
    run: { toolUseId, trigger: 'launch', isStart: true, evidence: 'transcript:invoke_agent' },
    end: {
      status: endOf(call, shown),
      at,
      evidence: 'transcript:tool_result',
      ...(result !== '' && { result: clip(result, KEPT.long) }),
      isShown: true,
    },
  }
}

function endOf(call: JsonRecord, shown: JsonRecord | undefined): EndStatus {
  if (call.status === 'cancelled' || shown?.terminateReason === 'ABORTED' || shown?.state === 'cancelled')
    return 'killed'
  return call.status === 'success' && shown?.state !== 'error' ? 'completed' : 'failed'
}
