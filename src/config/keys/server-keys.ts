import { networkOf } from '../../util/net/network-text'
import type { KeySpec } from '../key-spec'
import { isOff, parseUrl, parseWords, whole } from '../parse-values'

/** How a server is reached beyond the address that it listens on, by key. */
export interface ServerSettings {
  'server.publicUrl': string | null
  'server.allowedHosts': readonly string[]
  'server.trustedProxies': readonly string[]
  'server.drainSeconds': number
}

/** They decide which peers a server believes, so a repository's file may set none of them. */
export const SERVER_KEYS: { readonly [K in keyof ServerSettings]: KeySpec<ServerSettings[K]> } = {
  'server.publicUrl': {
    help: 'the address by which browsers and machines reach this server, for example by a proxy; off = the addresses that it listens on',
    isProjectSafe: false,
    isLive: false,
    fallback: () => null,
    parse: (value) => (isOff(value) ? null : parseUrl(value, { isOrigin: true })),
  },
  'server.allowedHosts': {
    help: 'more names by which this server may be addressed, such as lode.internal or lode.internal:8443; default none',
    isProjectSafe: false,
    isLive: false,
    fallback: () => [],
    parse: (value) => {
      const otherwise = 'must be a list of at most 50 host names, each with or without a port'
      const shape = /^(?:[a-z\d](?:[a-z\d.-]{0,251}[a-z\d])?|\[[\da-f:.]{2,45}\])(?::\d{1,5})?$/i
      return parseWords(value, shape, otherwise, 50).map((word) => word.toLowerCase())
    },
  },
  'server.trustedProxies': {
    help: 'networks of proxies whose X-Forwarded-For, -Proto and -Host count, for example 10.0.0.0/8 or 127.0.0.1; default none',
    isProjectSafe: false,
    isLive: false,
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
  'server.drainSeconds': {
    help: 'seconds that an ending server goes on while /api/ready sends balancers elsewhere, 0 to 600',
    isProjectSafe: false,
    isLive: false,
    fallback: () => 0,
    parse: (value) => whole(value, 0, 600),
  },
}
