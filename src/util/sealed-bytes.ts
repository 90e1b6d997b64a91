/** Bytes that only their own key opens: compressed, then encrypted. */
import { randomBytes } from './crypto'

/** Deeper than for chunks that are being written: sealed bytes stay. */
const ZSTD_LEVEL = 6
const KEY_BYTES = 32
/** A key is used for one message, so that the nonce may be the same for all. */
const NONCE = new Uint8Array(12)

export async function sealBytes(plain: Uint8Array): Promise<{ key: Uint8Array; bytes: Uint8Array }> {
  const key = randomBytes(KEY_BYTES)
  const packed = Bun.zstdCompressSync(plain as Uint8Array<ArrayBuffer>, {
    level: ZSTD_LEVEL,
  }) as Uint8Array<ArrayBuffer>
  const bytes = await crypto.subtle.encrypt(GCM, await importKey(key, 'encrypt'), packed)
  return { key, bytes: new Uint8Array(bytes) }
}

/** @throws they were changed, or the key is another's */
export async function openBytes(key: Uint8Array, bytes: Uint8Array): Promise<Uint8Array> {
  const packed = await crypto.subtle.decrypt(GCM, await importKey(key, 'decrypt'), bytes as Uint8Array<ArrayBuffer>)
  return Bun.zstdDecompressSync(new Uint8Array(packed))
}

const GCM = { name: 'AES-GCM', iv: NONCE }

const importKey = (key: Uint8Array, use: 'encrypt' | 'decrypt') =>
  crypto.subtle.importKey('raw', key as Uint8Array<ArrayBuffer>, 'AES-GCM', false, [use])
