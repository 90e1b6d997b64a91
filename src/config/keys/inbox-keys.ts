import type { KeySpec } from '../key-spec'
import { parseNetworks } from '../parse-values'

/** The settings of the inbox by key. */
export interface InboxSettings {
  'inbox.callbackNetworks': readonly string[]
}

/** They open a way into the user's networks, so a repository's file may set none of them. */
export const INBOX_KEYS: { readonly [K in keyof InboxSettings]: KeySpec<InboxSettings[K]> } = {
  'inbox.callbackNetworks': {
    help: 'private networks that callbacks of sources may lead to, for example 10.0.0.0/8 or fd00::/8; default none',
    isProjectSafe: false,
    isLive: true,
    fallback: () => [],
    parse: parseNetworks,
  },
}
