import { createClient } from '#api/client/client'
import { VERSION_HEADER } from '#api/contract/protocol'

/** Called when a response says that this browser is not logged in. */
const onLoggedOut = new Set<() => void>()
/** Called when the server's version differs from the version that served this page. */
const onVersion = new Set<(version: string) => void>()

/** Leaving a page cancels its requests. While this is true, new requests outlive the page. */
let isLeaving = false

/** Requests that `send` starts before its first `await` arrive even though the page is left. The browser allows 64 kB in total. */
export function whileLeaving(send: () => void): void {
  isLeaving = true
  try {
    send()
  } finally {
    isLeaving = false
  }
}

let firstVersion: string | null = null

/** The API's typed client. The browser's cookie authenticates it; scripts hold no secret. */
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

/** Calls `tell` when the login ends. @returns a function that unsubscribes */
export function whenLoggedOut(tell: () => void): () => void {
  onLoggedOut.add(tell)
  return () => onLoggedOut.delete(tell)
}

/** Calls `tell` with the new version when the server was updated. @returns a function that unsubscribes */
export function whenVersionChanges(tell: (version: string) => void): () => void {
  onVersion.add(tell)
  return () => onVersion.delete(tell)
}
