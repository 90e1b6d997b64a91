import { statSync } from 'node:fs'
import type { Client } from '../api/client'
import { AppError, isAppError } from '../domain/errors'
import type { JournalKind, JournalRef } from '../domain/harness/harness'
import { type FileOutcome, type Recorder, unchangedFile } from '../domain/record/recorder'
import { prefixFingerprint } from '../util/files/file-prefix'
import { type FileWindow, openWindow } from '../util/files/file-window'
import { openUnpackedPart, packedInode, unpackedSize, whyUnread } from '../util/files/packed-file'

/** The part of a client that sends files. */
export interface FileSender {
  readonly files: Pick<Client['files'], 'append'>
}

export interface RemoteRecorderOptions {
  client: FileSender
  /** This machine: `name` is the installation's random id. */
  host: { name: string; hostname: string }
  /** Bytes of one request. Default 1 MiB; the server takes 4 MiB at most. */
  pieceBytes?: number
}

export interface RemoteRecorder extends Recorder {
  /** Goes on with another client, for example one that presents a new token. */
  use(client: FileSender): void
  /** Asks the server anew for each file: it may have less than it acknowledged. */
  forget(): void
}

const PIECE_BYTES = 1_024 * 1_024
/** Answers that the server stands elsewhere, in a row, before this turn is given up: others may send the same file. */
const MAX_REFUSALS = 8

/** What the server has: exactly the first `size` bytes of the file as it was then. */
interface Sent {
  size: number
  inode: number
  before: string | null
  isPacked: boolean
}

/**
 * A recorder for files of a machine on which no server runs: sends what the server does not have yet.
 *
 * The server's size is the cursor. What this process knows of it is only a hint, so that either side may start again at any
 * time; a file of which nothing is known costs one request. Bytes go on from where the server stands when the first 1 KiB and
 * the last 4 KiB before that place are the same on both sides; else the file was rewritten, and is sent from its beginning.
 */
export function createRemoteRecorder(options: RemoteRecorderOptions): RemoteRecorder {
  return new SendingRecorder(options)
}

class SendingRecorder implements RemoteRecorder {
  readonly #host: RemoteRecorderOptions['host']
  readonly #pieceBytes: number
  readonly #sent = new Map<string, Sent>()
  /** Sessions that the server had to forget: not offered again. */
  readonly #forgotten = new Set<string>()
  /** Files of sessions that are not this machine's, by their size when the server said so: offered again once they have grown. */
  readonly #foreign = new Map<string, number>()
  #client: FileSender

  constructor({ client, host, pieceBytes = PIECE_BYTES }: RemoteRecorderOptions) {
    this.#client = client
    this.#host = host
    this.#pieceBytes = pieceBytes
  }

  use(client: FileSender): void {
    this.#client = client
  }

  forget(): void {
    this.#sent.clear()
    this.#forgotten.clear()
    this.#foreign.clear()
  }

