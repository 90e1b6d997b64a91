import { isAppError } from '../../../domain/errors'
import type { CliPlace, CliProgram, HarnessRun } from '../../../domain/harness/harness-run'
import { TRANSLATED_BYTES } from '../../../domain/harness/translation'
import type { EventId, SessionId } from '../../../domain/ids'
import { lookAt, packedNow, readEither } from '../../../util/files/packed-file'
import { pause } from '../../link/backoff'
import type { WorkerClient } from '../../options'
import { exportedPieces } from './exported-pieces'
import type { LadderSteps, Obstacle } from './ladder'
import { mainTranscript } from './translate-conversation'

export interface StepsOptions {
  harness: Pick<
    HarnessRun,
    'agent' | 'transcriptPath' | 'has' | 'isRecorded' | 'openedBy' | 'restore' | 'cutAtLastTurn'
  >
  program: CliProgram
  place: CliPlace
  /** Where the conversation ran last. */
  formerCwd: string | null
  /** Where a copy of it ends at the latest; `null` = nowhere before its end. */
  forkAt: EventId | null
  client: Pick<WorkerClient, 'sessions' | 'conversations'>
  /** Writes the snapshot's file; gives its path. */
  writeSnapshot(bytes: Uint8Array): string
  signal: AbortSignal
}

/** So long the record may be behind what was written: it follows within milliseconds, but on a machine that is overloaded. */
const RECORDED_MS = 5_000
/** So long the files of another machine may be behind the output of its run. */
const ARRIVED_MS = 2_000

/** The ladder's looks and deeds on this machine's disk and at the server. */
export function conversationSteps(options: StepsOptions): LadderSteps {
  const { harness, place, client, forkAt } = options
  return {
    openedBy: (session) => harness.openedBy(place, session),

    async localObstacle(session) {
      const path = harness.transcriptPath(place, session)
      if (path === null) {
        if (harness.has?.(place, session) !== false) return null
        return { reason: 'transcript_missing', detail: `${harness.agent} does not have it on this machine` }
      }
      const size = sizeOf(path)
      if (size === null) return { reason: 'transcript_missing', detail: `${path} does not exist` }
      if (size === 0) return { reason: 'transcript_empty', detail: `${path} is empty` }
      // A sandboxed run is given the one file that it goes on in.
      if (packedNow(path) !== null) return { reason: 'transcript_packed', detail: `${path} is packed` }
      // It went on elsewhere since, or was cut: resuming this copy would forget what came after.
      const recorded = await recordedSize(client, session)
      if (recorded !== null && recorded > size)
        return { reason: 'transcript_shorter', detail: `${path} has ${size} of ${recorded} recorded bytes` }
      return null
    },

    async restore(session) {
      if (harness.restore === null)
        return { reason: 'cannot_restore', detail: "its agent CLI can't restore a conversation" }
      await whenRecorded(options, session)
      await whenArrived(options, session)
      try {
        await harness.restore(place, session, exportedPieces(client, session, place.root), options.program)
        return null
      } catch (error) {
        return obstacle(error, { not_found: 'not_recorded', conflict: 'transcript_differs' })
      }
    },

    async snapshot(session) {
      if (harness.cutAtLastTurn === null)
        return { reason: 'cannot_copy', detail: "its agent CLI can't continue in a copy of a conversation" }
      const isRecorded = await whenRecorded(options, session)
      const own = isRecorded || forkAt !== null ? null : await ownSnapshot(options, session)
      if (own !== null) return { path: options.writeSnapshot(own.bytes), lastUuid: own.lastUuid }
      try {
        const { bytes, lastUuid } = await client.conversations.snapshot(session, forkAt === null ? {} : { at: forkAt })
        return { path: options.writeSnapshot(bytes), lastUuid }
      } catch (error) {
        return obstacle(error, { not_found: 'no_finished_turn', too_large: 'too_large' })
      }
    },
  }
}

/** What stands in the way of one rung only; the server being away is not of that kind. @throws `unavailable` */
export function obstacle(error: unknown, words: Readonly<Record<string, string>>): Obstacle {
  if (!isAppError(error)) return { reason: 'failed', detail: error instanceof Error ? error.message : String(error) }
  if (error.code === 'unavailable' || error.code === 'unauthorized') throw error
  return { reason: words[error.code] ?? error.code, detail: error.message }
}

/** Where a conversation may be. */
type Looked = Pick<StepsOptions, 'place' | 'formerCwd' | 'client'> & {
  harness: Pick<HarnessRun, 'transcriptPath' | 'isRecorded'>
}

/**
 * Waits until the record holds what this machine's copy of the conversation holds now, at most `RECORDED_MS`. A CLI without files is asked
 * whether what is recorded is all of it.
 *
 * @returns whether it does
 */
