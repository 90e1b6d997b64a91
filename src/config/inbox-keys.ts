import { networkOf } from '../util/net/network-text'
import type { KeySpec } from './key-spec'
import { parseWords } from './parse-values'

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
    parse: (value) => {
      const otherwise = 'must be a list of at most 50 networks such as 10.0.0.0/8'
      return parseWords(value, /^[\da-f.:/]{2,43}$/i, otherwise, 50).map((word) => {
        const network = networkOf(word)
        if (network === null) throw new Error(otherwise)
        return network
      })
    },
  },
}
