import { readFileSync } from 'node:fs'
import type { LoginProvider, PendingLogin } from '../../api/server/deps'
import type { LoginConfig } from '../../config/load'
import { AppError } from '../../domain/errors'

/** How long the provider may take for an answer, in seconds. */
const TIMEOUT_S = 10

type Library = typeof import('openid-client')
type Configuration = import('openid-client').Configuration

/**
 * People who log in at an OpenID provider: by the authorization code flow, with PKCE, state and nonce. The library checks them, and the ID
 * token's signature, issuer, audience and times. It is loaded with the first login.
 *
 * @param url  the origin to which it leads browsers back; `null` = the one that each uses
 * @param secret  the client's; `null` = the provider asks for none
 */
export function oidcProvider(
  oidc: NonNullable<LoginConfig['oidc']>,
  url: string | null,
  secret: string | null,
): LoginProvider {
  const issuer = new URL(oidc.issuer)
  let found: Promise<Configuration> | undefined

  async function configuration(library: Library): Promise<Configuration> {
    found ??= discover(library, issuer, oidc.clientId, secret)
    try {
      return await found
    } catch (cause) {
      // The next login asks again.
      found = undefined
      throw new AppError('unavailable', `The OpenID provider ${issuer.host} does not answer as it should.`, {
        hint: 'Check login.oidc.issuer, or log in by a link.',
        cause,
      })
    }
  }

  return {
    name: issuer.host,
    ownUrl: url,
    async begin(redirectUri) {
      const library = await import('openid-client')
      const known = await configuration(library)
      const pending: PendingLogin = {
        state: library.randomState(),
        nonce: library.randomNonce(),
        verifier: library.randomPKCECodeVerifier(),
        redirectUri,
      }
      const to = library.buildAuthorizationUrl(known, {
        redirect_uri: redirectUri,
        scope: 'openid email',
        state: pending.state,
        nonce: pending.nonce,
        code_challenge: await library.calculatePKCECodeChallenge(pending.verifier),
        code_challenge_method: 'S256',
      })
      return { url: to.href, pending }
    },
    async finish(back, { state, nonce, verifier, redirectUri }) {
      const library = await import('openid-client')
      const known = await configuration(library)
      // The address that the provider knows, whatever name the browser's request has.
      const at = new URL(redirectUri)
      at.search = back.search
      const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
      const claims = await library
        .authorizationCodeGrant(known, at, checks)
        .then((tokens) => tokens.claims())
        .catch((cause: unknown) => {
          throw notProven(cause)
        })
      if (claims === undefined) throw notProven(undefined)
      const { sub: subject, email, email_verified: isVerified } = claims
      return { subject, email: typeof email === 'string' && isVerified === true ? email : null }
    },
  }
}

async function discover(
  library: Library,
  issuer: URL,
  clientId: string,
  secret: string | null,
): Promise<Configuration> {
  const { discovery, allowInsecureRequests, enableNonRepudiationChecks, None, ClientSecretBasic, ClientSecretPost } =
    library
  // Plain HTTP is let through for issuers on this machine alone: see `login-keys.ts`.
  const execute =
    issuer.protocol === 'http:' ? [allowInsecureRequests, enableNonRepudiationChecks] : [enableNonRepudiationChecks]
  const options = { execute, timeout: TIMEOUT_S }
  if (secret === null) return await discovery(issuer, clientId, undefined, None(), options)
  const known = await discovery(issuer, clientId, secret, ClientSecretPost(secret), options)
  const methods = known.serverMetadata().token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  if (methods.includes('client_secret_post')) return known
  return await discovery(issuer, clientId, secret, ClientSecretBasic(secret), options)
}

const notProven = (cause: unknown) =>
  new AppError('unauthorized', 'What the OpenID provider sent does not prove who it is.', { cause })

/** @throws `invalid` the file can't be read, or is empty */
export function clientSecret(path: string | null, env: Readonly<Record<string, string | undefined>>): string | null {
  const given = env.LODELINE_OIDC_SECRET
  if (given !== undefined && given !== '') return given
  if (path === null) return null
  const kept = readSecret(path)
  if (kept !== '') return kept
  throw new AppError('invalid', `${path} is empty.`, { hint: 'Write the client secret of the OpenID provider there.' })
}

function readSecret(path: string): string {
  try {
    return readFileSync(path, 'utf8').trim()
  } catch (cause) {
    throw new AppError('invalid', `login.oidc.secretFile: ${path} can't be read.`, {
      hint: 'Write the client secret of the OpenID provider there, readable for you alone.',
      cause,
    })
  }
}
