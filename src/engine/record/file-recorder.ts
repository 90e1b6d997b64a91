import { type AppError, isAppError } from '../../domain/errors'
import { type Harness, isDocument, type JournalRef } from '../../domain/harness/harness'
import { type AgentName, sessionId as asSessionId } from '../../domain/ids'
import type { IncarnationState, JournalCursor, RecordTx } from '../../domain/record/record-store'
import { type FileOrigin, type FileOutcome, type Recorder, unchangedFile } from '../../domain/record/recorder'
import { overwriteSpans, type SecretMask, secretMask } from '../../domain/secrets/mask'
import { ERASED_WORD } from '../../domain/secrets/secret-store'
import type { Store } from '../../domain/store'
import type { TodoFoldOptions } from '../../domain/todo/todo-step'
import { type FileWindow, openWindow } from '../../util/files/file-window'
import { fingerprint } from '../../util/files/fingerprint'
import {
  openUnpackedPart,
  packedInode,
  type UnpackedWindow,
  unpackedSize,
  whyUnread,
} from '../../util/files/packed-file'
import { foreignProjectOf, type ProjectPlace } from '../../util/git/git-project'
import { applyBytes, parseBytes, prepareBytes } from './bytes'
import { continuation, HEAD_BYTES, TAIL_BYTES } from './continuation'
import type { FoundMark, ShownBytes } from './masked-parse'

export interface FileRecorderOptions {
  store: Store
  harnessOf(agent: AgentName): Harness
  /** This machine: `name` is the installation's random id. */
  host: { name: string; hostname: string }
  compress(bytes: Uint8Array): Uint8Array
  projectOf(cwd: string): ProjectPlace
  /** Hides secrets in all that is derived. Default: all that are known. */
  mask?: SecretMask
  /** How lists of to-dos are folded. Default `TODO_FOLD_DEFAULTS`. */
  todos?: TodoFoldOptions
  /** Whether search finds what tools gave out. Default: it does. */
  indexesOutput?: boolean
  /** Bytes read and stored at once; a longer line is read whole up to `maxLineBytes`. Default 1 MiB. */
  blockBytes?: number
  /** A line longer than this is kept but not parsed. Default 64 MiB. */
  maxLineBytes?: number
}

/** Every block is a commit: half of this made an import a tenth slower. */
const BLOCK_BYTES = 1_024 * 1_024
/** Blocks from this size on give way to interactive work. */
const BULK_BYTES = 256 * 1_024
const MAX_LINE_BYTES = 64 * 1_024 * 1_024
/** Other recorders may win the race for a file this often before we report it. */
const MAX_RACES = 50

/** What this process knows of a file's journal: saves reading the cursor, is checked against it in every write. */
interface Known {
  cursor: JournalCursor
  /** For journals whose path does not name the session. */
  sessionId: string | null
}

/**
 * Records files: checks that a file still continues what is stored, stores its new bytes, parses whole lines and writes what
 * they say, all of one block in one unit of work.
 */
export class FileRecorder implements Recorder {
  private readonly options: FileRecorderOptions
  private readonly mask: SecretMask
  private readonly blockBytes: number
  private readonly maxLineBytes: number
  /** By where the bytes lie. */
  private readonly known = new Map<string, Known>()

  constructor(options: FileRecorderOptions) {
    this.options = options
    this.mask = options.mask ?? secretMask()
    this.blockBytes = options.blockBytes ?? BLOCK_BYTES
    this.maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES
  }

  /** Forgets what it knows of all files, e.g. after a rebuild moved the cursors. */
  reset(): void {
    this.known.clear()
  }

  async recordFile(ref: JournalRef, origin?: FileOrigin): Promise<FileOutcome> {
    const place = await this.filed(this.placeOf(ref, origin))
    const outcome = unchangedFile(ref)
    if (this.isKnownPacked(place.at)) return outcome
    let unpacked: UnpackedWindow | null
    try {
      unpacked = await openUnpackedPart(place.at)
    } catch (error) {
      return unreadable(outcome, error)
    }
    if (unpacked?.brokenBy) outcome.reason = unpacked.brokenBy
    try {
      let races = 0
      for (;;) {
        try {
          if ((await this.step(place, outcome, unpacked)) === 'done') return outcome
        } catch (error) {
          this.known.delete(place.at)
          if (!isRace(error) || ++races > MAX_RACES) throw error
        }
      }
    } finally {
      unpacked?.close()
    }
  }

  /** Whether the file is the packed one that was recorded whole: to unpack it again would show nothing new. */
  private isKnownPacked(at: string): boolean {
    const stored = this.known.get(at)?.cursor.incarnation
    if (!stored || stored.parsed !== stored.size) return false
    return packedInode(at) === stored.inode && unpackedSize(at) === stored.size
  }

