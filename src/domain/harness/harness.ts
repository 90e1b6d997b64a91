import type { AgentName } from '../ids'
import type { Observation, ParsedLines } from '../record/observation'

/** What a file or stream is to the record. */
export type JournalKind = 'transcript' | 'subagent' | 'subagent_meta' | 'stream' | 'hooks' | 'tasks'

/** A file that a harness recognised. All paths are absolute. */
export interface JournalRef {
  agent: AgentName
  kind: JournalKind
  path: string
  /** The session that the file belongs to, from its place; `null` for files that hold many (`hooks`) or tell it inside (`stream`). */
  sessionId: string | null
  /** The sub-agent that the file belongs to, from its name. */
  subagentId: string | null
  /** The file names no session: `sessionId` is the thread that launched this sub-agent, and may be a sub-agent itself. */
  isByLauncher?: true
}

/** Whether a file is one JSON value, and read whole; every other one has a value on each line. */
export const isDocument = ({ kind, path }: Pick<JournalRef, 'kind' | 'path'>): boolean =>
  kind === 'subagent_meta' || kind === 'tasks' || (kind === 'transcript' && path.endsWith('.json'))

/** What the parser must know of the file's place; it reads nothing else. */
export interface ParseContext {
  ref: JournalRef
  /** Offset of the first byte within the incarnation. */
  offset: number
  /** What the parser kept of the lines before (`ParsedLines.carry`); absent or `null` = nothing, as at a file's beginning. */
  carry?: string | null
}

/** A hook payload's observations with the session that it is about. */
export interface HookParse {
  sessionId: string
  transcriptPath: string | null
  observations: Observation[]
}

/**
 * How one agent CLI's files are read. Pure: parsers map bytes to observations, never throw on any input, and never look at the clock,
 * the disk or an earlier line. A parser whose lines say too little alone keeps what it needs of earlier ones in `carry`.
 */
export interface Harness {
  readonly agent: AgentName
  /** Recognises a file by its path (and, for a stream, its first bytes); `null` = not ours. */
  classify(path: string, head?: Uint8Array): JournalRef | null
  /** Parses whole lines; bytes after the last newline are left for later. */
  parseLines(bytes: Uint8Array, context: ParseContext): ParsedLines
  /** Parses a file that is one JSON value (see `isDocument`). `null` = its end is missing: it is asked again when there is more. */
  parseDocument(bytes: Uint8Array, context: ParseContext): Observation[] | null
  /** Parses one hook payload. `at` is when our hook process saw it, `env` what the journal kept of its environment. */
  parseHook(payload: unknown, at: number, env?: Readonly<Record<string, string>>): HookParse | null
}
