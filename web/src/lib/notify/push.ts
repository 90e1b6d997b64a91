import { client } from '../api'
import { workerUrl } from '../own-workers'

/** Local storage key: the name of this browser's channel. */
const CHANNEL_KEY = 'lodeline.push'

/** Whether this browser is notified also while no page is open. */
export const isPushing = (): boolean => localStorage.getItem(CHANNEL_KEY) !== null

/** A secure address and a browser with push services: on iOS only of an installed page. */
const canPush = (): boolean => isSecureContext && 'serviceWorker' in navigator && 'PushManager' in window

/** Registers the worker that shows what is pushed. */
export const registerWorker = (): Promise<ServiceWorkerRegistration> =>
  navigator.serviceWorker.register(workerUrl('service'))

/**
 * An installed page has the worker even if nobody wants to be notified: without it, where the server does not answer, the browser says in its
 * place that the device has no network.
 */
export function keepInstalledWorker(): void {
  if (!isSecureContext || !('serviceWorker' in navigator)) return
  const register = () => void registerWorker().catch(() => undefined)
  if (matchMedia('(display-mode: standalone)').matches) register()
  addEventListener('appinstalled', register)
}

/**
 * Asks this browser's push service for a subscription, and adds it to the channels that are notified.
 *
 * @returns whether there is one now: some browsers have no push service, and only operators may add a channel
 */
export async function startPush(): Promise<boolean> {
  if (!canPush()) return false
  try {
    const registration = await registerWorker()
    await navigator.serviceWorker.ready
    const { publicKey } = await client.notify.pushKey()
    const subscription = await registration.pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: publicKey,
    })
    const { endpoint = '', keys = {} } = subscription.toJSON()
    const name = localStorage.getItem(CHANNEL_KEY) ?? `browser-${crypto.randomUUID().slice(0, 8)}`
    await client.notify.put(name, { kind: 'push', target: endpoint, secret: `${keys.p256dh}.${keys.auth}` })
    localStorage.setItem(CHANNEL_KEY, name)
    return true
  } catch {
    return false
  }
}

/** Ends the subscription, and takes its channel away. */
export async function stopPush(): Promise<void> {
  const name = localStorage.getItem(CHANNEL_KEY)
  localStorage.removeItem(CHANNEL_KEY)
  if (name === null) return
  const registration = await navigator.serviceWorker.getRegistration()
  await (await registration?.pushManager.getSubscription())?.unsubscribe()
  // The server takes it away by itself when its push service refuses.
  await client.notify.remove(name).catch(() => undefined)
}

/** The number on the icon of the installed page. */
export function showBadge(needs: number): void {
  const { setAppBadge, clearAppBadge } = navigator as Partial<Navigator>
  if (setAppBadge === undefined || clearAppBadge === undefined) return
  void (needs === 0 ? navigator.clearAppBadge() : navigator.setAppBadge(needs)).catch(() => undefined)
}