  async recordGone(ref: JournalRef, origin?: FileOrigin): Promise<void> {
    const { at, host } = this.placeOf(ref, origin)
    this.known.delete(at)
    await this.options.store.write(async (tx) => {
      const hostKey = await tx.record.host(host.name, host.hostname)
      const cursor = await tx.record.journal(hostKey, ref, null)
      if (cursor?.incarnation) await tx.record.closeIncarnation(cursor.incarnation.key, 'deleted')
    })
  }

  private placeOf(ref: JournalRef, origin: FileOrigin | undefined): FilePlace {
    const { host, projectOf } = this.options
    if (origin === undefined) return { ref, at: ref.path, host, projectOf, isOwnOnly: false, mayBeBehind: false }
    const isHere = origin.host.name === host.name
    return {
      ref,
      at: origin.at,
      host: origin.host,
      projectOf: isHere ? projectOf : foreignProjectOf,
      isOwnOnly: origin.isOwnOnly === true,
      mayBeBehind: origin.mayBeBehind === true,
    }
  }

  /** Below the session at the top, where the file names only the thread that launched its own. */
  private async filed(place: FilePlace): Promise<FilePlace> {
    const { ref, host } = place
    if (ref.isByLauncher !== true) return place
    const session = await this.options.store.journals.sessionByLauncher(host.name, ref)
    return session === null ? place : { ...place, ref: { ...ref, sessionId: session } }
  }

  /** One block of the file. `more` = there is more to read, or the stored cursor was other than thought. */
  private async step(
    place: FilePlace,
    outcome: FileOutcome,
    unpacked: UnpackedWindow | null,
  ): Promise<'more' | 'done'> {
    if (unpacked !== null) return await this.stepFile(place, unpacked, outcome, unpacked.brokenBy !== null)
    let file: FileWindow
    try {
      file = openWindow(place.at)
    } catch (error) {
      unreadable(outcome, error)
      return 'done'
    }
    try {
      return await this.stepFile(place, file, outcome)
    } finally {
      file.close()
    }
  }

  /** @param isPart  its end is lost: it takes the place of nothing that the record has */
  private async stepFile(
    place: FilePlace,
    file: FileWindow,
    outcome: FileOutcome,
    isPart = false,
  ): Promise<'more' | 'done'> {
    const { ref, at } = place
    const known = this.known.get(at)
    const stored = known?.cursor.incarnation ?? null
    // Nothing to tell yet; a file that we know is looked at even when it became empty.
    if (!known && file.size === 0) return 'done'
    if (stored !== null && place.mayBeBehind && (await this.isBehind(stored, file))) {
      outcome.state = 'behind'
      return 'done'
    }
    const restart = stored === null ? null : await this.checkContinuation(stored, file)
    if (isPart && restart !== null) return 'done'
    const from = stored !== null && restart === null ? stored : null
    const isSameFile = from !== null && from.inode === file.inode
    if (isSameFile && file.size === from.size && from.parsed === from.size) return finish(outcome, from)
    const block = this.readBlock(ref, file, from)
    const parsed = parseBytes(
      { harnessOf: this.options.harnessOf, mask: this.mask },
      ref,
      block.bytes,
      { offset: block.offset, carry: from?.carry ?? null },
      block.isWhole,
    )
    const isIdle = parsed.consumed === 0 && !block.isTooLong
    if (isSameFile && isIdle && block.offset + block.bytes.length === from.size) return finish(outcome, from)
    return await this.write({ place, file, outcome, known, from, restart, block, parsed })
  }

  private async checkContinuation(stored: IncarnationState, file: FileWindow) {
    const result = continuation(stored, file)
    if (result.goesOn === true) return null
    if (result.goesOn === false) return result.reason
    return (await this.isSameBytes(stored, file, stored.size)) ? null : ('replaced' as const)
  }

  private async isBehind(stored: IncarnationState, file: FileWindow): Promise<boolean> {
    return file.size < stored.size && (await this.isSameBytes(stored, file, file.size))
  }

  /** Whether the first `size` bytes are the same; the record may have more by now, from another recorder. */
  private async isSameBytes(stored: IncarnationState, file: FileWindow, size: number): Promise<boolean> {
    let offset = 0
    let open = 0
    let kept: Buffer = Buffer.alloc(0)
    for await (const chunk of this.options.store.journals.read(stored.key, 0, size)) {
      offset += chunk.length
      // An erased secret may lie across chunks: one that differs is compared together with those around it.
      const whole = Buffer.concat([kept, chunk])
      const from = offset - whole.length
      const isSame = isSameBut(Buffer.from(file.read(from, whole.length)), whole)
      open = isSame ? 0 : open + chunk.length
      if (open > MOST_OPEN_BYTES) return false
      kept = isSame ? Buffer.from(chunk) : whole
    }
    if (open > 0) return false
    return offset === size
  }

