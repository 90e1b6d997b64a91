/** A push service and the browser behind it, of the test's own: it takes only what a real one takes, and decrypts as a browser does. */
import { expect } from 'bun:test'
import { createDecipheriv, createECDH, hkdfSync, randomBytes, verify } from 'node:crypto'

interface Pushed {
  headers: Headers
  /** What the browser's worker gets. */
  payload: Record<string, unknown>
  /** The bytes on the way. */
  raw: Buffer
}

/** @param status  what it answers */
export function startPushService(status = 201) {
  const browser = createECDH('prime256v1')
  browser.generateKeys()
  const auth = randomBytes(16)
  const got: Pushed[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const raw = Buffer.from(await request.arrayBuffer())
      if (request.method !== 'POST' || request.headers.get('ttl') === null) return new Response(null, { status: 400 })
      if (!isSigned(request, `http://127.0.0.1:${server.port}`)) return new Response(null, { status: 403 })
      if (request.headers.get('content-encoding') !== 'aes128gcm' || raw.length > 4_096)
        return new Response(null, { status: 413 })
      got.push({ headers: request.headers, raw, payload: JSON.parse(decrypt(raw, browser, auth)) })
      return new Response(null, { status })
    },
  })
  const endpoint = `http://127.0.0.1:${server.port}/push/some-browser`
  const secret = `${browser.getPublicKey('base64url')}.${auth.toString('base64url')}`
  return { got, endpoint, secret, [Symbol.dispose]: () => void server.stop(true) }
}

/** RFC 8292: a token for this service, good for at most a day, signed by the key that it names. */
function isSigned(request: Request, origin: string): boolean {
  const found = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(request.headers.get('authorization') ?? '')
  const [, token = '', point = ''] = found ?? []
  const [head = '', body = '', signature = ''] = token.split('.')
  const key = Buffer.from(point, 'base64url')
  if (key.length !== 65 || key[0] !== 4) return false
  const jwk = { kty: 'EC', crv: 'P-256', x: key.toString('base64url', 1, 33), y: key.toString('base64url', 33) }
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString()) as Record<string, unknown>
  expect(JSON.parse(Buffer.from(head, 'base64url').toString())).toMatchObject({ alg: 'ES256' })
  const now = Date.now() / 1_000
  expect(claims.aud).toBe(origin)
  expect(String(claims.sub)).toMatch(/^(https:|mailto:)/)
  expect(Number(claims.exp) > now && Number(claims.exp) <= now + 86_400).toBe(true)
  const sig = { key: jwk, format: 'jwk', dsaEncoding: 'ieee-p1363' } as const
  return verify('sha256', Buffer.from(`${head}.${body}`), sig, Buffer.from(signature, 'base64url'))
}

/** RFC 8291 and 8188: one record, for this browser. */
function decrypt(raw: Buffer, browser: ReturnType<typeof createECDH>, auth: Buffer): string {
  const [salt, size, keyLength] = [raw.subarray(0, 16), raw.readUInt32BE(16), raw[20] ?? 0]
  const sender = raw.subarray(21, 21 + keyLength)
  const record = raw.subarray(21 + keyLength)
  expect(record.length).toBeLessThanOrEqual(size)
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), sender])
  const key = Buffer.from(hkdfSync('sha256', browser.computeSecret(sender), auth, info, 32))
  const part = (name: string, length: number) =>
    Buffer.from(hkdfSync('sha256', key, salt, `Content-Encoding: ${name}\0`, length))
  const cipher = createDecipheriv('aes-128-gcm', part('aes128gcm', 16), part('nonce', 12))
  cipher.setAuthTag(record.subarray(-16))
  const plain = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()])
  // The last record ends with a 2, and zeros for padding.
  const end = plain.lastIndexOf(2)
  return plain.subarray(0, end).toString()
}
