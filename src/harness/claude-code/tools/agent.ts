import { KEPT } from '../../../domain/record/kept-text'
import type { SubagentObservation } from '../../../domain/record/observation'
import type { JsonRecord } from '../../json-lines/json-value'
import { countOf, idOf, textOf, timeOf } from '../../json-lines/json-value'
import { clip } from '../../json-lines/text'
import { blocksOf, resultText } from '../content/content'
import { endStatusOf } from '../notification'
import { reportedTokens } from '../reported-tokens'
import type { ToolPlace } from './place'
import { isKnownStatus } from './unknown-form'

/**
 * What the answer of the Agent (once Task) tool, or of SendMessage to an agent, says about a sub-agent.
 *
 * @param evidence  what ends are said to be known from, e.g. `transcript:tool_result`.
 */
export function agentAnswer(answer: JsonRecord, place: ToolPlace, evidence: string): SubagentObservation | undefined {
  const resumed = idOf(answer.resumedAgentId ?? answer.revivedAgentId)
  if (resumed !== undefined) {
    return continued(resumed, place, evidence)
  }
  const subagentId = idOf(answer.agentId)
  if (subagentId === undefined) return undefined
  const status = answer.status
  const isLaunch = status === 'async_launched' || status === 'teammate_spawned' || answer.isAsync === true
  // Other tools' answers may name an agent too; only this one says how the launch went, with the prompt.
  if (!isLaunch && (typeof status !== 'string' || typeof answer.prompt !== 'string')) return undefined
  return {
    kind: 'subagent',
    uuid: place.uuid,
    subagentId,
    toolUseId: place.toolUseId,
    evidence: 'tool_result',
    ...(place.subagentId !== null && { parentAgentId: place.subagentId }),
    ...short('type', answer.agentType ?? answer.agent_type),
    ...short('description', answer.description),
    ...long('prompt', answer.prompt),
    ...short('model', answer.resolvedModel ?? answer.model),
    ...short('outputFile', answer.outputFile),
    ...reportedTokens(answer.totalTokens),
    // A state of another name tells neither: its lines and notices will.
    ...(isKnownStatus(answer) && { isBackground: isLaunch }),
    run: { toolUseId: place.toolUseId, trigger: 'launch', isStart: true, evidence },
    ...(isLaunch ? startedAt(place.at) : endOf(answer, place, evidence)),
  }
}

/** SendMessage to an agent that had ended: it works again, in the background, under its id; this call launched nothing. */
function continued(subagentId: string, place: ToolPlace, evidence: string): SubagentObservation {
  return {
    kind: 'subagent',
    uuid: place.uuid,
    subagentId,
    isBackground: true,
    run: { toolUseId: place.toolUseId, trigger: 'message', isStart: true, evidence },
    ...startedAt(place.at),
  }
}

function endOf(answer: JsonRecord, place: ToolPlace, evidence: string): Partial<SubagentObservation> {
  const status = endStatusOf(answer.status)
  if (!status) return {}
  const result = resultText(ownWords(answer), KEPT.long)
  const duration = answer.totalDurationMs
  const started = place.at !== null && typeof duration === 'number' ? timeOf(place.at - duration) : null
  return {
    ...startedAt(started),
    end: { status, at: place.at, evidence, isShown: true, ...(result !== undefined && { result }) },
  }
}

/** The agent's words alone: newer versions put notes of their own before them, and after, and say how many. */
function ownWords(answer: JsonRecord): unknown {
  if (!Array.isArray(answer.content)) return answer.content
  const notes = countOf(answer.harnessNoteCount)
  return answer.content.slice(notes, answer.content.length - countOf(answer.harnessTailCount))
}

const startedAt = (at: number | null): { startedAt?: number } => (at === null ? {} : { startedAt: at })

/**
 * The same from the answer's words, for lines that carry nothing else (files of sub-agents that launch others).
 *
 * A command's output could hold the same words, so they only count where this tool puts them: at the end of a list of text
 * blocks, at the beginning of a line (newer versions indent every line of the agent's own report).
 */
export function agentAnswerText(content: unknown, place: ToolPlace, evidence: string): SubagentObservation | undefined {
  if (!Array.isArray(content)) return undefined
  const texts = blocksOf(content).flatMap((part) => (part.kind === 'text' ? part.text : []))
  const last = texts.at(-1) ?? ''
  const resumed = texts.length === 1 ? idOf(CONTINUED.exec(last.slice(0, 4_000))?.[1]) : undefined
  if (resumed !== undefined) return continued(resumed, place, evidence)
  const isLaunch = last.startsWith(LAUNCH)
  const subagentId = isLaunch ? LAUNCHED.exec(last.slice(0, 2_000))?.[1] : FINISHED.exec(last.slice(-2_000))?.[1]
  if (subagentId === undefined) return undefined
  const result = last.startsWith('agentId: ') ? resultText(texts.slice(0, -1), KEPT.long) : undefined
  return {
    kind: 'subagent',
    uuid: place.uuid,
    subagentId,
    toolUseId: place.toolUseId,
    evidence: 'tool_result',
    ...(place.subagentId !== null && { parentAgentId: place.subagentId }),
    isBackground: isLaunch,
    run: { toolUseId: place.toolUseId, trigger: 'launch', isStart: true, evidence },
    ...(isLaunch
      ? startedAt(place.at)
      : {
          ...reportedTokens(USAGE.exec(last.slice(-2_000))?.[1]),
          end: { status: 'completed', at: place.at, evidence, isShown: true, ...(result !== undefined && { result }) },
        }),
  }
}

/** How the answer to a launch in the background begins. */
const LAUNCH = 'Async agent launched successfully.'

/** Whether an answer is that of a launch in the background, though it names no agent in a way that is known. */
export function isLaunchText(content: unknown): boolean {
  if (!Array.isArray(content)) return false
  return blocksOf(content).some((part) => part.kind === 'text' && part.text.startsWith('Async agent launched'))
}

/** The whole answer is one line of JSON. */
const CONTINUED = /^\{"success":true,"message":".*"resumedAgentId":"([\w.-]{1,200})"/
const LAUNCHED = /^agentId: ([\w.-]{1,200}) \(/m
const FINISHED = /^agentId: ([\w.-]{1,200}) \((?:use SendMessage with to: '\1'|for resuming)[^\n]*\n<usage>/m

/** A hash of the same words; 2.1.10 and before do not write them. */
const USAGE = /^<usage>subagent_tokens: (\d{1,15})$/m

const short = (key: 'type' | 'description' | 'model' | 'outputFile', value: unknown): Partial<SubagentObservation> =>
  cut(key, value, KEPT.short)
const long = (key: 'prompt', value: unknown): Partial<SubagentObservation> => cut(key, value, KEPT.long)

function cut(key: keyof SubagentObservation, value: unknown, limit: number): Partial<SubagentObservation> {
  const text = textOf(value)
  return text === undefined || text === '' ? {} : { [key]: clip(text, limit) }
}

/** Text fields of a sub-agent as its sources name them, cut to what is kept; absent ones are left out. */
export function subagentTexts(fields: {
  type?: unknown
  description?: unknown
  model?: unknown
  outputFile?: unknown
  prompt?: unknown
}): Partial<SubagentObservation> {
  return {
    ...short('type', fields.type),
    ...short('description', fields.description),
    ...short('model', fields.model),
    ...short('outputFile', fields.outputFile),
    ...long('prompt', fields.prompt),
  }
}
