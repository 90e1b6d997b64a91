/** Whether two hashes are of one secret; nobody shares a secret that he has not. */
export const isSameKey = (a: Uint8Array | null | undefined, b: Uint8Array | null | undefined): boolean =>
  a != null && b != null && Buffer.from(a).equals(b)
