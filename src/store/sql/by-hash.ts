/** Hashes as the databases take several of them: a JSON list of hexadecimal texts. */
export const hexOf = (hashes: readonly Uint8Array[]): string => JSON.stringify(hashes.map(textOf))

/** Rows in the order of the hashes by which they were asked for. */
export function byHash<Row>(
  hashes: readonly Uint8Array[],
  rows: readonly Row[],
  hashOf: (row: Row) => Uint8Array | null,
): (Row | undefined)[] {
  const found = new Map(rows.map((row) => [textOf(hashOf(row) ?? new Uint8Array()), row]))
  return hashes.map((hash) => found.get(textOf(hash)))
}

const textOf = (hash: Uint8Array): string => Buffer.from(hash).toString('hex')
