/** Hashes and chance without `node:crypto`: its first import costs a process 2 ms, and most commands need a hash or a name for a draft. */

type Bytes = string | Uint8Array

/** SHA-256 over all parts, one after the other; text as UTF-8. */
export const sha256 = (...parts: Bytes[]): Buffer => digest(new Bun.CryptoHasher('sha256'), parts)

export const sha256Hex = (...parts: Bytes[]): string => sha256(...parts).toString('hex')

export const hmacSha256 = (key: Bytes, ...parts: Bytes[]): Buffer => digest(new Bun.CryptoHasher('sha256', key), parts)

function digest(hasher: Bun.CryptoHasher, parts: Bytes[]): Buffer {
  for (const part of parts) hasher.update(part)
  return hasher.digest()
}

/** Bytes that nobody can predict; at most 65,536. */
export const randomBytes = (count: number): Buffer => Buffer.from(crypto.getRandomValues(new Uint8Array(count)).buffer)

/** So many such bytes, as twice as many hexadecimal digits. */
export const randomHex = (bytes: number): string => randomBytes(bytes).toString('hex')

/** Compares in constant time. @throws `RangeError` they are not of one length */
export const isSameBytes = (one: Uint8Array, other: Uint8Array): boolean => crypto.timingSafeEqual(one, other)

/** A key pair of P-256, as base64url: the public one as an uncompressed point, the private one as its number. */
export async function makePushKeys(): Promise<{ publicKey: string; privateKey: string }> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  const [point, { d = '' }] = await Promise.all([
    crypto.subtle.exportKey('raw', pair.publicKey),
    crypto.subtle.exportKey('jwk', pair.privateKey),
  ])
  return { publicKey: Buffer.from(point).toString('base64url'), privateKey: d }
}
