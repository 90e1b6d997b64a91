import type { RunEvent } from '../../../domain/harness/harness-run'
import type { JsonRecord } from '../../json-lines/json-value'
import { idOf, isRecord, recordOf, textOf, uuidOf } from '../../json-lines/json-value'
import { LOG_WORDS_LIMIT, oneLine } from '../../json-lines/log-line'
import { clip } from '../../json-lines/text'
import type { Block } from '../content/content'
import { blocksOf, resultText } from '../content/content'
import { SYNTHETIC_MODEL } from '../line-type'
import { eachLine } from '../lines'
import { isAgentTaskId, taskKindOf } from '../notification'
import { Background } from './background'
import { limitText } from './limits/usage-limit'
import { answerLine, callLine } from './log-words'
import { Results } from './result'

/** Inputs whose delivery was reported; a run gets a few. */
const INPUT_LIMIT = 10_000

/** Reads one run's output, line by line. A line that is not understood gives nothing; none makes it throw. */
export class RunReader {
  private readonly background = new Background()
  private readonly results = new Results()
  private readonly delivered = new Set<string>()

  read(line: Uint8Array): RunEvent[] {
    const events: RunEvent[] = []
    for (const record of recordsOf(line)) {
      try {
        this.readRecord(events, record)
      } catch {
        // A value of a kind that nobody writes: the bytes are kept elsewhere.
      }
    }
    events.push(...this.background.take())
    return events
  }

  private readRecord(into: RunEvent[], record: JsonRecord): void {
    const type = textOf(record.type)
    if (type === 'assistant') this.readAssistant(into, record)
    else if (type === 'user') this.readUser(into, record)
    else if (type === 'system') this.readSystem(into, record, textOf(record.subtype) ?? '')
    else if (type === 'result') into.push({ kind: 'result', result: this.results.read(record) })
    else if (type === 'control_request') readRequest(into, record)
    else if (type === 'command_lifecycle' && record.state === 'completed') this.deliver(into, record.command_uuid)
    else if (type === 'rate_limit_event') readLimit(into, record)
  }

  private readAssistant(into: RunEvent[], record: JsonRecord): void {
    const message = recordOf(record.message) ?? {}
    const isMain = isMainLine(record)
    const blocks = blocksOf(message.content)
    const error = errorText(record, message, blocks)
    if (isMain && error !== undefined) into.push({ kind: 'api_error', text: error })
    for (const part of blocks) {
      if (part.kind === 'call') this.readCall(into, part.block, isMain)
      else if (isMain && part.kind === 'text') pushWords(into, part.text)
    }
  }

  private readCall(into: RunEvent[], block: JsonRecord, isMain: boolean): void {
    const name = clip(textOf(block.name) ?? 'tool', 200)
    const id = idOf(block.id)
    if (id !== undefined) this.background.call(id, name, recordOf(block.input), isMain)
    if (isMain) into.push({ kind: 'tool', text: callLine(name, block.input) })
  }

  private readUser(into: RunEvent[], record: JsonRecord): void {
    if (record.isReplay === true) this.deliver(into, record.uuid)
    const isMain = isMainLine(record)
    for (const part of blocksOf(recordOf(record.message)?.content)) {
      if (part.kind !== 'result') continue
      const id = idOf(part.block.tool_use_id)
      if (id === undefined) continue
      const name = this.background.openCall(id) ?? 'tool'
      const text = resultText(part.block.content, 1_000) ?? ''
      const answer = isMain ? recordOf(record.tool_use_result) : undefined
      this.background.answer(id, answer, text)
      if (isMain) into.push({ kind: 'tool_result', text: answerLine(name, part.block, answer) })
    }
  }

  private readSystem(into: RunEvent[], record: JsonRecord, subtype: string): void {
    if (subtype === 'init') readInit(into, record)
    else if (subtype === 'session_state_changed') readState(into, record)
    else if (subtype === 'compact_boundary') into.push({ kind: 'compacted' })
    else if (subtype === 'api_retry') readRetry(into, record)
    else this.readTask(into, record, subtype)
  }

  private readTask(into: RunEvent[], record: JsonRecord, subtype: string): void {
    const taskId = idOf(record.task_id)
    const toolUseId = idOf(record.tool_use_id)
    const isAgent = taskId !== undefined && isAgentTask(taskId, record)
    // The call by which the main thread launched one is in the log already, and so is its answer.
    const isNested = toolUseId === undefined || this.background.openCall(toolUseId) === undefined
    if (subtype === 'task_started' && isAgent && isNested)
      into.push({ kind: 'tool', text: oneLine(`Agent: ${textOf(record.description) ?? taskId}`) })
    this.background.read(subtype, record)
    if (subtype !== 'task_notification' || taskId === undefined) return
    if (this.background.has(taskId) || (isAgent && isNested))
      into.push({ kind: 'tool_result', text: oneLine(endLine(record, isAgent)) })
  }

