export type DatabaseKind = 'sqlite' | 'postgres'

/** A piece of a copied database. Each is read to its end before the next one is asked for. */
export interface CopyPiece {
  /** Letters, digits, `_`, `.`, `-` and `/`; unique in a copy. */
  name: string
  /** Bytes. */
  size: number
  bytes: AsyncIterable<Uint8Array>
}

/** A database as it was at one moment: what others write meanwhile is not in it, and they don't wait. */
export interface DatabaseSource extends AsyncDisposable {
  readonly kind: DatabaseKind
  /** The newest migration applied. */
  readonly schema: number
  /** All of the database, once. */
  pieces(): AsyncGenerator<CopyPiece>
}

/** An empty place that gets a whole copy of a database of the same kind, or nothing: disposed of before `commit`, it is as empty as before. */
export interface DatabaseTarget extends AsyncDisposable {
  readonly kind: DatabaseKind
  /** @throws `conflict` it is not empty · `schema_mismatch` the copy is newer than this program */
  begin(schema: number): Promise<void>
  /** @throws `invalid` no source gives such a piece */
  add(piece: CopyPiece): Promise<void>
  /** Checks what was copied, and brings it to the schema of this program. @throws `storage_corrupt` */
  commit(): Promise<void>
}
