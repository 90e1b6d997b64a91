/** A small OpenID provider over real HTTP, with a key of its own. It checks what a provider has to, and lies where a test says so. */
import { createHash } from 'node:crypto'

type Claims = Record<string, unknown>

export interface Lies {
  /** Changes what the ID token says. */
  claims?: (claims: Claims) => Claims
  /** Changes the token itself. */
  token?: (token: string) => string
  /** Signs with a key that it does not publish. */
  hasOtherKey?: boolean
}

const ALGORITHM = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const
const makeKey = () =>
  crypto.subtle.generateKey({ ...ALGORITHM, modulusLength: 2_048, publicExponent: new Uint8Array([1, 0, 1]) }, true, [
    'sign',
    'verify',
  ]) as Promise<CryptoKeyPair>

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export const CLIENT = { id: 'lodeline-of-the-test', secret: 'a-secret-that-nobody-shows' }

/** @param name  of the host in its addresses: another one than the server's makes it another site for a browser */
export async function startProvider(name: '127.0.0.1' | 'localhost' = '127.0.0.1') {
  const [key, other] = [await makeKey(), await makeKey()]
  const published = { ...(await crypto.subtle.exportKey('jwk', key.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' }
  const codes = new Map<string, { redirectUri: string; challenge: string; nonce: string }>()
  /** The person that is logged in at the provider. */
  const who: { claims: Claims; lies: Lies; denies: boolean } = { claims: {}, lies: {}, denies: false }
  /** Redirect addresses that were asked for. */
  const asked: string[] = []

  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  const issuer = `http://${name}:${server.port}`

  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url)
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return Response.json({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256'],
          code_challenge_methods_supported: ['S256'],
        })
      case '/keys':
        return Response.json({ keys: [published] })
      case '/authorize':
        return authorize(url)
      case '/token':
        return await give(request)
      default:
        return new Response(null, { status: 404 })
    }
  }

  function authorize({ searchParams: asks }: URL): Response {
    const of = (name: string) => asks.get(name) ?? ''
    if (of('client_id') !== CLIENT.id || of('code_challenge_method') !== 'S256')
      return new Response('no', { status: 400 })
    asked.push(of('redirect_uri'))
    const back = new URL(of('redirect_uri'))
    back.searchParams.set('state', of('state'))
    // What providers add of themselves.
    back.searchParams.set('session_state', 'x')
    if (who.denies) back.searchParams.set('error', 'access_denied')
    else {
      const code = crypto.randomUUID()
      codes.set(code, { redirectUri: of('redirect_uri'), challenge: of('code_challenge'), nonce: of('nonce') })
      back.searchParams.set('code', code)
    }
    return new Response(null, { status: 302, headers: { location: back.href } })
  }

  async function give(request: Request): Promise<Response> {
    const form = new URLSearchParams(await request.text())
    const found = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const basic = Buffer.from((request.headers.get('authorization') ?? '').replace('Basic ', ''), 'base64').toString()
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isGood =
      found !== undefined &&
      basic.split(':').map(decodeURIComponent).join(':') === `${CLIENT.id}:${CLIENT.secret}` &&
      found.challenge === challenge &&
      found.redirectUri === form.get('redirect_uri')
    if (!isGood) return Response.json({ error: 'invalid_grant' }, { status: 400 })
    return Response.json({ access_token: 'x', token_type: 'Bearer', id_token: await idToken(found.nonce) })
  }

  async function idToken(nonce: string): Promise<string> {
    const { claims, lies } = who
    const now = Math.floor(Date.now() / 1_000)
    const own = { iss: issuer, aud: CLIENT.id, iat: now, exp: now + 60, nonce, ...claims }
    const text = `${encoded({ alg: 'RS256', kid: 'one' })}.${encoded(lies.claims?.(own) ?? own)}`
    const signed = await crypto.subtle.sign(ALGORITHM, (lies.hasOtherKey ? other : key).privateKey, Buffer.from(text))
    const token = `${text}.${Buffer.from(signed).toString('base64url')}`
    return lies.token?.(token) ?? token
  }

  return { issuer, who, asked, [Symbol.asyncDispose]: () => server.stop(true) }
}

export type Provider = Awaited<ReturnType<typeof startProvider>>
