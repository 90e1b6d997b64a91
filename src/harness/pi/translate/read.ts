import type { NeutralConversation } from '../../../domain/harness/translation'
import { ConversationBuilder } from '../../json-lines/conversation-builder'
import { idOf, isRecord, type JsonRecord, recordOf, textOf } from '../../json-lines/json-value'
import { contentOf } from '../content/line-content'
import { eachLine } from '../lines'

/** An entry and where it stands. Entries of the first releases have no ids: each follows the one before. */
interface Entry {
  id: string
  parentId: string | null
  type: string
  start: number
  length: number
  /** For a compaction: the first entry that stays. For an edit: the entry that it changes. */
  about: string | undefined
}

/**
 * What the model would see of a session (0.87): the branch that ends with the last entry, from its last compaction on, with what that one
 * kept, and without entries that were edited out.
 */
export function readConversation(transcript: Uint8Array): NeutralConversation {
  const branch = branchOf(entriesOf(transcript))
  const at = branch.findLastIndex(({ type }) => type === 'compaction')
  const shown = at === -1 ? branch : [...branch.slice(at, at + 1), ...keptBefore(branch, at), ...branch.slice(at + 1)]
  const edits = new Map(shown.flatMap((entry) => (entry.type === 'context_edit' ? [[entry.about, entry]] : [])))
  const builder = new ConversationBuilder()
  const recordOfEntry = ({ start, length }: Entry): JsonRecord =>
    parsed(transcript.subarray(start, start + length)) ?? {}
  for (const entry of shown) {
    const edit = edits.get(entry.id)
    if (edit === undefined) addEntry(builder, recordOfEntry(entry))
    else addEdited(builder, recordOfEntry(entry), recordOf(recordOfEntry(edit).replacement))
  }
  return builder.build()
}

function entriesOf(transcript: Uint8Array): Entry[] {
  const entries: Entry[] = []
  eachLine(transcript, {
    onRecord({ record, offset, length }) {
      if (record.type === 'session') return
      const id = idOf(record.id)
      const before = entries.at(-1)?.id ?? null
      entries.push({
        id: id ?? nameOf(entries.length),
        parentId: id === undefined ? before : (idOf(record.parentId) ?? null),
        type: textOf(record.type) ?? '',
        ...{ start: offset, length },
        about: record.type === 'compaction' ? keptFrom(record) : idOf(record.targetId),
      })
    },
    onBroken() {},
  })
  return entries
}

/** The first entry that a compaction keeps. The first releases count them, and the header as well. */
const keptFrom = ({ firstKeptEntryId, firstKeptEntryIndex: index }: JsonRecord): string | undefined =>
  idOf(firstKeptEntryId) ?? (typeof index === 'number' ? nameOf(index - 1) : undefined)

/** The id of an entry that has none. */
const nameOf = (index: number): string => `line ${index}`

function branchOf(entries: readonly Entry[]): Entry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]))
  const branch = new Set<Entry>()
  for (let entry = entries.at(-1); entry !== undefined && !branch.has(entry); entry = byId.get(entry.parentId ?? ''))
    branch.add(entry)
  return [...branch].reverse()
}

function keptBefore(branch: readonly Entry[], compaction: number): Entry[] {
  const first = branch.findIndex(({ id }) => id === branch[compaction]?.about)
  if (first === -1) return []
  // Only the newest summary counts.
  return branch.slice(first, compaction).filter(({ type }) => type !== 'compaction')
}

function addEntry(builder: ConversationBuilder, record: JsonRecord): void {
  const message = record.type === 'message' ? recordOf(record.message) : undefined
  if (message !== undefined) addMessage(builder, record, message)
  else if (record.type === 'compaction' || record.type === 'branch_summary') builder.person(contentOf(record))
}

function addMessage(builder: ConversationBuilder, record: JsonRecord, message: JsonRecord): void {
  switch (message.role) {
    case 'user':
      builder.person(contentOf(record))
      return
    case 'assistant':
      // An error is no word of the model.
      builder.agent(contentOf({ ...record, message: { ...message, errorMessage: undefined } }))
      return
    case 'toolResult':
      builder.answers(contentOf(record))
      return
    case 'bashExecution':
      if (message.excludeFromContext !== true) builder.person(contentOf(record))
      return
    case 'branchSummary':
    case 'compactionSummary':
      builder.person({ blocks: [{ kind: 'text', text: textOf(message.summary) ?? '' }], isCut: false })
  }
}

/** @param replacement  `undefined` = the entry is left out */
function addEdited(builder: ConversationBuilder, record: JsonRecord, replacement: JsonRecord | undefined): void {
  const message = recordOf(record.message)
  if (replacement === undefined || message === undefined) return
  addEntry(builder, { ...record, message: { ...message, content: replacement.content } })
}

function parsed(line: Uint8Array): JsonRecord | undefined {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(line))
    return isRecord(value) ? value : undefined
  } catch {
    return undefined
  }
}
