import type { OutputLine } from '../../../../domain/conversation/output'
import type { Subagent } from '../../../../domain/session/session'
import type { Context } from '../../context'
import { readLine } from './read-line'

export interface OutputRequest {
  /** The last lines alone; `null` = all that fits. */
  tail: number | null
  /** How much text is given at most. */
  maxBytes: number
  /** It has ended: its last words are its result. */
  isOver: boolean
}

export interface Output {
  source: 'file' | 'record' | 'result' | 'none'
  path: string | null
  /** Bytes of the file. */
  bytes: number | null
  text: string
  isCut: boolean
}

/** Lines of a conversation that are looked at. */
const MAX_LINES = 200
/** A line of more bytes keeps its cut text. */
const MAX_LINE_BYTES = 8 * 1_024 * 1_024

/**
 * The output of a sub-agent or background task: a shell's from its output file while that exists; an agent's from the record, where all its
 * words stand; else the result that came with its end.
 */
export async function readOutput(subagent: Subagent, request: OutputRequest, context: Context): Promise<Output> {
  const output = (await fromFile(subagent, request, context)) ?? (await fromRecord(subagent, request, context))
  // Before it is cut: half of a secret is not known as one.
  return lastLines({ ...output, text: context.mask.text(output.text) }, request)
}

async function fromFile(subagent: Subagent, { maxBytes }: OutputRequest, context: Context): Promise<Output | null> {
  if (subagent.kind === 'agent') return null
  const file = await context.services.background.outputTail(subagent, maxBytes)
  return file === null ? null : { source: 'file', ...file }
}

async function fromRecord(subagent: Subagent, request: OutputRequest, context: Context): Promise<Output> {
  const { id, sessionId, outputFile, resultPreview } = subagent
  const isResult = request.isOver && request.tail === null
  const lines = await context.store.outputs.lastLines(sessionId, id, isResult ? 1 : MAX_LINES, isResult)
  const texts: string[] = []
  for (const line of lines) texts.push(await textOf(line, subagent, isResult, context))
  const text = texts.join('\n')
  const about = { path: outputFile, bytes: null, isCut: !isResult && lines.length === MAX_LINES }
  if (text !== '') return { source: 'record', ...about, text }
  if (resultPreview !== null) return { source: 'result', ...about, text: resultPreview }
  return { source: 'none', ...about, text: '' }
}

async function textOf(line: OutputLine, subagent: Subagent, isWhole: boolean, context: Context): Promise<string> {
  if (line.type === 'tool_call') return `[${line.toolName ?? 'tool'}] ${(line.text ?? '').split('\n', 1)[0]}`
  if (!isWhole || !line.isCut) return line.text ?? ''
  const { store, services } = context
  const session = await store.sessions.find(subagent.sessionId)
  const bytes = await readLine(subagent.sessionId, line.id, { maxBytes: MAX_LINE_BYTES }, context)
  if (bytes === undefined || session === undefined) return line.text ?? ''
  return (await services.agentLines.textOf(session.agent, bytes)) ?? line.text ?? ''
}

function lastLines(output: Output, { tail, maxBytes }: OutputRequest): Output {
  const lines = output.text.replace(/\n$/, '').split('\n')
  const isLonger = tail !== null && lines.length > tail
  const text = isLonger ? lines.slice(-tail).join('\n') : output.text
  const kept = text.length > maxBytes ? text.slice(-maxBytes) : text
  return { ...output, text: kept.toWellFormed(), isCut: output.isCut || isLonger || kept.length < text.length }
}
