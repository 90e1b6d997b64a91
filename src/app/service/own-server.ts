import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Transport } from '../../api/client/call'
import { httpTransport } from '../../api/client/http-transport'
import { readdressed } from '../../api/client/several-servers'

/**
 * Sends requests to the server of a folder, where it listens now: its next start may have another address.
 *
 * @param first  where it listens at the start; requests are addressed to it
 */
export function ownServer(home: string, first: string): (token: string | null) => Transport {
  return (token) => {
    let origin = first
    let transport = httpTransport({ token, origin })
    return async (request) => {
      const now = addressIn(home) ?? origin
      if (now !== origin) {
        origin = now
        transport = httpTransport({ token, origin })
      }
      if (origin === first) return await transport(request)
      const body = request.body === null ? null : new Uint8Array(await request.arrayBuffer())
      return await transport(readdressed(request, origin, body, request.signal))
    }
  }
}

/** `null` = no server runs there now. */
function addressIn(home: string): string | null {
  try {
    const { url } = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as { url?: unknown }
    return typeof url === 'string' ? new URL(url).origin : null
  } catch {
    return null
  }
}
