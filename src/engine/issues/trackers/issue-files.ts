import type { AppError } from '../../../domain/errors'
import type { FileStamp } from '../../../domain/issue/issue-store'
import type { IssueKeeper } from '../kept/issue-keeper'

/** Where the issues of a folder are. */
export interface IssuePlace {
  /** Absolute, links resolved. The file need not exist yet. */
  path: string
  /** A `.beads` file. */
  isBeads: boolean
}

/** A file that is written and durable beside the one that it is to replace. */
export interface PendingFile {
  /** How the file will be once it is in its place. */
  stamp: FileStamp
  /** Resolves when every byte is durable. */
  written: Promise<void>
  /** Puts it in the file's place. */
  commit(): Promise<void>
  discard(): void
}

/** The port to files of issues on this machine. */
export interface IssueFiles {
  /** `hosts.name`. */
  readonly hostName: string
  /**
   * The nearest file of a folder: in it or above it up to the repository's folder, then above that; else where one is to be made.
   * @throws `invalid` not absolute · `not_found` no such folder
   */
  locate(dir: string): IssuePlace
  /** `null` = there is no file. */
  stamp(path: string): FileStamp | null
  /** @throws `invalid` no regular file · `too_large` · `storage_readonly` */
  read(path: string): { bytes: Uint8Array; stamp: FileStamp } | null
  /** Why nothing may be written to this file, with what to do instead; `null` = it may. */
  readOnly(path: string): AppError | null
  /** The program that keeps these issues instead of the file, where a person lets it be run; `null` = the file is all there is. */
  keeper(path: string): IssueKeeper | null
  hash(bytes: Uint8Array): string
  /** Begins to write `parts`, one after another, beside `path`. */
  prepare(path: string, parts: readonly Uint8Array[]): PendingFile
  /** @throws `unavailable` another process writes for too long */
  lock<T>(path: string, work: () => Promise<T>): Promise<T>
}

export const isSameStamp = (a: FileStamp | null, b: FileStamp | null): boolean =>
  a === null || b === null ? a === b : a.size === b.size && a.modified === b.modified && a.inode === b.inode