  private deliver(into: RunEvent[], value: unknown): void {
    const uuid = uuidOf(value)
    if (uuid === undefined || this.delivered.has(uuid) || this.delivered.size >= INPUT_LIMIT) return
    this.delivered.add(uuid)
    into.push({ kind: 'delivered', uuid })
  }
}

/** The records of a line. A release wrote one line into the middle of another: the whole one is found. */
function recordsOf(line: Uint8Array): JsonRecord[] {
  const bytes = Buffer.from(line.buffer, line.byteOffset, line.byteLength)
  try {
    const value: unknown = JSON.parse(bytes.toString('utf8'))
    return isRecord(value) ? [value] : []
  } catch {
    const records: JsonRecord[] = []
    eachLine(Buffer.concat([bytes, Buffer.from('\n')]), {
      onRecord: (found) => records.push(found.record),
      onBroken() {},
    })
    return records
  }
}

const isMainLine = (record: JsonRecord): boolean =>
  idOf(record.parent_tool_use_id) === undefined && idOf(record.agent_id) === undefined

const isAgentTask = (taskId: string, record: JsonRecord): boolean => {
  const kind = taskKindOf(textOf(record.task_type))
  return kind === undefined ? isAgentTaskId(taskId) : kind === 'agent'
}

/** The CLI's own summary says how it ended, or is what an agent reported. */
function endLine(record: JsonRecord, isAgent: boolean): string {
  const summary = textOf(record.summary)?.slice(0, 1_000) ?? ''
  if (/^(?:Background command|Monitor|Agent) "/.test(summary)) return summary
  const how = `${isAgent ? 'Agent' : 'Background command'} ${clip(textOf(record.status) ?? 'ended', 40)}`
  return summary === '' ? how : `${how}: ${summary}`
}

function pushWords(into: RunEvent[], text: string): void {
  const words = clip(text, LOG_WORDS_LIMIT).trim()
  if (words !== '') into.push({ kind: 'text', text: words })
}

/** The text of an API error, which the CLI writes in the model's place. */
function errorText(record: JsonRecord, message: JsonRecord, blocks: readonly Block[]): string | undefined {
  const isError = record.is_api_error_message === true || typeof record.error === 'string'
  const isOld = message.model === SYNTHETIC_MODEL && record.error === undefined
  const text = blocks.find((block) => block.kind === 'text')?.text ?? ''
  if (!isError && !(isOld && /^(?:API Error|Claude AI usage limit)/.test(text))) return undefined
  const words = clip(text, 2_000).trim()
  return words === '' ? clip(textOf(record.error) ?? 'API error', 200) : words
}

function readInit(into: RunEvent[], record: JsonRecord): void {
  const sessionId = idOf(record.session_id)
  if (sessionId === undefined) return
  const cwd = textOf(record.cwd)
  into.push({
    kind: 'init',
    sessionId,
    cwd: cwd === undefined ? null : clip(cwd, 4_000),
    model: idOf(record.model) ?? null,
    version: idOf(record.claude_code_version) ?? null,
  })
}

function readState(into: RunEvent[], { state }: JsonRecord): void {
  if (state === 'running' || state === 'requires_action' || state === 'idle') into.push({ kind: 'state', state })
}

function readRetry(into: RunEvent[], record: JsonRecord): void {
  const { attempt, retry_delay_ms: delay, error_status: status } = record
  const error = clip(textOf(record.error) ?? 'unknown error', 200).replaceAll('_', ' ')
  const isConnection = status === null || status === undefined
  into.push({
    kind: 'retrying',
    attempt: typeof attempt === 'number' && attempt > 0 ? Math.floor(Math.min(attempt, 1e6)) : 1,
    reason: isConnection ? (error === 'unknown' ? 'no connection' : error) : `${error} (${clip(String(status), 20)})`,
    delayMs: typeof delay === 'number' && delay > 0 ? Math.round(Math.min(delay, 1e9)) : 0,
  })
}

function readRequest(into: RunEvent[], record: JsonRecord): void {
  const request = recordOf(record.request)
  const requestId = idOf(record.request_id)
  if (request?.subtype !== 'can_use_tool' || requestId === undefined) return
  const description = textOf(request.description)
  into.push({
    kind: 'permission',
    requestId,
    toolUseId: idOf(request.tool_use_id) ?? null,
    toolName: clip(textOf(request.tool_name) ?? 'tool', 200),
    input: request.input ?? {},
    description: description === undefined ? null : clip(description, 2_000),
  })
}

/** Told also when all is well, and when a limit is near; only a refusal matters. */
function readLimit(into: RunEvent[], record: JsonRecord): void {
  const info = recordOf(record.rate_limit_info)
  if (info?.status !== 'rejected' || info.isUsingOverage === true) return
  into.push({ kind: 'api_error', text: limitText(textOf(info.rateLimitType) ?? '', info.resetsAt) })
}
