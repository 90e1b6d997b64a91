import { hostname } from 'node:os'

/** By what a client is known again when it comes back. */
export const CLIENT_OPTIONS = {
  client: { kind: 'text', value: 'NAME', help: "the client's name (default: terminal)" },
  host: { kind: 'text', value: 'HOST', help: "the machine's name (default: this machine)" },
} as const

export const clientOf = ({ client, host }: { client: string | undefined; host: string | undefined }) => ({
  client: client ?? 'terminal',
  host: host ?? hostname(),
})
