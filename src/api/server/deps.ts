import type { SecretSettings } from '../../domain/secrets/mask'
import type { Store } from '../../domain/store'
import type { UnitTimes } from '../../domain/unit-times'
import type { Services } from '../../engine/services'
import { MAX_BYTES_BODY } from '../contract/protocol'
import type { OperatorToken } from './callers/operator-token'
import type { Dashboard } from './dashboard'

/** Which callers may reach the app, and how they prove it. */
export type Access =
  /** Calls come from this very process, by the operator's file permissions: neither Host, Origin nor token is looked at. */
  { kind: 'in_process' } | NetworkAccess

export interface NetworkAccess {
  kind: 'network'
  /**
   * Exact values of the Host header that are ours, e.g. of `loopbackHosts(port)`. A function, since the port is known only when
   * the server listens.
   */
  hosts: () => ReadonlySet<string>
  /** How it is reached beyond the listener's own address: by proxies. Left out: it is not. */
  front?: Front
  operatorToken: OperatorToken
  /** How browsers come in. Without it no code is made and no cookie taken. */
  login?: Login
  /** Where browsers of other machines find the server; `null` = nowhere. */
  publicUrl?: () => string | null
}

/** What stands before a server. */
export interface Front {
  /** The origin by which browsers and machines reach it. */
  publicUrl: string | null
  /** Whether a peer is a proxy whose word counts. */
  isProxy(address: string): boolean
}

/** One for all addresses of a server. */
export interface Login {
  /** An OpenID provider that says who somebody is. Left out: there is none. */
  provider?: LoginProvider
}

/** What one login by a provider must find again when the browser comes back. */
export interface PendingLogin {
  state: string
  nonce: string
  /** The verifier of PKCE. */
  verifier: string
  /** Where the provider sends the browser. */
  redirectUri: string
}

/** The person that the provider names. */
export interface ProviderIdentity {
  subject: string
  /** Only where the provider has verified it. */
  email: string | null
}

export interface LoginProvider {
  /** What people call it: its host. */
  name: string
  /** Origin by which browsers reach this server; `null` = the one that each uses. */
  ownUrl: string | null
  /** @throws `unavailable` it does not answer */
  begin(redirectUri: string): Promise<{ url: string; pending: PendingLogin }>
  /**
   * @param back  the address to which the browser came back
   * @throws `unauthorized` what came back does not prove who it is · `unavailable` the provider does not answer
   */
  finish(back: URL, pending: PendingLogin): Promise<ProviderIdentity>
}

/** What the app logs to. Fields never hold a token, a prompt or a query. */
export interface Log {
  debug(message: string, fields?: Record<string, unknown>): void
  info(message: string, fields?: Record<string, unknown>): void
  warn(message: string, fields?: Record<string, unknown>): void
  error(message: string, fields?: Record<string, unknown>): void
}

export interface Limits {
  /** Largest body of a request, in bytes. Default 1 MiB. */
  bodyBytes: number
  /** Largest JSON body of a request that may hold an agent's output, in bytes. Default 8 MiB. */
  largeBodyBytes: number
  /** Largest hook payload, in bytes. Default 10 MiB. */
  hookBodyBytes: number
  /** Most raw bytes of one request. Default 4 MiB. */
  rawBodyBytes: number
  /** Time for a request's body to arrive whole. Default 30 s. */
  bodyTimeoutMs: number
  /** Silence after which a follower of the feed gets a comment. Default 15 s; the listener's idle timeout must be longer. */
  heartbeatMs: number
  /** The longest silence after which a follower of a task's log looks at it again. Default 1 s. */
  logLookMs: number
  /** Time after which a follower that takes nothing is cut. Default 30 s. */
  stallMs: number
  /** Streams and waiting calls that an agent or a run may have at once. Default 64. */
  seats: number
  /** The same for the operator, whose browsers and commands share one token. Default 1,000. */
  operatorSeats: number
  /** Recent feed entries kept in memory for all followers together. Default 2,000. */
  ringEntries: number
}

export const DEFAULT_LIMITS: Readonly<Limits> = Object.freeze({
  bodyBytes: 1_048_576,
  largeBodyBytes: 8_388_608,
  hookBodyBytes: 10_485_760,
  rawBodyBytes: MAX_BYTES_BODY,
  bodyTimeoutMs: 30_000,
  heartbeatMs: 15_000,
  logLookMs: 1_000,
  stallMs: 30_000,
  seats: 64,
  operatorSeats: 1_000,
  ringEntries: 2_000,
})

export interface AppDeps {
  /** Units of work look up the tokens of their callers: see `RememberedToken`. Default: false. */
  provesTokens?: boolean
  store: Store
  services: Services
  access: Access
  /** This program's version; every answer carries it. */
  version: string
  /** Name and version of what runs it, e.g. `bun 1.4.4`. */
  runtime: string
  log: Log
  /** How long its units of work took; left out: nobody notes it. */
  unitTimes?: UnitTimes
  /** The pages. Without them there is the API alone. */
  dashboard?: Dashboard
  limits?: Partial<Limits>
  /** Whether the server is about to end: balancers send nothing more. Default: never. */
  isDraining?: () => boolean
  /** What counts as a secret. Default: all that are known. */
  secrets?: SecretSettings
  /** Milliseconds since the epoch; the clock unless a test gives another. */
  now?: () => number
}
