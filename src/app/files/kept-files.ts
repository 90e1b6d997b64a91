/**
 * Files in Lodeline's folder that repeat what is in the journals: the output of runs as it was received (`streams/`), and
 * copies of files on other hosts as far as they were sent (`hosts/`). Copies can be made again from the journals.
 */
import {
  closeSync,
  constants,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { AppError } from '../../domain/errors'
import { randomHex, sha256Hex } from '../../util/crypto'
import { diskFault } from '../../util/files/disk-fault'
import { readRange } from '../../util/files/file-window'

/** @throws `invalid` when `attempt` is no attempt's id: it becomes a file's name */
export function streamPath(home: string, attempt: string): string {
  if (!/^t-[0-9a-z]{8,64}\.[1-9]\d{0,8}$/.test(attempt))
    throw new AppError('invalid', `${JSON.stringify(attempt.slice(0, 100))} is not the ID of an attempt.`)
  return join(home, 'streams', `${attempt}.jsonl`)
}

/** Names from another host never become names here: they are only hashed. */
export function copyPath(home: string, hostName: string, path: string): string {
  return join(home, 'hosts', hash(hostName).slice(0, 32), hash(path))
}

/** Removes what is kept of these journals, on whatever host they are. */
export function removeKept(home: string, paths: readonly string[]): void {
  const streams = join(home, 'streams')
  const hosts = join(home, 'hosts')
  for (const path of paths) {
    if (dirname(path) === streams) rmSync(path, { force: true })
    for (const host of namesIn(hosts)) rmSync(join(hosts, host, hash(path)), { force: true })
  }
}

/** A kept file, open. */
export interface KeptFile {
  readonly size: number
  /** Up to `length` bytes from `offset`. */
  read(offset: number, length: number): Uint8Array
  /** Puts `bytes` at `offset`, which is not beyond the end, and cuts off what was behind. */
  write(offset: number, bytes: Uint8Array): void
  /** Waits until the disk has it. */
  sync(): void
}

/**
 * Opens a kept file, made when it is missing, for the time of `use`.
 * @throws `storage_full` `storage_readonly`; a part of what was to be written may be in the file then
 */
export function withKept<T>(path: string, use: (file: KeptFile) => T): T {
  const { O_CREAT, O_NOFOLLOW, O_NONBLOCK, O_RDWR } = constants
  return onDisk(path, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    const fd = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600)
    try {
      return use(keptFile(fd))
    } finally {
      closeSync(fd)
    }
  })
}

function keptFile(fd: number): KeptFile {
  return {
    get size() {
      return fstatSync(fd).size
    },
    read: (offset, length) => readRange(fd, offset, length),
    write(offset, bytes) {
      if (offset < fstatSync(fd).size) ftruncateSync(fd, offset)
      writeAll(fd, bytes, offset)
    },
    sync: () => fdatasyncSync(fd),
  }
}

/**
 * Replaces a kept file by these bytes, all at once: readers have the old one or the new one.
 * @throws `storage_full` `storage_readonly`; the old file is untouched then
 */
export async function replaceKept(
  path: string,
  parts: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): Promise<void> {
  const draft = `${path}.${randomHex(6)}`
  const fd = onDisk(path, () => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    return openSync(draft, 'wx', 0o600)
  })
  try {
    let size = 0
    for await (const part of parts) {
      onDisk(path, () => writeAll(fd, part, size))
      size += part.length
    }
    onDisk(path, () => renameSync(draft, path))
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  } finally {
    closeSync(fd)
  }
}

const hash = (text: string): string => sha256Hex(text)

function writeAll(fd: number, bytes: Uint8Array, offset: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done, bytes.length - done, offset + done)
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function onDisk<T>(path: string, act: () => T): T {
  try {
    return act()
  } catch (cause) {
    const fault = diskFault(cause)
    if (fault === undefined) throw cause
    throw new AppError(fault, `${path} can't be written (${(cause as NodeJS.ErrnoException).code}).`, {
      hint: 'No acknowledged data is lost. Free disk space, or check who owns the folder.',
      cause,
    })
  }
}
