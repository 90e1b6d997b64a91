import { issueWords } from '../../domain/issue/issue-mention'
import type { Observation } from '../../domain/record/observation'
import { SEARCH_LIMIT } from '../../domain/record/observation'
import { idOf, recordOf, textOf } from '../json-lines/json-value'
import { answerIn, callIn, isThought, type PartCall, wordsIn } from '../json-lines/parts'
import { clip, TextBudget, titleOf } from '../json-lines/text'
import { type WritingTools, writtenFiles } from '../json-lines/written-files'
import { placeKey } from './carry'
import { kindOf } from './kinds'
import { activity, eventOf, type Line } from './line'
import { isNotice, readNotice } from './subagents'
import { readSystem } from './system-lines'
import { ASKING_TOOLS, addCallWords, launchOf, todosOf } from './tools'
import { replyUsage } from './usage'

const WRITING_TOOLS: WritingTools = { edit: 'file_path', write_file: 'file_path' }

/** Adds what a line says. */
export function readLine(into: Observation[], line: Line): void {
  const { record } = line
  const type = idOf(record.type) ?? ''
  into.push(kindOf(type, idOf(record.subtype), textOf(record.version)))
  if (line.subagentId === null) readFacts(into, line)
  if (type === 'user') readUser(into, line)
  else if (type === 'assistant') readReply(into, line)
  else if (type === 'tool_result') readAnswers(into, line)
  else if (type === 'system') readSystem(into, line)
}

/** Folder, branch, release and model: each line has them, and a change is reported. */
function readFacts(into: Observation[], { record, uuid, at, carry }: Line): void {
  const origin = idOf(recordOf(record.forkedFrom)?.sessionId)
  if (origin !== undefined) into.push({ kind: 'session', uuid: null, at, forkedFrom: origin })
  const [cwd, branch, version] = [textOf(record.cwd), textOf(record.gitBranch), textOf(record.version)]
  const key = placeKey([cwd, branch, version])
  if (cwd && key !== carry.place) {
    carry.place = key
    into.push({
      ...{ kind: 'session', uuid, at, cwd: clip(cwd, 4_000) },
      ...(branch && { gitBranch: clip(branch, 400) }),
      ...(version && { agentVersion: clip(version, 100) }),
    })
  }
  const model = idOf(record.model)
  if (model === undefined || model === carry.model) return
  carry.model = model
  into.push({ kind: 'session', uuid, at, model })
}

/** What the CLI tells the model in a person's name. */
const CONTEXT_OPENINGS = ['<system-reminder>', '<session_context>', '<hook_context>', '<qwen:']
export const isContext = (text: string): boolean => CONTEXT_OPENINGS.some((start) => text.trimStart().startsWith(start))

/** Lines under a person's name that bring news: of an end, of a time that was set, of an agent in the same conversation. */
const NEWS: ReadonlySet<unknown> = new Set(['notification', 'cron', 'agent_message'])
/** The CLI sets the model to work again, as its goal is not reached. */
const GOAL = 'goal_runtime'

function readUser(into: Observation[], line: Line): void {
  const { record, uuid, at, subagentId } = line
  const texts = line.parts.flatMap((part) => wordsIn(part) ?? [])
  const payload = recordOf(record.systemPayload)
  const shown = textOf(payload?.displayText)
  const text = texts.join('\n') || (shown ?? '')
  if (NEWS.has(record.subtype) || payload?.author !== undefined || isNotice(text)) {
    into.push(eventOf(line, 'notice', text))
    into.push(...readNotice(text, line), ...activity(line, 'working', 'notification'))
    return
  }
  const own = texts.filter((one) => one.trim() !== '' && !isContext(one))
  const isOfPerson = record.provenance === undefined || record.provenance === 'real_user'
  const isPrompt = own.length > 0 && isOfPerson && record.subtype !== GOAL
  into.push(eventOf(line, isPrompt ? 'prompt' : 'attachment', text))
  if (!isPrompt) return
  if (subagentId !== null) {
    into.push({ kind: 'subagent', uuid, subagentId, prompt: clip(own.join('\n'), 20_000) })
    return
  }
  into.push(...activity(line, 'working', 'prompt'))
  // The model also reads what a person's words point to.
  const prompt = (shown ?? own.join('\n')).slice(0, 4_000).trim()
  const title = titleOf(prompt)
  if (title !== undefined) into.push({ kind: 'session', uuid, at, title: { text: title, source: 'prompt' } })
  const words = issueWords(prompt)
  if (words.length > 0) into.push({ kind: 'mention', uuid, at, source: 'prompt', place: uuid, words })
}

