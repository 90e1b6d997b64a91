import { createClient } from '../../../src/api/client/client'
import { VERSION_HEADER } from '../../../src/api/contract/routes'

/** Told when an answer says that this browser is not logged in (any more). */
const onLoggedOut = new Set<() => void>()
/** Told when the server's version is another than the one that this page came with. */
const onVersion = new Set<(version: string) => void>()

/** A page that goes takes its requests with it, but for those that are to live on. */
let isLeaving = false

/** What is sent within `send`, before its first `await`, arrives though the page goes. At most 64 kB together. */
export function whileLeaving(send: () => void): void {
  isLeaving = true
  try {
    send()
  } finally {
    isLeaving = false
  }
}

let firstVersion: string | null = null

/** The API's typed client. The browser's cookie says who is calling; nothing secret is known to scripts. */
export const client = createClient(
  async (request) => {
    const response = await fetch(request, { redirect: 'error', credentials: 'same-origin', keepalive: isLeaving })
    if (response.status === 401 && !request.url.endsWith('/api/login')) for (const tell of onLoggedOut) tell()
    noticeVersion(response.headers.get(VERSION_HEADER))
    return response
  },
  { baseUrl: location.origin },
)

function noticeVersion(version: string | null): void {
  if (version === null) return
  firstVersion ??= version
  if (version !== firstVersion) for (const tell of onVersion) tell(version)
}

export function whenLoggedOut(tell: () => void): () => void {
  onLoggedOut.add(tell)
  return () => onLoggedOut.delete(tell)
}

export function whenVersionChanges(tell: (version: string) => void): () => void {
  onVersion.add(tell)
  return () => onVersion.delete(tell)
}
