/**
 * Ways to reach a person, each with what it needs. The list is closed; `app/notify/senders.ts` has what sends by each.
 *
 * - `target`   where it goes, as the person types it; `null` = it needs none
 * - `secret`   what proves that we may send; `null` = it takes none
 * - `server`   what a person may name instead of the service's own server; `null` = nothing
 * - `hasActions`  whether its notification can answer a question with one press
 */
interface KindSpec {
  target: 'url' | 'text' | 'argv' | null
  targetHelp: string
  /** The target itself is what proves it: it is never shown whole. */
  isTargetSecret: boolean
  secret: 'needed' | 'optional' | 'made' | null
  secretHelp: string | null
  server: 'needed' | 'optional' | null
  hasActions: boolean
}

export const CHANNEL_KINDS = {
  ntfy: {
    target: 'url',
    targetHelp: 'the address of the topic, for example https://ntfy.sh/my-topic',
    isTargetSecret: false,
    secret: 'optional',
    secretHelp: 'an access token of the ntfy server',
    server: null,
    hasActions: true,
  },
  push: {
    target: 'url',
    targetHelp: 'a browser\'s push service; add it by "Notify me" in the dashboard',
    isTargetSecret: true,
    secret: 'needed',
    secretHelp: "the browser's keys, as the dashboard gives them",
    server: null,
    hasActions: true,
  },
  webhook: {
    target: 'url',
    targetHelp: 'the address to which Lodeline posts JSON',
    isTargetSecret: false,
    secret: 'made',
    secretHelp: null,
    server: null,
    hasActions: true,
  },
  slack: {
    target: 'url',
    targetHelp: 'the address of an incoming webhook; Mattermost and Discord (with /slack at its end) take the same',
    isTargetSecret: true,
    secret: null,
    secretHelp: null,
    server: null,
    hasActions: false,
  },
  telegram: {
    target: 'text',
    targetHelp: 'the ID of the chat',
    isTargetSecret: false,
    secret: 'needed',
    secretHelp: 'the token of the bot',
    server: 'optional',
    hasActions: false,
  },
  email: {
    target: 'text',
    targetHelp: 'the address of the person',
    isTargetSecret: false,
    secret: 'optional',
    secretHelp: 'the password of the mail server',
    server: 'needed',
    hasActions: false,
  },
  desktop: {
    target: null,
    targetHelp: '',
    isTargetSecret: false,
    secret: null,
    secretHelp: null,
    server: null,
    hasActions: false,
  },
  command: {
    target: 'argv',
    targetHelp: 'a program and its arguments, after --; it gets the notification as JSON on its standard input',
    isTargetSecret: false,
    secret: null,
    secretHelp: null,
    server: null,
    hasActions: false,
  },
} as const satisfies Record<string, KindSpec>

export type ChannelKind = keyof typeof CHANNEL_KINDS
export const CHANNEL_KIND_NAMES = Object.keys(CHANNEL_KINDS) as [ChannelKind, ...ChannelKind[]]