export async function whenRecorded(
  { harness, place, formerCwd, client, signal }: Looked & Pick<StepsOptions, 'signal'>,
  session: SessionId,
): Promise<boolean> {
  const path = ownTranscript({ harness, place, formerCwd }, session)
  const { isRecorded } = harness
  if (path === null) {
    if (isRecorded === undefined) return true
    let looked: number | null = null
    return await waited(signal, async () => {
      const size = (await recordedSize(client, session)) ?? 0
      // What is missing will make it longer.
      if (size === looked) return false
      looked = size
      const transcript = size === 0 ? new Uint8Array() : await mainTranscript(client, session, TRANSLATED_BYTES)
      return transcript === null || isRecorded(place, session, transcript)
    })
  }
  const size = sizeOf(path) ?? 0
  return await waited(signal, async () => {
    const journals = await journalsOf(client, session)
    const journal = journals.find((each) => each.path === path)
    // A file at a place that the record does not follow will bring nothing.
    const held = (journal ?? journals[0])?.incarnations[0]?.size ?? 0
    return held >= size
  })
}

/** This machine's own file of a conversation; `null` = it has none. */
function ownTranscript(
  { harness, place, formerCwd }: Pick<Looked, 'place' | 'formerCwd'> & { harness: Pick<HarnessRun, 'transcriptPath'> },
  session: SessionId,
): string | null {
  const places = formerCwd === null || formerCwd === place.cwd ? [place] : [{ ...place, cwd: formerCwd }, place]
  return places.map((each) => harness.transcriptPath(each, session)).find((each) => sizeOf(each) !== null) ?? null
}

/** A copy up to the last finished turn, of this machine's own file: the record may be behind it after the server was away. */
async function ownSnapshot(
  options: StepsOptions,
  session: SessionId,
): Promise<{ bytes: Uint8Array; lastUuid: string } | null> {
  const path = ownTranscript(options, session)
  if (path === null || (sizeOf(path) ?? 0) > TRANSLATED_BYTES) return null
  return options.harness.cutAtLastTurn?.(await readEither(path)) ?? null
}

/** Bytes of this machine's copy of a conversation now; left out where it has none, or its agent CLI keeps no files. */
export function transcriptBytes(
  harness: Pick<HarnessRun, 'transcriptPath'>,
  place: CliPlace,
  session: SessionId,
): { transcriptBytes?: number } {
  const size = sizeOf(harness.transcriptPath(place, session))
  return size === null ? {} : { transcriptBytes: size }
}

/** Asks again and again whether something holds, for `RECORDED_MS`. */
async function waited(signal: AbortSignal, holds: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + RECORDED_MS
  for (let waitMs = 5; !signal.aborted; waitMs = Math.min(100, waitMs * 2)) {
    if (await holds()) return true
    if (performance.now() > deadline) return false
    await pause(waitMs, signal)
  }
  return false
}

/** Waits for a transcript of which nothing is recorded though the model answered in it: it is on its way from where it ran. */
export async function whenArrived(
  { client, signal }: Pick<StepsOptions, 'client' | 'signal'>,
  session: SessionId,
): Promise<void> {
  const deadline = performance.now() + ARRIVED_MS
  while ((await recordedSize(client, session)) === null && (await isAnswered(client, session))) {
    if (signal.aborted || performance.now() > deadline) return
    await pause(50, signal)
  }
}

/** Whether anything of the conversation is on this machine or in the record. */
export async function isBegun({ harness, place, formerCwd, client }: Looked, session: SessionId): Promise<boolean> {
  const places = formerCwd === null ? [place] : [place, { ...place, cwd: formerCwd }]
  if (places.some((each) => (sizeOf(harness.transcriptPath(each, session)) ?? 0) > 0)) return true
  return ((await recordedSize(client, session)) ?? 0) > 0 || (await isAnswered(client, session))
}

/** The output of its run reports an answer of the model: its transcript is on a machine whose files did not come yet, or never will. */
async function isAnswered(client: Pick<WorkerClient, 'sessions'>, id: SessionId): Promise<boolean> {
  try {
    const { session } = await client.sessions.get(id)
    return session.usage.outputTokens > 0 || session.counts.toolCalls > 0
  } catch (error) {
    if (isAppError(error) && error.code === 'not_found') return false
    throw error
  }
}

async function journalsOf(client: Pick<WorkerClient, 'sessions'>, session: SessionId) {
  try {
    return (await client.sessions.journals(session)).journals.filter((journal) => journal.kind === 'transcript')
  } catch (error) {
    if (isAppError(error) && error.code === 'not_found') return []
    throw error
  }
}

/** Bytes of the transcript that holds the most of the conversation, wherever; `null` = none is recorded. */
async function recordedSize(client: Pick<WorkerClient, 'sessions'>, session: SessionId): Promise<number | null> {
  const sizes = (await journalsOf(client, session)).flatMap(({ incarnations: [newest] }) => newest?.size ?? [])
  return sizes.length === 0 ? null : Math.max(...sizes)
}

const sizeOf = (path: string | null): number | null => (path === null ? null : (lookAt(path)?.size ?? null))