  private readBlock(ref: JournalRef, file: FileWindow, from: IncarnationState | null): Block {
    const offset = from?.parsed ?? 0
    const isWhole = isDocument(ref)
    const stored = from ? from.size - from.parsed : 0
    let length = isWhole ? this.maxLineBytes : stored + this.blockBytes
    for (;;) {
      const bytes = file.read(offset, Math.min(length, file.size - offset))
      const isEnd = offset + bytes.length >= file.size
      if (isEnd || isWhole || bytes.lastIndexOf(10) >= 0 || length >= this.maxLineBytes)
        return { offset, bytes, isEnd, isWhole, isTooLong: !isEnd && bytes.lastIndexOf(10) < 0 }
      length *= 2
    }
  }

  private async write(job: Job): Promise<'more' | 'done'> {
    const { place, file, outcome, known, from, restart, block, parsed } = job
    const { ref, at, host, projectOf, isOwnOnly } = place
    const { store, compress, todos, indexesOutput } = this.options
    const size = block.offset + block.bytes.length
    const storedBefore = from?.size ?? 0
    const { bytes, erased } = await this.eraseAgain(block, parsed)
    const fresh = bytes.subarray(storedBefore - block.offset)
    const chunk = fresh.length > 0 ? { length: fresh.length, body: compress(fresh) } : null
    const next = {
      size,
      parsed: block.isTooLong ? size : block.offset + parsed.consumed,
      device: file.device,
      inode: file.inode,
      ...this.headOf(from, file, size),
      ...tailOf(file, block, size),
      ownFromAt: from?.ownFromAt ?? parsed.ownFromAt,
      carry: block.isTooLong ? (from?.carry ?? null) : parsed.carry,
    }
    if (block.isTooLong)
      parsed.malformed.push({ offset: block.offset, length: block.bytes.length, reason: 'line is too long to parse' })
    const sessionId = ref.sessionId ?? parsed.sessionId ?? known?.sessionId ?? null
    const ownFromAt = next.ownFromAt ?? 0
    const prepared = prepareBytes(parsed, { ref, sessionId, ownFromAt, projectOf, todos, indexesOutput })
    const weight = block.bytes.length >= BULK_BYTES ? 'bulk' : 'interactive'
    const result = await store.write(
      async (tx): Promise<WriteResult> => {
        const record = tx.record
        const hostKey = await record.host(host.name, host.hostname)
        // Asked once for a file, and again when its lines name another session.
        const isNew = known === undefined || known.sessionId !== sessionId
        if (isOwnOnly && isNew && sessionId !== null && !(await tx.tasks.isOfHost(host.name, asSessionId(sessionId))))
          return { is: 'foreign' }
        const session = sessionId === null ? null : await record.session(ref.agent, sessionId, hostKey)
        if (session === undefined) return { is: 'forgotten' }
        const cursor = known?.cursor ?? (await record.journal(hostKey, ref, session?.key ?? null))
        if (!cursor) return { is: 'forgotten' }
        // The database knows the file and this process did not: look again with its cursor.
        if (!known && cursor.incarnation) return { is: 'known', cursor, sessionId }
        const state = from ?? (await this.begin(record, cursor, next, restart))
        // The start of one may have come before its end, by which it was known again.
        for (const { offset, length } of erased)
          if (offset < state.size) await tx.erasure.overwrite(state.key, offset, Math.min(length, state.size - offset))
        await record.appendChunk(state.key, { size: state.size, parsed: state.parsed }, chunk, next)
        const malformed = parsed.malformed.length > 0 ? await record.addMalformed(state.key, parsed.malformed) : 0
        const keys = { hostKey, session, incarnation: state.key, malformed, grewAt: tx.now }
        const applied = await applyBytes(tx, prepared, keys)
        return { is: 'written', cursor, sessionId, state: { ...state, ...next }, malformed, ...applied }
      },
      { weight },
    )

    if (result.is === 'forgotten' || result.is === 'foreign') {
      outcome.state = result.is
      outcome.sessionId = sessionId
      this.known.delete(at)
      return 'done'
    }
    outcome.sessionId = result.sessionId
    if (result.is === 'known') {
      this.known.set(at, { cursor: result.cursor, sessionId: result.sessionId })
      return 'more'
    }
    this.known.set(at, {
      cursor: { ...result.cursor, incarnation: result.state, lastNumber: result.state.number },
      sessionId: result.sessionId,
    })
    outcome.state = restart !== null ? 'restarted' : outcome.state === 'restarted' ? 'restarted' : 'grown'
    outcome.bytesAdded += fresh.length
    outcome.eventsAdded += result.eventsAdded
    outcome.malformedAdded += result.malformed
    outcome.newSessionIds.push(...result.newSessionIds)
    if (!block.isEnd) return 'more'
    return finish(outcome, result.state)
  }

