import { rmSync } from 'node:fs'
import { isAbsolute, win32 } from 'node:path'
import { HEAD_BYTES } from '../../collector/file-heads'
import { AppError } from '../../domain/errors'
import type { JournalRef } from '../../domain/harness/harness'
import type { HarnessFiles } from '../../domain/harness/harness-files'
import type { Store } from '../../domain/store'
import type { RemoteFile, Services } from '../../engine/services'
import { harnesses } from '../../harness/registry'
import { prefixFingerprint } from '../../util/files/file-prefix'
import { serialByKey } from '../../util/serial-by-key'
import type { RecordEngine } from '../threads/record-engine'
import { copyPath, type KeptFile, replaceKept, withKept } from './kept-files'

export interface RemoteFilesOptions {
  home: string
  store: Store
  engine(): Promise<RecordEngine>
}

/**
 * The server's side of `collector/remote-recorder.ts`: keeps a copy of each file of another host as far as it was sent, and
 * records it from there. The copy is made again from the journals where it is missing or behind them (another server of the
 * same database took the last pieces), so that nothing is sent twice.
 */
export function createRemoteFiles({ home, store, engine }: RemoteFilesOptions): Services['appendRemote'] {
  const oneByOne = serialByKey()
  return async (host, file, bytes, isOwnOnly = false) => {
    const { files, placed } = await placeOf(file)
    const at = copyPath(home, host.name, file.path)
    const origin = { host, at, isOwnOnly, mayBeBehind: !file.isAnew }
    return await oneByOne(at, async () => {
      const recorder = await engine()
      if (file.isGone) {
        rmSync(at, { force: true })
        await recorder.recordGone({ ...placed, kind: file.kind }, origin)
        return { size: 0, outcome: null }
      }
      if (file.offset === 0) await startOver(at, bytes)
      else if (!withKept(at, (copy) => add(copy, file, bytes))) {
        await catchUp(store, host.name, file.path, at)
        if (!withKept(at, (copy) => add(copy, file, bytes))) throw standsElsewhere(at)
      }
      const ref = files.needsHead ? files.classify(file.path, headOf(at)) : placed
      // Its first line is not whole yet: the next piece has more of it.
      if (ref === null) return { size: withKept(at, ({ size }) => size), outcome: null }
      if (ref.kind !== file.kind) {
        rmSync(at, { force: true })
        throw isNone(file)
      }
      const outcome = await recorder.recordFile(ref, origin)
      if (outcome.state === 'foreign') {
        rmSync(at, { force: true })
        throw new AppError('forbidden', `Session ${outcome.sessionId} belongs to another machine.`, {
          hint: 'A worker may send the conversations of its machine and of its attempts.',
          details: { isForeign: true },
        })
      }
      if (outcome.state === 'forgotten') {
        rmSync(at, { force: true })
        throw new AppError('forbidden', 'This session was forgotten and is not recorded again.', {
          details: { isForgotten: true },
        })
      }
      if (outcome.state === 'behind') await catchUp(store, host.name, file.path, at)
      return { size: withKept(at, ({ size }) => size), outcome }
    })
  }
}

/**
 * What the file is, by its path, or by its first bytes where the path leaves it open: a caller's word is not enough to file bytes under a
 * session.
 */
async function placeOf(file: RemoteFile): Promise<{ files: HarnessFiles; placed: JournalRef }> {
  const { path, kind } = file
  const isPlain = !path.includes('\0') && (isAbsolute(path) || win32.isAbsolute(path))
  for (const harness of isPlain ? harnesses() : []) {
    const files = await harness.files()
    const placed = files.classify(path)
    // A packed file is sent unpacked, by its plain name.
    const isOwnName = placed?.path === path
    if (placed !== null && isOwnName && (files.needsHead || placed.kind === kind)) return { files, placed }
  }
  throw isNone(file)
}

const isNone = ({ path, kind }: RemoteFile): AppError =>
  new AppError('invalid', `${JSON.stringify(path.slice(0, 200))} is not a ${kind} of an agent CLI.`, {
    hint: 'Give the absolute path of the file on its host.',
  })

const headOf = (at: string): Uint8Array => withKept(at, (copy) => copy.read(0, Math.min(HEAD_BYTES, copy.size)))

/** A request that is sent again finds its own bytes, and leaves the copy and its inode as they are. */
async function startOver(at: string, bytes: Uint8Array): Promise<void> {
  const isThere = withKept(
    at,
    (copy) => copy.size === bytes.length && Buffer.from(bytes).equals(copy.read(0, bytes.length)),
  )
  if (!isThere) await replaceKept(at, [bytes])
}

/** @returns `false` when the copy is not what the sender thinks it is; nothing is changed then */
function add(copy: KeptFile, { offset, before }: RemoteFile, bytes: Uint8Array): boolean {
  const { size } = copy
  if (offset > size || before === null || prefixFingerprint(copy, offset) !== before) return false
  const overlap = Math.min(size - offset, bytes.length)
  if (!Buffer.from(bytes.subarray(0, overlap)).equals(copy.read(offset, overlap))) return false
  if (overlap < bytes.length) copy.write(size, bytes.subarray(overlap))
  return true
}

/** Brings the copy up to the journals when they have more. */
async function catchUp(store: Store, hostName: string, path: string, at: string): Promise<void> {
  const [open] = await store.journals.listOpen(hostName, { paths: [path] })
  const size = withKept(at, (copy) => copy.size)
  if (open !== undefined && open.size > size) await replaceKept(at, store.journals.read(open.incarnation))
}

function standsElsewhere(at: string): AppError {
  const size = withKept(at, (copy) => copy.size)
  return new AppError('conflict', `The record has ${size} bytes of this file, and these bytes don't follow them.`, {
    hint: 'Continue from there if the preceding bytes are the same. Otherwise send the file from its beginning.',
    details: { size },
  })
}
