import { statedNanoUsd } from '../../domain/cost/usage'
import { issueWords } from '../../domain/issue/issue-mention'
import type { Observation, UsageObservation } from '../../domain/record/observation'
import { SEARCH_LIMIT } from '../../domain/record/observation'
import { countOf, idOf, type JsonRecord, listOf, recordOf, textOf } from '../json-lines/json-value'
import { TextBudget, titleOf } from '../json-lines/text'
import { activityOf } from './activity'
import { eventOf } from './event'
import { type Place, sourceOf, timesOf, uuidOfRow, wordsOf } from './place'
import {
  ASKING_TOOLS,
  addToolWords,
  filesOf,
  hasFailed,
  launchEnd,
  launchedBy,
  launchOf,
  type ToolPart,
  todosOf,
  toolPart,
} from './tools'

/** The model of usage whose message names none. */
const UNKNOWN_MODEL = 'unknown'

/** Adds what a part of a message says, once it is whole: versions of it that the CLI writes meanwhile say nothing that stays. */
export function readPart(into: Observation[], place: Place): void {
  const { data } = place
  const tool = toolPart(data, place.id)
  if (tool !== null) {
    readTool(into, place, tool)
    return
  }
  switch (data.type) {
    case 'text':
    case 'subtask':
      readText(into, place, wordsOf(data) ?? '')
      return
    case 'reasoning':
      if (isWhole(place)) into.push(eventOf(place, 'thinking', textOf(data.text) || '[thinking]'))
      return
    case 'step-finish':
      readUsage(into, place)
      return
    case 'compaction':
      into.push(eventOf(place, 'compaction', data.auto === true ? 'compacted by itself' : 'compacted'))
      return
    case 'file':
      into.push(eventOf(place, 'attachment', textOf(data.filename) ?? textOf(data.url)?.slice(0, 200) ?? '[file]'))
      return
    case 'patch':
      into.push(eventOf(place, 'system', `changed: ${listOf(data.files).map(String).join(', ')}`))
      return
    case 'retry':
      into.push(
        eventOf(place, 'system', `tried again: ${textOf(recordOf(recordOf(data.error)?.data)?.message) ?? 'error'}`),
      )
      return
    default:
      return
  }
}

/** The model's words have an end once they are whole, or no times at all (releases of July 2025); a person's never change. */
const isWhole = ({ data, role }: Place): boolean =>
  role === 'user' || data.time === undefined || timesOf(data).end !== null

function readText(into: Observation[], place: Place, text: string): void {
  const { uuid, at, data, role, subagentId, isSummary, isCopied } = place
  if (!isWhole(place)) return
  if (role !== 'user') {
    into.push(eventOf(place, isSummary ? 'summary' : 'text', text))
    return
  }
  const isOwn = data.synthetic !== true && data.ignored !== true
  into.push(eventOf(place, isOwn ? 'prompt' : 'attachment', text))
  if (!isOwn || isCopied) return
  if (subagentId !== null) {
    const run = { trigger: 'unknown' as const, isStart: true, evidence: 'rows:prompt' }
    into.push({ kind: 'subagent', uuid, subagentId, run, ...(at !== null && { startedAt: at }) })
    return
  }
  const title = titleOf(text)
  if (title !== undefined) into.push({ kind: 'session', uuid, at, title: { text: title, source: 'prompt' } })
  const words = issueWords(text.slice(0, 4_000))
  if (words.length > 0) into.push({ kind: 'mention', uuid, at, source: 'prompt', place: uuid, words })
}

