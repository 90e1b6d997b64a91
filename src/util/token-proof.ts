/**
 * How a server shows a client on its machine that it has the operator's token, before the client sends it: else the token would go to
 * whoever happens to have the server's port. The client sends a nonce, and the server answers with a mark that only the token makes. The
 * mark is of the address at which the client asks, so that nobody can have it made by the real server at another one. Web Crypto, since
 * the client loads in browsers.
 */

const NONCE = /^[\w-]{22}$/
const MARK = /^[\w-]{43}$/

/** 128 bits. */
export const newNonce = (): string => toBase64Url(crypto.getRandomValues(new Uint8Array(16)))

export const isNonce = (text: string): boolean => NONCE.test(text)

/**
 * @param host  of the address, with its port, as the header Host has it
 * @returns the mark: an HMAC, in base64
 */
export async function proveToken(token: string, nonce: string, host: string): Promise<string> {
  return toBase64Url(new Uint8Array(await crypto.subtle.sign('HMAC', await keyOf(token), marked(nonce, host))))
}

/** Compares in constant time. */
export async function isTokenProof(token: string, nonce: string, host: string, mark: string): Promise<boolean> {
  if (!MARK.test(mark)) return false
  const bytes = Uint8Array.fromBase64(mark, { alphabet: 'base64url' })
  return await crypto.subtle.verify('HMAC', await keyOf(token), bytes, marked(nonce, host))
}

const keyOf = (token: string): Promise<CryptoKey> =>
  crypto.subtle.importKey('raw', bytesOf(token), { name: 'HMAC', hash: 'SHA-256' }, false, ['sign', 'verify'])

/** Nothing else is signed with the token itself as the key. */
const marked = (nonce: string, host: string) => bytesOf(`lodeline server proof v1\n${nonce}\n${host.toLowerCase()}`)

const bytesOf = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

const toBase64Url = (bytes: Uint8Array): string => bytes.toBase64({ alphabet: 'base64url', omitPadding: true })
