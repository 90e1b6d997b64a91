/**
 * Shows what the server pushes, and answers a question by a press of a button. It keeps nothing: the dashboard without its server would tell
 * old things. Where the server does not answer, a page says so, since a browser says only that the device has no network.
 */
import { awayPage } from './away-page'

/** What the server sends; see `src/app/notify/web-push.ts`. */
interface Told {
  title: string
  text: string
  path: string
  tag: string
  needs: number | null
  actions: ('allow' | 'deny')[]
  answerSecret: string | null
}

/** The part of a service worker's world that is used: its types and those of pages do not fit into one program. */
interface WorkerScope {
  registration: {
    showNotification(
      title: string,
      options: NotificationOptions & { actions?: { action: string; title: string }[] },
    ): Promise<void>
  }
  clients: {
    matchAll(options: { type: 'window' }): Promise<{ focus(): Promise<{ navigate(url: string): Promise<unknown> }> }[]>
    openWindow(url: string): Promise<unknown>
  }
  navigator: { setAppBadge?(count: number): Promise<void>; clearAppBadge?(): Promise<void> }
  skipWaiting(): Promise<void>
  location: { host: string }
  addEventListener(kind: 'install', hear: (event: Partial<Install>) => void): void
  addEventListener(kind: 'fetch', hear: (event: Fetch) => void): void
  addEventListener(
    kind: 'push',
    hear: (event: { data: { json(): unknown } | null; waitUntil(work: Promise<unknown>): void }) => void,
  ): void
  addEventListener(kind: 'notificationclick', hear: (event: Click) => void): void
}
interface Install {
  /** What need not wait for this worker to start; not every browser knows it. */
  addRoutes(route: { condition: object; source: 'network' }): Promise<void>
}
interface Fetch {
  request: Request
  respondWith(answer: Promise<Response>): void
}
interface Click {
  action: string
  notification: Notification
  waitUntil(work: Promise<unknown>): void
}

const scope = self as unknown as WorkerScope
const LABELS = { allow: 'Allow', deny: 'Deny' } as const
const LOOK = { icon: '/icon-192.png', badge: '/icon-192.png' }

scope.addEventListener('install', (event) => {
  void scope.skipWaiting()
  void event.addRoutes?.({ condition: { not: { requestMode: 'navigate' } }, source: 'network' }).catch(() => undefined)
})

scope.addEventListener('fetch', (event) => {
  if (event.request.mode === 'navigate')
    event.respondWith(fetch(event.request).catch(() => awayPage(scope.location.host)))
})

scope.addEventListener('push', (event) => {
  // Only a sender with our keys can have encrypted it.
  const told = event.data?.json() as Told | undefined
  if (told !== undefined) event.waitUntil(show(told))
})

async function show({ title, text, path, tag, needs, actions, answerSecret }: Told): Promise<void> {
  await scope.registration.showNotification(title, {
    ...LOOK,
    body: text,
    tag,
    data: { path, answerSecret },
    actions: actions.map((action) => ({ action, title: LABELS[action] })),
  })
  if (needs === 0) await scope.navigator.clearAppBadge?.()
  else if (needs !== null) await scope.navigator.setAppBadge?.(needs)
}

scope.addEventListener('notificationclick', (event) => {
  const { action, notification } = event
  const { path, answerSecret } = notification.data as Pick<Told, 'path' | 'answerSecret'>
  notification.close()
  const isAnswer = (action === 'allow' || action === 'deny') && answerSecret !== null
  event.waitUntil(isAnswer ? answer(action, answerSecret, path) : open(path))
})

/** A refused answer is reported: the person must not think that it counts. */
async function answer(behavior: string, secret: string, path: string): Promise<void> {
  const response = await fetch('/api/notify/answer', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ secret, behavior }),
  }).catch(() => null)
  if (response?.ok === true) return
  const why = response === null ? 'The server is away.' : 'It was answered before, or its time is over.'
  await scope.registration.showNotification('Your answer did not count', {
    ...LOOK,
    body: why,
    data: { path, answerSecret: null },
  })
}

async function open(path: string): Promise<void> {
  const [window] = await scope.clients.matchAll({ type: 'window' })
  if (window === undefined) await scope.clients.openWindow(path)
  else await (await window.focus()).navigate(path)
}