/** A reply stands in one line, calls included. Without a call it ends the turn. */
function readReply(into: Observation[], line: Line): void {
  const { parts } = line
  const usage = replyUsage(line)
  if (usage !== undefined) into.push(usage)
  const calls = parts.flatMap((part) => callIn(part) ?? [])
  const words = parts.flatMap((part) => wordsIn(part) ?? []).join('\n')
  const [first] = calls
  if (first === undefined) {
    const thoughts = parts.filter(isThought).map(({ text }) => String(text))
    if (words !== '') into.push({ ...eventOf(line, 'text', words), isFinal: true })
    else into.push(eventOf(line, 'thinking', thoughts.join('\n') || '[thinking]'))
    into.push(...activity(line, words === '' ? 'working' : 'idle', 'reply'))
    return
  }
  const budget = new TextBudget(SEARCH_LIMIT)
  if (words !== '') budget.addLine(words)
  for (const call of calls) addCallWords(budget, call)
  const event = eventOf(line, 'tool_call', budget.take() ?? '', { toolUseId: first.toolUseId, toolName: first.name })
  into.push(budget.isCut ? { ...event, isCut: true } : event)
  for (const call of calls) if (call.toolUseId !== undefined) into.push(...callOf(call, call.toolUseId, line))
  const isAsking = calls.some(({ name }) => ASKING_TOOLS.has(name))
  into.push(...activity(line, isAsking ? 'waiting' : 'working', 'tool_call'))
}

function callOf(call: PartCall, toolUseId: string, { uuid, at, subagentId }: Line): Observation[] {
  const launch = launchOf(call)
  const files = writtenFiles(WRITING_TOOLS, call.name, call.input)
  return [
    {
      ...{ kind: 'tool_call', uuid, toolUseId, name: call.name, subagentId, at },
      ...(launch !== undefined && { launch }),
      ...(files !== undefined && { files }),
    },
  ]
}

/** `toolCallResult` says what the answer's own words do not: whether the tool failed, and the list that it left. */
function readAnswers(into: Observation[], line: Line): void {
  const { uuid, at, subagentId, parts } = line
  const answers = parts.flatMap((part) => answerIn(part) ?? [])
  const result = recordOf(line.record.toolCallResult)
  const toolUseId = answers[0]?.toolUseId ?? idOf(result?.callId)
  const name = textOf(recordOf(parts[0]?.functionResponse)?.name)
  const text = answers.map((answer) => answer.text).join('\n')
  into.push(eventOf(line, 'tool_result', text, { toolUseId, ...(name !== undefined && { toolName: clip(name, 200) }) }))
  for (const answer of answers)
    if (answer.toolUseId !== undefined) {
      const isOwn = idOf(result?.callId) === answer.toolUseId && textOf(result?.status) !== undefined
      const isError = isOwn ? result?.status !== 'success' : answer.isError
      const isInterrupted = isOwn && result?.status === 'cancelled'
      into.push({
        ...{ kind: 'tool_result', uuid, toolUseId: answer.toolUseId, isError, subagentId, at },
        ...(isInterrupted && { isInterrupted }),
      })
    }
  const change = todosOf(result)
  if (change !== undefined && toolUseId !== undefined)
    into.push({ kind: 'todo', toolUseId, uuid, subagentId, at, change })
  into.push(...activity(line, 'working', 'tool_result'))
}
