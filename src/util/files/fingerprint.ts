import { sha256 } from '../crypto'

/** 16 bytes of SHA-256: enough that no two files of a person's disk share them, and no hostile one is made to. */
export function fingerprint(bytes: Uint8Array): Uint8Array {
  return sha256(bytes).subarray(0, 16)
}
