import type { KeySpec } from './key-spec'
import { isOff, parseFolders, text } from './parse-values'

/** How people log in beside links that they are sent, by key. The client's secret is in a file or a variable, never in a setting. */
export interface LoginSettings {
  'login.url': string | null
  'login.oidc.issuer': string | null
  'login.oidc.clientId': string | null
  'login.oidc.secretFile': string | null
}

/** They say who gets in, so a repository's file may set none of them. */
export const LOGIN_KEYS: { readonly [K in keyof LoginSettings]: KeySpec<LoginSettings[K]> } = {
  'login.url': {
    help: 'the address by which browsers reach this server, to which an OpenID provider sends them back; off = the address that each browser uses',
    isProjectSafe: false,
    isLive: false,
    fallback: () => null,
    parse: (value) => (isOff(value) ? null : parseUrl(value, { isOrigin: true })),
  },
  'login.oidc.issuer': {
    help: 'the OpenID provider by which people log in, https://…; off = none. http:// is taken for this machine alone',
    isProjectSafe: false,
    isLive: false,
    fallback: () => null,
    parse: (value) => (isOff(value) ? null : parseUrl(value, { isOrigin: false })),
  },
  'login.oidc.clientId': {
    help: 'the name by which the OpenID provider knows this server',
    isProjectSafe: false,
    isLive: false,
    fallback: () => null,
    parse: (value) => (isOff(value) ? null : text(value, /^[\x21-\x7e]{1,300}$/, 'must be a text without spaces')),
  },
  'login.oidc.secretFile': {
    help: 'the file with the client secret of the OpenID provider, unless LODELINE_OIDC_SECRET has it; off = the provider asks for none',
    isProjectSafe: false,
    isLive: false,
    fallback: () => null,
    parse: (value, place) => (isOff(value) ? null : (parseFolders(value, place)[0] ?? null)),
  },
}

const LOCAL = /^(?:127\.0\.0\.1|localhost|\[::1\])$/

/** @throws Error */
function parseUrl(value: unknown, { isOrigin }: { isOrigin: boolean }): string {
  const url = typeof value === 'string' ? URL.parse(value) : null
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && (isOrigin || LOCAL.test(url.hostname)))
  if (url === null || !isSafe || url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new Error(isOrigin ? 'must be an http:// or https:// address' : 'must be an https:// address')
  if (isOrigin && url.pathname !== '/') throw new Error('must be an address without a path')
  return isOrigin ? url.origin : url.href.replace(/\/$/, String(value).endsWith('/') ? '/' : '')
}
