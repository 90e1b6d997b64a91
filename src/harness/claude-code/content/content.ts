import { SEARCH_LIMIT, TEXT_LIMIT } from '../../../domain/record/observation'
import type { JsonRecord } from '../../json-lines/json-value'
import { isRecord, listOf, textOf } from '../../json-lines/json-value'
import { clip, TextBudget } from '../../json-lines/text'
import { addToolInput } from '../tools/input-text'

/** A block of a message, as far as it matters; others of its fields stay in `block`. */
export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'thinking'; text: string }
  | { kind: 'call'; block: JsonRecord }
  | { kind: 'result'; block: JsonRecord }
  | { kind: 'other'; name: string }

/** Blocks of one message that are read; a message of the CLI has a few, only a hostile one has more. */
const BLOCK_LIMIT = 10_000

/** The blocks of a message's `content`, which is a text or a list. */
export function blocksOf(content: unknown): Block[] {
  if (typeof content === 'string') return [{ kind: 'text', text: content }]
  const blocks: Block[] = []
  for (const part of listOf(content)) {
    if (blocks.length >= BLOCK_LIMIT) break
    if (typeof part === 'string') blocks.push({ kind: 'text', text: part })
    else if (isRecord(part)) blocks.push(blockOf(part))
  }
  return blocks
}

function blockOf(block: JsonRecord): Block {
  const type = textOf(block.type) ?? 'unknown'
  if (type === 'text') return { kind: 'text', text: textOf(block.text) ?? '' }
  if (type === 'thinking') return { kind: 'thinking', text: textOf(block.thinking) ?? '' }
  if (type === 'redacted_thinking') return { kind: 'thinking', text: '' }
  if (type === 'tool_use' || type === 'server_tool_use' || type === 'mcp_tool_use') return { kind: 'call', block }
  if (type === 'tool_result' || type.endsWith('_tool_result')) return { kind: 'result', block }
  return { kind: 'other', name: type }
}

/** What a person reads of a message, what search finds in it, and whether the text was cut. */
export interface ReadableContent {
  text: string | null
  searchText: string | null
  isCut: boolean
}

/** Text of a message's blocks: words as they are, tool calls in short, results in full, the rest as `[kind]`. */
export function readBlocks(blocks: readonly Block[]): ReadableContent {
  const found = searchedWords(blocks)
  if (blocks.every((part) => part.kind === 'text' || part.kind === 'call')) {
    // Nothing is shown but what search finds: written once.
    const searchText = found.take()
    const text = searchText === null ? null : clip(searchText, TEXT_LIMIT)
    return { text, searchText, isCut: found.isCut || (searchText?.length ?? 0) > TEXT_LIMIT }
  }
  const shown = new TextBudget(TEXT_LIMIT)
  for (const part of blocks) {
    if (shown.isCut) break
    if (part.kind === 'text') shown.addLine(part.text)
    else if (part.kind === 'thinking') shown.addLine(part.text === '' ? '[thinking]' : part.text)
    else if (part.kind === 'call') addToolInput(shown, textOf(part.block.name) ?? 'tool', part.block.input)
    else if (part.kind === 'result') addResult(shown, part.block.content)
    else shown.addLine(`[${part.name}]`)
  }
  return { text: shown.take(), searchText: found.take(), isCut: shown.isCut }
}

function searchedWords(blocks: readonly Block[]): TextBudget {
  const found = new TextBudget(SEARCH_LIMIT)
  for (const part of blocks) {
    if (found.isCut) break
    if (part.kind === 'text') found.addLine(part.text)
    else if (part.kind === 'call') addToolInput(found, textOf(part.block.name) ?? 'tool', part.block.input)
    else if (part.kind === 'result') addResult(found, part.block.content)
  }
  return found
}

function addResult(budget: TextBudget, content: unknown): void {
  for (const part of blocksOf(content)) {
    if (budget.isCut) return
    if (part.kind === 'text') budget.addLine(part.text)
    else if (part.kind === 'other') budget.addLine(`[${part.name}]`)
  }
}

/** The words of a tool result: a text, or the text blocks of a list, at most `limit` characters. */
export function resultText(content: unknown, limit: number): string | undefined {
  const budget = new TextBudget(limit)
  addResult(budget, content)
  return budget.take() ?? undefined
}

/** The first text block that is not empty; '' when there is none. */
export function firstText(blocks: readonly Block[]): string {
  for (const part of blocks) if (part.kind === 'text' && part.text !== '') return part.text
  return ''
}

/** The first words of a message, for telling what kind of message it is; at most 4,000 characters. */
export function openingOf(blocks: readonly Block[]): string {
  return firstText(blocks).slice(0, 4_000).trimStart()
}
