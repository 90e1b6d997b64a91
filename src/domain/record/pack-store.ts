import type { IncarnationKey, SessionId } from '../ids'

/** A chunk that lies in a pack. */
export interface SealedChunk {
  incarnation: IncarnationKey
  offset: number
  /** Bytes before compression. */
  length: number
  pack: PackKey
  /** The pack's blob. */
  name: string
  /** Where in it, and how many bytes. */
  place: number
  stored: number
  /** The key of these bytes alone: deleting it deletes them, in every copy of the pack. */
  key: Uint8Array
}

export type PackKey = number & { readonly pack: unique symbol }

/** A chunk that lies in the database and changes no more. */
export interface RipeChunk {
  incarnation: IncarnationKey
  offset: number
  length: number
  /** As it is compressed now. */
  stored: number
}

export interface RipeFilter {
  /** A journal that did not grow since is ripe to its last whole line, in milliseconds. Another is as far as its chunks are large. */
  quietSince: number
  /** At most this many, journal by journal. */
  limit: number
}

export interface PackReads {
  /** Sessions only: journals that many sessions share stay in the database, since forgetting one changes them. */
  ripe(filter: RipeFilter): Promise<RipeChunk[]>
  /** The bytes that chunks of the database hold, one after the other, and what tells whether they still hold them. */
  bytesOf(chunks: readonly RipeChunk[]): Promise<{ bytes: Uint8Array; hash: Uint8Array } | null>
  /** Chunks in packs that have bytes of this range. */
  sealedIn(incarnation: IncarnationKey, from: number, length: number): Promise<SealedChunk[]>
  /** Those of these chunks by whose bytes the file is recognized: at its beginning and its end. */
  sealedEnds(incarnation: IncarnationKey): Promise<SealedChunk[]>
  /** A pack of which less than half is in use, and its chunks. */
  wasteful(): Promise<SealedChunk[]>
  /**
   * What lies there.
   * @throws `not_found` the pack is gone: the chunk lies elsewhere by now · `storage_corrupt` · `unavailable`
   */
  open(chunk: SealedChunk): Promise<Uint8Array>
  /** Names of all packs. */
  names(): Promise<Set<string>>
  /** Packs in which something lies, with the bytes that the blob of each has. */
  inUse(): Promise<{ pack: PackKey; name: string; size: number }[]>
  /** What lies in a pack, in its order. */
  chunksOf(pack: PackKey): Promise<SealedChunk[]>
  /** Sessions with something in a pack. */
  sessionsOf(pack: PackKey): Promise<SessionId[]>
}

/** Each is short: reading and writing blobs happens between units. */
export interface PackTx {
  /**
   * Among all servers of the database, one makes packs at a time.
   * @returns the folder of its blobs; `null` = another does
   */
  claim(forMs: number): Promise<string | null>
  release(): Promise<void>
  /** The next packs go to a folder of their own: the database is a copy, and its original may be at work. */
  leaveSpace(): Promise<void>
  /** A pack that is about to be put; what has no row here is nobody's. */
  begin(name: string): Promise<PackKey>
  setSize(pack: PackKey, size: number): Promise<void>
  /** Puts one chunk in the place of those that it is made of. @returns `false` = they are not what they were: nothing is done */
  seal(chunk: Omit<SealedChunk, 'name'>, made: { of: readonly RipeChunk[]; hash: Uint8Array }): Promise<boolean>
  /** The reverse. @returns `false` = it does not lie there any more */
  unseal(chunk: SealedChunk, bytes: Uint8Array): Promise<boolean>
  /** Notes which packs nothing lies in any more, and removes those of which that was noted before. */
  dropUnused(before: number): Promise<void>
}