/** A call is whole once it runs; its answer comes with the same row later. */
function readTool(into: Observation[], place: Place, tool: ToolPart): void {
  if (tool.status === 'pending') return
  const { toolUseId, name } = tool
  const budget = new TextBudget(SEARCH_LIMIT)
  addToolWords(budget, tool)
  const call = eventOf(place, 'tool_call', budget.take() ?? name, { toolUseId, toolName: name })
  into.push(budget.isCut ? { ...call, isCut: true } : call)
  const isOver = tool.status === 'completed' || tool.status === 'error'
  const answered = { ...place, uuid: uuidOfRow('part', place.id, 'answer'), at: tool.end ?? place.at }
  if (isOver) {
    const chained = { ...answered, carry: { ...place.carry, lastUuid: place.uuid } }
    into.push(eventOf(chained, 'tool_result', tool.answer, { toolUseId }))
  }
  if (place.isCopied) {
    readCopiedLaunch(into, place, tool)
    return
  }
  const launch = launchOf(tool)
  const files = filesOf(tool)
  into.push({
    kind: 'tool_call',
    name,
    ...sourceOf(place),
    toolUseId,
    ...(launch && { launch }),
    ...(files && { files }),
  })
  const todos = todosOf(tool)
  if (todos !== undefined) into.push({ kind: 'todo', ...sourceOf(place), toolUseId, change: todos })
  readLaunch(into, place, tool)
  if (isOver) {
    const { isInterrupted } = tool
    const source = { ...sourceOf(answered), toolUseId }
    into.push({ kind: 'tool_result', isError: hasFailed(tool), ...(isInterrupted && { isInterrupted }), ...source })
  }
  if (place.subagentId === null)
    into.push(activityOf(place, tool.end ?? place.at, !isOver && ASKING_TOOLS.has(name) ? 'waiting' : 'working', name))
}

function readLaunch(into: Observation[], place: Place, tool: ToolPart): void {
  const launched = launchedBy(tool)
  if (launched === null) return
  const { uuid, at, subagentId: parent } = place
  const { toolUseId } = tool
  const asked = launchOf(tool)
  const ended = launchEnd(tool)
  const { isContinued } = launched
  into.push({
    kind: 'subagent',
    uuid,
    subagentId: launched.id,
    ...(!isContinued && { toolUseId, evidence: 'tool_result' as const, ...asked }),
    ...(parent !== null && { parentAgentId: parent }),
    isBackground: false,
    run: { toolUseId, trigger: isContinued ? 'message' : 'launch', isStart: true, evidence: 'rows:task' },
    ...(at !== null && { startedAt: at }),
    ...(ended !== null && { end: { ...ended, at: tool.end, evidence: 'rows:task', isShown: true } }),
  })
}

/** No row names the origin of a fork; a call that launched a session does, in its answer. */
function readCopiedLaunch(into: Observation[], { at, session, subagentId }: Place, tool: ToolPart): void {
  const origin = idOf(tool.metadata.parentSessionId)
  if (origin === undefined || origin === session || subagentId !== null || launchedBy(tool) === null) return
  into.push({ kind: 'session', uuid: null, at, forkedFrom: origin })
}

/** Tokens of one answer of the model. */
export function readUsage(into: Observation[], place: Place): void {
  const tokens = recordOf(place.data.tokens)
  if (tokens === undefined || place.isCopied) return
  const cache = recordOf(tokens.cache)
  const usage: UsageObservation = {
    kind: 'usage',
    ...sourceOf(place),
    messageId: place.id,
    model: place.model ?? UNKNOWN_MODEL,
    inputTokens: countOf(tokens.input),
    outputTokens: outputOf(tokens),
    cacheReadTokens: countOf(cache?.read),
    cacheCreationTokens: countOf(cache?.write),
    cacheCreation1hTokens: 0,
    webSearchCount: 0,
    statedNanoUsd: statedNanoUsd(place.data.cost),
  }
  const { inputTokens, outputTokens, cacheReadTokens, cacheCreationTokens } = usage
  if (inputTokens + outputTokens + cacheReadTokens + cacheCreationTokens > 0) into.push(usage)
}

/** Whether reasoning is a part of `output` differs by release: `total` has all that is billed, so it tells. */
export function outputOf(tokens: JsonRecord): number {
  const cache = recordOf(tokens.cache)
  const output = countOf(tokens.output)
  const rest = countOf(tokens.total) - countOf(tokens.input) - countOf(cache?.read) - countOf(cache?.write)
  return rest === output + countOf(tokens.reasoning) ? rest : output
}
