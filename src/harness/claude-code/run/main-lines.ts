import type { RecordLine } from '../../json-lines/each-line'
import type { JsonRecord } from '../../json-lines/json-value'
import { idOf, recordOf, textOf, uuidOf } from '../../json-lines/json-value'
import type { Block } from '../content/content'
import { blocksOf } from '../content/content'
import { isInterruption, userLineType } from '../line-type'
import { eachLine } from '../lines'

/** A line of the main thread that is part of the tree of messages. */
export interface MainLine {
  uuid: string
  parentUuid: string | null
  kind:
    | 'prompt'
    /** The model's words, or the CLI's in its place, without a tool call. */
    | 'words'
    | 'call'
    | 'result'
    | 'interruption'
    /** Where a compaction that a person asked for begins. */
    | 'asked_compaction'
    | 'summary'
    | 'attachment'
    | 'other'
  /** Why the model stopped says that the turn is over. */
  isEnd: boolean
  /** Something was put into or taken out of the CLI's queue of prompts between the line before and this one. */
  isAfterQueue: boolean
  messageId: string | null
  /** Ids of tool calls, and of those that are answered here. */
  calls: string[]
  answers: string[]
  /** Offset behind its newline. */
  end: number
}

/** A line that must not be copied: always, or unless the line that it points to is. */
export interface SideLine {
  start: number
  end: number
  leafUuid: string | null
}

/**
 * The main thread of a transcript in the order of the file. Half a line at the end, and what no record is, is passed over.
 *
 * @param from  Where the first line begins that is read.
 */
export function readMainLines(transcript: Uint8Array, from: number): { lines: MainLine[]; sides: SideLine[] } {
  const lines: MainLine[] = []
  const sides: SideLine[] = []
  let isAfterQueue = false
  const end = (line: RecordLine): number => {
    const newline = transcript.indexOf(10, from + line.offset + line.length)
    return newline === -1 ? transcript.length : newline + 1
  }
  eachLine(transcript.subarray(from), {
    onRecord(line) {
      const { record } = line
      if (record.type === 'queue-operation') isAfterQueue = true
      else if (record.type === 'cost-state') sides.push({ start: from + line.offset, end: end(line), leafUuid: null })
      else if (record.type === 'last-prompt')
        sides.push({ start: from + line.offset, end: end(line), leafUuid: uuidOf(record.leafUuid) ?? '' })
      else {
        const main = mainLine(record, isAfterQueue, () => end(line))
        if (main) lines.push(main)
        if (main) isAfterQueue = false
      }
    },
    onBroken() {},
  })
  return { lines, sides }
}

function mainLine(record: JsonRecord, isAfterQueue: boolean, end: () => number): MainLine | undefined {
  const uuid = uuidOf(record.uuid)
  if (uuid === undefined || record.isSidechain === true || idOf(record.agentId) !== undefined) return undefined
  const facts = factsOf(record)
  if (!facts) return undefined
  return {
    uuid,
    parentUuid: uuidOf(record.parentUuid) ?? null,
    isEnd: false,
    isAfterQueue,
    messageId: null,
    calls: [],
    answers: [],
    ...facts,
    end: end(),
  }
}

type Facts = Pick<MainLine, 'kind'> & Partial<MainLine>

function factsOf(record: JsonRecord): Facts | undefined {
  if (record.type === 'attachment') return { kind: 'attachment' }
  if (record.type === 'system') return { kind: isAskedCompaction(record) ? 'asked_compaction' : 'other' }
  const message = recordOf(record.message) ?? {}
  const blocks = blocksOf(message.content)
  if (record.type === 'user') return userFacts(record, blocks)
  return record.type === 'assistant' ? assistantFacts(message, blocks) : undefined
}

/** A compaction that the CLI does by itself stands in the middle of a turn. */
function isAskedCompaction(record: JsonRecord): boolean {
  return record.subtype === 'compact_boundary' && recordOf(record.compactMetadata)?.trigger === 'manual'
}

function userFacts(record: JsonRecord, blocks: readonly Block[]): Facts {
  if (isInterruption(blocks)) return { kind: 'interruption' }
  const type = userLineType(record, blocks)
  if (type === 'tool_result') return { kind: 'result', answers: idsOf(blocks, 'result') }
  if (type === 'summary') return { kind: 'summary' }
  return { kind: type === 'prompt' || type === 'notice' ? 'prompt' : 'other' }
}

/** What the API says when the model has said all. With others the CLI goes on by itself, or wrote nothing. */
const ENDS = new Set(['end_turn', 'stop_sequence'])

function assistantFacts(message: JsonRecord, blocks: readonly Block[]): Facts {
  const calls = idsOf(blocks, 'call')
  const messageId = idOf(message.id) ?? null
  const hasWords = blocks.some((block) => block.kind === 'text' || block.kind === 'other')
  return {
    kind: calls.length === 0 && hasWords ? 'words' : 'call',
    isEnd: ENDS.has(textOf(message.stop_reason) ?? ''),
    messageId,
    calls,
    answers: idsOf(blocks, 'result'),
  }
}

function idsOf(blocks: readonly Block[], kind: 'call' | 'result'): string[] {
  return blocks.flatMap((part) => {
    if (part.kind !== kind) return []
    const id = idOf(kind === 'call' ? part.block.id : part.block.tool_use_id)
    return id === undefined ? [] : [id]
  })
}
