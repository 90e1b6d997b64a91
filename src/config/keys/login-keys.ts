import type { KeySpec } from '../key-spec'
import { isOff, parseFolders, parseUrl, text } from '../parse-values'

/** How people log in beside links that they are sent, by key. The client's secret is in a file or a variable, never in a setting. */
export interface LoginSettings {
  'login.oidc.issuer': string | null
  'login.oidc.clientId': string | null
  'login.oidc.secretFile': string | null
}

/** They say who gets in, so a repository's file may set none of them. */
export const LOGIN_KEYS: { readonly [K in keyof LoginSettings]: KeySpec<LoginSettings[K]> } = {
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
