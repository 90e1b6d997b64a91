import { sha256 } from './crypto'

const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** 16 bytes of a uuid. Text that is none (other agents, hostile files) gets the first 16 bytes of its SHA-256: as unique, not readable back. */
export function uuidBytes(text: string): Uint8Array {
  if (CANONICAL.test(text)) return Buffer.from(text.replaceAll('-', ''), 'hex')
  return sha256(text).subarray(0, 16)
}

/** Canonical lower-case text of 16 bytes. */
export function uuidText(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
