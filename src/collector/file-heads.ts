import { closeSync, openSync, readSync } from 'node:fs'
import type { JournalRef } from '../domain/harness/harness'
import type { HarnessFiles } from '../domain/harness/harness-files'
import { headOfPacked, plainPath } from '../util/files/packed-file'

/** Bytes of a file's beginning by which it is recognised. */
export const HEAD_BYTES = 64 * 1_024

type Recogniser = Pick<HarnessFiles, 'needsHead' | 'classify'>

/** Recognises a file on this machine, with its first bytes where its place does not say whose it is. `null` = not ours, or not yet. */
export function recognise(files: Recogniser, path: string): JournalRef | null {
  if (!files.needsHead) return files.classify(path)
  // Most paths are no files of this agent CLI: those are not opened.
  if (files.classify(path) === null) return null
  const head = headOf(path)
  return head === null ? null : files.classify(path, head)
}

/** The same for files that are asked for again and again: the beginning of each is read once. */
export class FileHeads {
  readonly #known = new Map<string, JournalRef>()

  /** @returns `undecided`: the file is of this agent CLI, and does not say yet (or no more) whose it is; `ref` is by its place alone */
  find(files: Recogniser, path: string): { ref: JournalRef; isUndecided: boolean } | null {
    const known = this.#known.get(path)
    if (known !== undefined) return { ref: known, isUndecided: false }
    const placed = files.classify(path)
    if (placed === null || !files.needsHead) return placed && { ref: placed, isUndecided: false }
    const found = recognise(files, path)
    if (found === null) return { ref: placed, isUndecided: true }
    this.#known.set(path, found)
    return { ref: found, isUndecided: false }
  }

  forget(path: string): void {
    this.#known.delete(path)
  }
}

/** For a packed file, what it unpacks to. `null` = it can't be read. */
export function headOf(path: string): Uint8Array | null {
  let fd: number
  try {
    fd = openSync(plainPath(path), 'r')
  } catch {
    return headOfPacked(path, HEAD_BYTES)
  }
  try {
    const head = Buffer.alloc(HEAD_BYTES)
    return head.subarray(0, readSync(fd, head, 0, HEAD_BYTES, 0))
  } catch {
    return null
  } finally {
    closeSync(fd)
  }
}
