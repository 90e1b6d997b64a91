import { MINUTE_MS } from '../../../domain/time-units'
import type { PendingLogin } from '../deps'

/** How long somebody may take at the provider. */
export const PENDING_MS = 10 * MINUTE_MS

export interface Pending extends PendingLogin {
  /** Page to go to afterwards. */
  to: string
}

/**
 * What a browser keeps while it is at the provider, so that it may come back to any server. It belongs to this browser alone: it contains
 * nothing that its person may not know, and the provider takes its answer once. An attacker that can write cookies of a browser could begin
 * a login for it wherever this were kept.
 */
export const keepPending = (pending: Pending, now: number): string =>
  Buffer.from(JSON.stringify({ ...pending, until: now + PENDING_MS })).toString('base64url')

/** @returns `undefined`: it is too old, or nothing that a server wrote */
export function readPending(kept: string, now: number): Pending | undefined {
  try {
    const found: unknown = JSON.parse(Buffer.from(kept, 'base64url').toString())
    if (typeof found !== 'object' || found === null) return undefined
    const { state, nonce, verifier, redirectUri, to, until } = found as Partial<Record<string, unknown>>
    const isInTime = typeof until === 'number' && until > now && until <= now + PENDING_MS
    if (!isInTime || !isText(state) || !isText(nonce) || !isText(verifier) || !isText(redirectUri) || !isText(to))
      return undefined
    return { state, nonce, verifier, redirectUri, to }
  } catch {
    return undefined
  }
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''
