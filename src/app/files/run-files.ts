import { rmSync } from 'node:fs'
import { AppError } from '../../domain/errors'
import type { JournalRef } from '../../domain/harness/harness'
import type { AgentName, EventId, SessionId } from '../../domain/ids'
import type { Store } from '../../domain/store'
import { newestTranscript } from '../../engine/record/newest-transcript'
import type { Services } from '../../engine/services'
import { defaultHarness, harnesses, harnessNamed } from '../../harness/registry'
import { serialByKey } from '../../util/serial-by-key'
import type { RecordEngine } from '../threads/record-engine'
import type { HostIdentity } from './home'
import { type KeptFile, streamPath, withKept } from './kept-files'
import { createRemoteFiles } from './remote-files'

export interface RunFilesOptions {
  home: string
  /** This machine. */
  host: HostIdentity
  store: Store
  engine(): Promise<RecordEngine>
  /** Folders of agent CLIs that this process's collector follows. */
  roots: readonly string[]
}

/** What runs leave: their output, files on other hosts, and the conversations that others continue. */
export type RunFiles = Pick<Services, 'appendStream' | 'appendRemote' | 'snapshot' | 'followedRoots'>

/** A conversation that is longer is not handed on: no model takes it. */
const MAX_SNAPSHOT_BYTES = 64 * 1_024 * 1_024

export function createRunFiles(options: RunFilesOptions): RunFiles {
  const { home, host, store, engine, roots } = options
  return {
    appendStream: streamsIn(options),
    appendRemote: createRemoteFiles({ home, store, engine }),
    async snapshot(session, at = null) {
      const { agent = defaultHarness().name } = (await store.sessions.find(session)) ?? {}
      const { title, run } = harnessNamed(agent)
      const cut = (await run?.())?.cutAtLastTurn ?? null
      if (cut === null)
        throw new AppError('conflict', `${title} can't continue in a copy of a conversation.`, {
          hint: 'Continue from a summary instead.',
        })
      const own = new Set([host.name, ...(await store.tasks.hostsOf(session))])
      const last = await newestTranscript(store.journals, session, own)
      const newest = at === null || last === null ? last : await upTo(store, session, at)
      if (newest === null) return null
      if (newest.size > MAX_SNAPSHOT_BYTES)
        throw new AppError('too_large', `The conversation ${session} has more than 64 MiB.`, {
          hint: 'Continue from a summary instead.',
        })
      const parts: Uint8Array[] = []
      for await (const part of store.journals.read(newest.id, 0, newest.size)) parts.push(part)
      // A reader of a chosen line would rather have a part of its turn than nothing.
      return cut(Buffer.concat(parts), at !== null)
    },
    followedRoots: () => ({ hostName: host.name, roots: [...roots] }),
  }
}

/** A line without its own is not finished. */
const NEWLINE = 1

/** The part of a transcript that ends with an event's line, or before it where that is a compaction. @throws `not_found` */
async function upTo(store: Store, session: SessionId, at: EventId): Promise<{ id: number; size: number }> {
  const [event, place] = await Promise.all([store.events.find(session, at), store.events.locate(session, at)])
  const transcripts = (await store.journals.listBySession(session)).filter(({ kind }) => kind === 'transcript')
  const isTranscript = transcripts.some(({ incarnations }) => incarnations.some(({ id }) => id === place?.incarnation))
  if (event === undefined || place === undefined || !isTranscript || event.subagentId !== null)
    throw new AppError('not_found', `No transcript of session ${session} has the line ${at} in its main thread.`, {
      hint: 'Choose another line of the main thread.',
    })
  const { incarnation, offset, length } = place
  return { id: incarnation, size: event.type === 'compaction' ? offset : offset + length + NEWLINE }
}

function streamsIn({ home, store, engine }: RunFilesOptions): RunFiles['appendStream'] {
  const oneByOne = serialByKey()
  /** Attempts whose session is forgotten: their output is taken and dropped. */
  const forgotten = new Set<string>()
  /** The owner of an output, by attempt; forgotten all at once rather than kept in an order. */
  const agents = new Map<string, AgentName>()
  return (attempt, offset, bytes, session, agentCli = null) =>
    oneByOne(attempt, async () => {
      const path = streamPath(home, attempt)
      if (forgotten.has(attempt)) return { offset: offset + bytes.length }
      const size = withKept(path, (file) => addToStream(file, offset, bytes))
      // Which conversation it is the worker says, before it says anything in it. The lines alone could name any.
      if (session === null) return { offset: size }
      const agent = agents.get(attempt) ?? (await agentOfStream(store, session, path, agentCli))
      if (agents.size >= MAX_AGENTS) agents.clear()
      agents.set(attempt, agent)
      const ref: JournalRef = { agent, kind: 'stream', path, sessionId: session, subagentId: null }
      const { state } = await (await engine()).recordFile(ref)
      if (state !== 'forgotten') return { offset: size }
      forgotten.add(attempt)
      rmSync(path, { force: true })
      return { offset: offset + bytes.length }
    })
}

/** Attempts whose agent CLI is kept in memory. */
const MAX_AGENTS = 1_000
/** Bytes of a run's output by which it is recognised. */
const HEAD_BYTES = 65_536

/**
 * The owner of an output: the agent of its conversation, which may have no line in the record yet; then its own first lines show it, or
 * else the agent CLI that the attempt was given: not every protocol names its program.
 */
export async function agentOfStream(
  store: Pick<Store, 'sessions'>,
  session: SessionId,
  path: string,
  agentCli: AgentName | null,
): Promise<AgentName> {
  const known = await store.sessions.find(session)
  if (known !== undefined) return known.agent
  const head = withKept(path, (file) => file.read(0, Math.min(file.size, HEAD_BYTES)))
  for (const harness of harnesses())
    if ((await harness.files()).classify(path, head)?.kind === 'stream') return harness.name
  return agentCli ?? defaultHarness().name
}

/**
 * Only the worker's own file of the output has an authority over it: bytes that differ from what is held (the disk lost what
 * it was not made to keep) replace it, and the record begins a new incarnation.
 */
function addToStream(file: KeptFile, offset: number, bytes: Uint8Array): number {
  const { size } = file
  if (offset > size)
    throw new AppError('conflict', `The server has the output up to ${size} bytes.`, {
      hint: 'Send the missing bytes first.',
      details: { offset: size },
    })
  const overlap = Math.min(size - offset, bytes.length)
  const isSame = Buffer.from(bytes.subarray(0, overlap)).equals(file.read(offset, overlap))
  if (isSame && overlap === bytes.length) return size
  if (isSame) file.write(size, bytes.subarray(overlap))
  else file.write(offset, bytes)
  file.sync()
  return file.size
}
