import type { IncarnationKey, SessionKey, SubagentKey } from '../../src/domain/ids'
import type {
  EventRow,
  RecordTx,
  SessionRow,
  SubagentRow,
  ToolUseRow,
  UsageRow,
} from '../../src/domain/record/record-store'
import type { WriteTx } from '../../src/domain/store'

/** A session with one transcript in the record, made through the recording port. */
export interface SampleSession {
  key: SessionKey
  id: string
  incarnation: IncarnationKey
}

let count = 0
/** An id that no other test uses. */
export const freshId = (prefix: string): string => `${prefix}-${++count}-${crypto.randomUUID().slice(0, 8)}`

export const sampleHost = (record: RecordTx): number | Promise<number> => record.host('installation-1', 'box')

/** Makes a session and stores `lines` as its transcript, in chunks of `chunkLines` lines. */
export async function sampleSession(
  { record }: WriteTx,
  options: { id?: string; agent?: string; lines?: string[]; chunkLines?: number; path?: string } = {},
): Promise<SampleSession> {
  const id = options.id ?? freshId('session')
  const host = await sampleHost(record)
  const agent = options.agent ?? 'claude-code'
  const session = await record.session(agent, id, host)
  if (session === undefined) throw new Error('the session is tombstoned')
  const journal = await record.journal(
    host,
    {
      agent,
      kind: 'transcript',
      path: options.path ?? `/transcripts/${id}.jsonl`,
      sessionId: id,
      subagentId: null,
    },
    session.key,
  )
  if (journal === undefined) throw new Error('the journal is tombstoned')
  const { key: incarnation } = await record.openIncarnation(
    journal.key,
    { number: 1, device: 1, inode: 2, headLength: 0, headHash: null, tailLength: 0, tailHash: null },
    null,
  )
  const lines = options.lines ?? []
  const chunkLines = options.chunkLines ?? 100
  let size = 0
  for (let from = 0; from < lines.length; from += chunkLines) {
    const bytes = Buffer.from(`${lines.slice(from, from + chunkLines).join('\n')}\n`)
    size = await appendBytes(record, incarnation, size, bytes)
  }
  return { key: session.key, id, incarnation }
}

/** Appends one chunk and gives the new size. */
export async function appendBytes(
  record: RecordTx,
  incarnation: IncarnationKey,
  size: number,
  bytes: Uint8Array<ArrayBuffer>,
): Promise<number> {
  const next = size + bytes.length
  await record.appendChunk(
    incarnation,
    { size, parsed: size },
    { length: bytes.length, body: Bun.zstdCompressSync(bytes) },
    {
      size: next,
      parsed: next,
      device: 1,
      inode: 2,
      headLength: 0,
      headHash: null,
      tailLength: 0,
      tailHash: null,
      ownFromAt: null,
      carry: null,
    },
  )
  return next
}

export const sampleEvent = (session: SampleSession, event: Partial<EventRow> = {}): EventRow => ({
  sessionKey: session.key,
  uuid: crypto.getRandomValues(new Uint8Array(16)),
  parentUuid: null,
  at: 1_000,
  type: 'text',
  role: 'assistant',
  subagentKey: null,
  parentToolUseId: null,
  toolUseId: null,
  toolName: null,
  text: null,
  isInherited: false,
  isFinal: false,
  isCut: false,
  incarnation: session.incarnation,
  offset: 0,
  length: 10,
  isMainFile: true,
  ...event,
})

export const sampleSubagent = (
  session: SampleSession,
  nativeId: string,
  row: Partial<SubagentRow> = {},
): SubagentRow => ({
  sessionKey: session.key,
  nativeId,
  source: 1,
  kind: 'agent',
  link: null,
  parentNativeId: null,
  depth: null,
  type: null,
  description: null,
  prompt: null,
  model: null,
  isBackground: null,
  outputFile: null,
  reportedTokens: null,
  startedAt: null,
  end: null,
  marks: [],
  ...row,
})

export const sampleToolUse = (
  session: SampleSession,
  toolUseId: string,
  row: Partial<ToolUseRow> = {},
): ToolUseRow => ({
  sessionKey: session.key,
  toolUseId,
  name: 'Agent',
  subagentKey: null,
  isPlaced: true,
  calledAt: 1,
  endedAt: null,
  isError: null,
  isInterrupted: false,
  launch: null,
  files: null,
  ...row,
})

export const sampleUsage = (session: SampleSession, row: Partial<UsageRow> = {}): UsageRow => ({
  sessionKey: session.key,
  messageId: freshId('msg'),
  subagentKey: null,
  model: 'claude-sonnet-4-5-20250929',
  at: 1,
  isMainFile: true,
  inputTokens: 1,
  outputTokens: 2,
  cacheReadTokens: 3,
  cacheCreationTokens: 4,
  cacheCreation1hTokens: 0,
  webSearchCount: 0,
  statedNanoUsd: 0,
  ...row,
})

/** Finds or makes a sub-agent and gives its key. */
export async function subagentKeyOf(record: RecordTx, session: SampleSession, id: string): Promise<SubagentKey> {
  return (await record.subagent(session.key, id, 'agent')).key
}

/** A change of a session's row that says nothing but what is given. */
export const sessionChange = (sessionKey: SessionKey, change: Partial<SessionRow> = {}): SessionRow => ({
  sessionKey,
  startedAt: null,
  lastEventAt: null,
  place: null,
  model: null,
  title: null,
  resumedFrom: null,
  translatedFrom: null,
  origin: null,
  forkedFrom: null,
  activity: null,
  rootUuid: null,
  forkPoint: null,
  anchors: [],
  eventCount: 0,
  compactionCount: 0,
  malformedCount: 0,
  fileGrewAt: null,
  lastWords: null,
  liveAt: null,
  ...change,
})
