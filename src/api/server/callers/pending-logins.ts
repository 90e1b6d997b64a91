import { randomBytes } from '../../../util/crypto'
import type { PendingLogin } from '../deps'

/** How long somebody may take at the provider. */
export const PENDING_MS = 600_000
/** Logins that are under way at once; the oldest gives way. */
const MAX_PENDING = 1_000

export interface Pending extends PendingLogin {
  /** Page to go to afterwards. */
  to: string
}

/** Logins for which a browser is at the provider. In memory: a restart costs the person another try. */
export interface PendingLogins {
  /** @returns what the browser keeps, so that nobody else's browser can come back with its answer */
  keep(pending: Pending): string
  /** Uses it up: an answer counts once. */
  take(kept: string): Pending | undefined
}

export function createPendingLogins(now: () => number): PendingLogins {
  const all = new Map<string, { pending: Pending; until: number }>()
  return {
    keep(pending) {
      const [oldest] = all.keys()
      if (all.size >= MAX_PENDING && oldest !== undefined) all.delete(oldest)
      const kept = randomBytes(32).toString('base64url')
      all.set(kept, { pending, until: now() + PENDING_MS })
      return kept
    },
    take(kept) {
      const found = all.get(kept)
      all.delete(kept)
      return found !== undefined && found.until > now() ? found.pending : undefined
    },
  }
}
