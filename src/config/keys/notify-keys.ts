import type { KeySpec } from '../key-spec'
import { parseBoolean, parseNetworks } from '../parse-values'

/** The settings of notifications by key. */
export interface NotifySettings {
  'notify.networks': readonly string[]
  'notify.commands': boolean
}

/** They open a way into the user's networks and programs, so a repository's file may set none of them. */
export const NOTIFY_KEYS: { readonly [K in keyof NotifySettings]: KeySpec<NotifySettings[K]> } = {
  'notify.networks': {
    help: 'private networks that notifications may be sent to, for example 10.0.0.0/8 or fd00::/8; default none',
    isProjectSafe: false,
    isLive: true,
    fallback: () => [],
    parse: parseNetworks,
  },
  'notify.commands': {
    help: 'whether a notification channel may run a program on the machine of the server',
    isProjectSafe: false,
    isLive: true,
    fallback: () => false,
    parse: parseBoolean,
  },
}
