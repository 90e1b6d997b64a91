import { AppError } from './errors'

/** A blob that is kept. */
export interface BlobInfo {
  name: string
  size: number
}

/**
 * Where bytes lie that are too many for the database: files of Lodeline's folder, or object storage that all servers reach. A blob is never
 * changed: it is put once, read in parts, and deleted.
 */
export interface BlobStore {
  /** Where that is, for people. Holds no key. */
  readonly location: string
  /** Whether every server of a database that several share reaches it. */
  readonly isShared: boolean
  /** Keeps it durably: once this resolves, every reader sees the whole of it; before, none sees a part. Putting it again is harmless. */
  put(name: string, bytes: Uint8Array): Promise<void>
  /**
   * Exactly these bytes.
   * @throws `not_found` no such blob · `storage_corrupt` it ends before
   */
  read(name: string, from: number, length: number): Promise<Uint8Array>
  /** Nothing happens when it is not there. */
  delete(name: string): Promise<void>
  /** In any order: not every object storage has one. */
  list(prefix: string): AsyncIterable<BlobInfo>
  head(name: string): Promise<BlobInfo | undefined>
}

/**
 * Every operation checks the name: parts of letters, digits, `-`, `_` and `.`, none of which begins with a dot.
 * @throws `invalid`
 */
export function checkBlobName(name: string): void {
  if (name.length <= 500 && /^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/.test(name)) return
  throw new AppError('invalid', `${JSON.stringify(name.slice(0, 100))} is no name of a blob.`)
}

export const noBlob = (name: string, cause?: unknown): AppError =>
  new AppError('not_found', `There is no blob ${name}.`, { cause })

export const endsBefore = (name: string, end: number): AppError =>
  new AppError('storage_corrupt', `The blob ${name} ends before ${end} bytes.`)