  /**
   * Overwrites what was erased and stands in the agent's file still. The block keeps its bytes: by them the file is known again.
   *
   * @returns what to store, and where something was overwritten
   */
  private async eraseAgain(
    block: Block,
    { secrets }: ShownBytes,
  ): Promise<{ bytes: Uint8Array; erased: readonly FoundMark[] }> {
    if (secrets.length === 0) return { bytes: block.bytes, erased: [] }
    const ids = await this.options.store.secrets.erasedAmong([...new Set(secrets.map(({ id }) => id))])
    const erased = secrets.filter(({ id }) => ids.has(id))
    if (erased.length === 0) return { bytes: block.bytes, erased }
    const spans = erased.map(({ offset, length }) => ({
      from: offset - block.offset,
      to: offset - block.offset + length,
    }))
    const bytes = new Uint8Array(block.bytes)
    overwriteSpans(bytes, spans, ERASED_WORD)
    return { bytes, erased }
  }

  /** A new incarnation, after closing the one that the file no longer is. */
  private async begin(
    record: RecordTx,
    cursor: JournalCursor,
    next: Omit<IncarnationState, 'key' | 'number'>,
    restart: 'rewritten' | 'replaced' | 'truncated' | 'deleted' | null,
  ): Promise<IncarnationState> {
    if (restart !== null && cursor.incarnation) await record.closeIncarnation(cursor.incarnation.key, restart)
    const { device, inode, headLength, headHash, tailLength, tailHash } = next
    return await record.openIncarnation(
      cursor.key,
      { number: cursor.lastNumber + 1, device, inode, headLength, headHash, tailLength, tailHash },
      null,
    )
  }

  private headOf(from: IncarnationState | null, file: FileWindow, size: number) {
    if (from && from.headLength === HEAD_BYTES) return { headLength: from.headLength, headHash: from.headHash }
    const head = file.read(0, Math.min(HEAD_BYTES, size))
    return { headLength: head.length, headHash: fingerprint(head) }
  }
}

interface Block {
  offset: number
  bytes: Uint8Array
  /** The file had no more bytes when it was read. */
  isEnd: boolean
  /** A document is parsed as a whole, not by lines. */
  isWhole: boolean
  isTooLong: boolean
}

/** A file as the record knows it, and where its bytes are. */
interface FilePlace {
  ref: JournalRef
  at: string
  host: FileRecorderOptions['host']
  projectOf(cwd: string): ProjectPlace
  isOwnOnly: boolean
  mayBeBehind: boolean
}

interface Job {
  place: FilePlace
  file: FileWindow
  outcome: FileOutcome
  known: Known | undefined
  from: IncarnationState | null
  restart: 'rewritten' | 'replaced' | 'truncated' | 'deleted' | null
  block: Block
  parsed: ShownBytes
}

type WriteResult =
  | { is: 'forgotten' }
  | { is: 'foreign' }
  | { is: 'known'; cursor: JournalCursor; sessionId: string | null }
  | {
      is: 'written'
      cursor: JournalCursor
      sessionId: string | null
      state: IncarnationState
      malformed: number
      eventsAdded: number
      newSessionIds: string[]
    }

/** The last bytes before `size`: from the block when it is long enough. */
function tailOf(file: FileWindow, block: Block, size: number) {
  const length = Math.min(TAIL_BYTES, size)
  const inBlock = block.bytes.length >= length
  const tail = inBlock ? block.bytes.subarray(block.bytes.length - length) : file.read(size - length, length)
  return { tailLength: tail.length, tailHash: fingerprint(tail) }
}

function unreadable(outcome: FileOutcome, error: unknown): FileOutcome {
  outcome.state = outcome.bytesAdded > 0 ? outcome.state : 'missing'
  outcome.reason = whyUnread(error)
  return outcome
}

function finish(outcome: FileOutcome, state: IncarnationState): 'done' {
  outcome.pendingBytes = state.size - state.parsed
  return 'done'
}

/** Whether a file has the stored bytes, but for secrets that were erased of them. */
function isSameBut(file: Buffer, kept: Buffer): boolean {
  if (file.equals(kept)) return true
  if (file.length !== kept.length) return false
  for (let at = kept.indexOf(ERASED_WORD); at >= 0; at = kept.indexOf(ERASED_WORD, at + 1)) {
    let end = at + ERASED_WORD.length
    while (kept[end] === STAR) end++
    kept.copy(file, at, at, end)
  }
  return file.equals(kept)
}

const STAR = 0x2a
/** An erased secret, and chunks of its size, are shorter. */
const MOST_OPEN_BYTES = 2 * 1_024 * 1_024

const isRace = (error: unknown): boolean =>
  isAppError(error) && error.code === 'conflict' && (error as AppError).details?.raced === true
