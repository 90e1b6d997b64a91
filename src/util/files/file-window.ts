import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** A regular file opened for reading at chosen places. */
export interface FileWindow {
  readonly size: number
  readonly inode: number
  readonly device: number
  readonly modifiedAtMs: number
  /** Up to `length` bytes from `offset`: fewer when the file ends or shrank meanwhile. */
  read(offset: number, length: number): Uint8Array
  close(): void
}

/**
 * Opens `path` when it is a regular file. Never blocks on a FIFO.
 * @throws the system's error (`ENOENT`, `EACCES` …), or `ENOTREG` for what is no regular file.
 */
export function openWindow(path: string): FileWindow {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  try {
    const stat = fstatSync(fd)
    if (!stat.isFile()) throw Object.assign(new Error('not a regular file'), { code: 'ENOTREG' })
    return {
      size: stat.size,
      inode: stat.ino,
      device: stat.dev,
      modifiedAtMs: stat.mtimeMs,
      read: (offset, length) => readRange(fd, offset, length),
      close: () => closeSync(fd),
    }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

/** As `FileWindow.read`, of an open file. */
export function readRange(fd: number, offset: number, length: number): Uint8Array {
  const buffer = Buffer.allocUnsafeSlow(length)
  let filled = 0
  while (filled < length) {
    const n = readSync(fd, buffer, filled, length - filled, offset + filled)
    if (n === 0) break
    filled += n
  }
  return filled === length ? buffer : buffer.subarray(0, filled)
}