  async recordFile(ref: JournalRef): Promise<FileOutcome> {
    const outcome = unchangedFile(ref)
    const { kind } = ref
    if (!isSendable(kind)) return outcome
    if (this.#forgotten.has(ref.path)) return { ...outcome, state: 'forgotten' }
    const refusedAt = this.#foreign.get(ref.path)
    if (refusedAt !== undefined && sizeNow(ref.path) === refusedAt) return { ...outcome, state: 'foreign' }
    this.#foreign.delete(ref.path)
    try {
      // Once more when the file turns out to be other than it was opened as.
      while ((await this.#turn({ ...ref, kind }, outcome)) === 'again') this.#sent.delete(ref.path)
    } catch (error) {
      this.#sent.delete(ref.path)
      if (isAppError(error) && error.details?.isForeign === true) {
        this.#foreign.set(ref.path, sizeNow(ref.path))
        return { ...outcome, state: 'foreign' }
      }
      if (!isForgotten(error)) throw error
      this.#forgotten.add(ref.path)
      outcome.state = 'forgotten'
    }
    return outcome
  }

  async recordGone(ref: JournalRef): Promise<void> {
    this.#sent.delete(ref.path)
    const { kind } = ref
    if (!isSendable(kind) || this.#forgotten.has(ref.path)) return
    await this.#append({ ...ref, kind }, { offset: 0, before: null, isGone: true }, NO_BYTES)
  }

  async #turn(ref: SendableRef, outcome: FileOutcome): Promise<'done' | 'again'> {
    let file: FileWindow
    let packed: Packed = 'no'
    try {
      if (this.#isSentPacked(ref.path)) return 'done'
      const unpacked = await openUnpackedPart(ref.path)
      // Packed or plain again it is another file of the same bytes, as after a restart: the server is asked what it has.
      if (this.#sent.get(ref.path)?.isPacked !== (unpacked !== null)) this.#sent.delete(ref.path)
      file = unpacked ?? openWindow(ref.path)
      if (unpacked !== null) packed = unpacked.brokenBy === null ? 'whole' : 'part'
      if (unpacked?.brokenBy) outcome.reason = unpacked.brokenBy
    } catch (error) {
      outcome.state = outcome.bytesAdded > 0 ? outcome.state : 'missing'
      outcome.reason = whyUnread(error)
      return 'done'
    }
    try {
      return await this.#send(ref, file, packed, outcome)
    } finally {
      file.close()
    }
  }

  /** Whether the file is the packed one that was sent whole: to unpack it again would show nothing new. */
  #isSentPacked(path: string): boolean {
    const known = this.#sent.get(path)
    return known !== undefined && packedInode(path) === known.inode && unpackedSize(path) === known.size
  }

  /** Sends what is missing of the file as it was opened; what it grows by meanwhile is for the next turn. */
  async #send(ref: SendableRef, file: FileWindow, packed: Packed, outcome: FileOutcome): Promise<'done' | 'again'> {
    const known = this.#sent.get(ref.path)
    const end = file.size
    // Nothing to tell yet; a file that the server has is looked at even when it became empty.
    if (!known && end === 0) return 'done'
    const isSame = known !== undefined && isContinued(known, file)
    if (isSame && known.size === end) return 'done'
    // An unknown file is offered whole without its bytes: if the server has it, nothing is sent.
    let offset = known === undefined ? end : isSame ? known.size : 0
    let isRestart = known !== undefined && !isSame
    let refusals = 0
    for (;;) {
      const bytes = file.read(
        offset,
        known === undefined && offset === end ? 0 : Math.min(this.#pieceBytes, end - offset),
      )
      const before = offset === 0 ? null : prefixFingerprint(file, offset)
      // It shrank while it was read: the next turn sees it as it is.
      if (bytes.length < Math.min(this.#pieceBytes, end - offset) || (offset > 0 && before === null)) return 'again'
      let size: number
      try {
        const answer = await this.#append(ref, { offset, before, isAnew: isRestart && offset === 0 }, bytes)
        outcome.bytesAdded += bytes.length
        outcome.eventsAdded += answer.eventsAdded
        size = answer.size
      } catch (error) {
        const stands = sizeOf(error)
        if (stands === null) throw error
        if (++refusals > MAX_REFUSALS) throw contested(ref.path, error)
        const isElsewhere = stands !== offset && stands <= end
        // The record has more of it, or something else.
        if (packed === 'part' && !isElsewhere) return 'done'
        isRestart ||= !isElsewhere
        offset = isElsewhere ? stands : 0
        continue
      }
      if (isRestart) outcome.state = 'restarted'
      else if (bytes.length > 0 && outcome.state === 'unchanged') outcome.state = 'grown'
      offset += bytes.length
      // It may have more of the very same already: the next piece's fingerprint proves it.
      if (size > offset && size <= end) offset = size
      if (offset < end) continue
      // More than there was: another process sent what came since, or the file was cut while nobody looked.
      if (size > end && packed !== 'part' && (await this.#isCut(ref.path, size))) {
        if (++refusals > MAX_REFUSALS) throw contested(ref.path)
        isRestart = true
        offset = 0
        continue
      }
      this.#sent.set(ref.path, {
        size: end,
        inode: file.inode,
        before: prefixFingerprint(file, end),
        isPacked: packed !== 'no',
      })
      return 'done'
    }
  }

  async #isCut(path: string, size: number): Promise<boolean> {
    try {
      const file = openWindow(path)
      file.close()
      return file.size < size
    } catch {
      return false
    }
  }

  #append(
    { path, kind, sessionId, subagentId }: SendableRef,
    place: { offset: number; before: string | null; isGone?: boolean; isAnew?: boolean },
    bytes: Uint8Array,
  ) {
    const { name: hostName, hostname } = this.#host
    return this.#client.files.append({ hostName, hostname, path, kind, sessionId, subagentId, ...place }, bytes)
  }
}

/** `part` = its end is damaged: it takes the place of nothing that the record has. */
type Packed = 'no' | 'whole' | 'part'
type SendableKind = Parameters<Client['files']['append']>[0]['kind']
type SendableRef = JournalRef & { kind: SendableKind }

const NO_BYTES = new Uint8Array(0)
/** Streams and hooks have routes of their own. */
const isSendable = (kind: JournalKind): kind is SendableKind =>
  kind === 'transcript' || kind === 'subagent' || kind === 'subagent_meta' || kind === 'tasks'

/** Another inode with the same ends may hold other bytes between them: the file is sent again, and the server compares. */
const isContinued = (known: Sent, file: FileWindow): boolean =>
  known.inode === file.inode && file.size >= known.size && known.before === prefixFingerprint(file, known.size)

/** Where the server stands, when it refused bytes for that; `null` = another error. */
function sizeOf(error: unknown): number | null {
  const size = isAppError(error) && error.code === 'conflict' ? error.details?.size : undefined
  return typeof size === 'number' ? size : null
}

function sizeNow(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

const isForgotten = (error: unknown): boolean => isAppError(error) && error.details?.isForgotten === true

const contested = (path: string, cause?: unknown): AppError =>
  new AppError('unavailable', `Another process is sending ${path} at the same time.`, { cause })
