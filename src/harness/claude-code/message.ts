import type { Observation } from '../../domain/record/observation'
import { idOf } from '../json-lines/json-value'
import { type WritingTools, writtenFiles } from '../json-lines/written-files'
import { type Block, resultText } from './content/content'
import { readAnswer, readCall } from './tools'
import { launchOf } from './tools/launch'

const WRITING_TOOLS: WritingTools = {
  Edit: 'file_path',
  MultiEdit: 'file_path',
  Write: 'file_path',
  NotebookEdit: 'notebook_path',
}

/** The line that a message stands on. */
export interface MessageLine {
  uuid: string
  /** The node that wrote it; `null` = the main thread, or a sub-agent that the line's event knows by its launching call only. */
  subagentId: string | null
  at: number | null
  /** Transcripts only: the sub-agent. */
  sessionId?: string | null
}

/** Adds the tool calls of a message, and what they say, to `into`. */
export function addCalls(into: Observation[], blocks: readonly Block[], line: MessageLine): void {
  for (const part of blocks) {
    if (part.kind !== 'call') continue
    const toolUseId = idOf(part.block.id)
    const name = idOf(part.block.name)
    if (toolUseId === undefined || name === undefined) continue
    const place = { uuid: line.uuid, subagentId: line.subagentId, at: line.at, toolUseId }
    const launch = launchOf(name, part.block.input)
    const files = writtenFiles(WRITING_TOOLS, name, part.block.input)
    into.push({ kind: 'tool_call', name, ...place, ...(launch && { launch }), ...(files && { files }) })
    into.push(...readCall(name, part.block.input, place))
  }
}

/**
 * Adds the tool results of a message, and what they say, to `into`.
 *
 * @param answer  the line's structured answer: it belongs to the one result in the line, and to none when there are several.
 */
export function addResults(
  into: Observation[],
  blocks: readonly Block[],
  answer: unknown,
  line: MessageLine,
  evidence: string,
): void {
  const results = blocks.filter((part) => part.kind === 'result')
  for (const { block } of results) {
    const toolUseId = idOf(block.tool_use_id)
    if (toolUseId === undefined) continue
    const place = { uuid: line.uuid, subagentId: line.subagentId, at: line.at, toolUseId }
    const answered = { ...place, sessionId: line.sessionId ?? null }
    const isError = block.is_error === true
    const isInterrupted = isError && isInterruption(block.content)
    into.push({ kind: 'tool_result', isError, ...(isInterrupted && { isInterrupted }), ...place })
    if (!isError) into.push(...readAnswer(results.length === 1 ? answer : undefined, block.content, answered, evidence))
  }
}

/** What 2.1.328 answers when it goes on with a session whose process was gone before the tool's answer. */
const INTERRUPTION = '[Tool call interrupted: the session ended before'

function isInterruption(content: unknown): boolean {
  return (typeof content === 'string' ? content : (resultText(content, 200) ?? '')).startsWith(INTERRUPTION)
}

/** The first tool call or result of a message: the one that its event is found by. */
export function firstTool(blocks: readonly Block[]): { toolUseId: string | null; toolName: string | null } {
  for (const part of blocks) {
    if (part.kind === 'call') {
      return { toolUseId: idOf(part.block.id) ?? null, toolName: idOf(part.block.name) ?? null }
    }
    if (part.kind === 'result') return { toolUseId: idOf(part.block.tool_use_id) ?? null, toolName: null }
  }
  return { toolUseId: null, toolName: null }
}

/** The names of the tools that a message calls. */
export function calledTools(blocks: readonly Block[]): string[] {
  return blocks.flatMap((part) => (part.kind === 'call' ? (idOf(part.block.name) ?? []) : []))
}
