import { startPush, stopPush } from './push'

/** Local storage key. */
const NOTIFY_KEY = 'lodeline.notify'

/** Whether the person turned on desktop notifications and the browser allows them. */
export const isNotifying = (): boolean =>
  localStorage.getItem(NOTIFY_KEY) === 'on' && 'Notification' in globalThis && Notification.permission === 'granted'

/** Turns desktop notifications on or off; asks the browser for permission. @returns whether they are on now */
export async function setNotifying(isWanted: boolean): Promise<boolean> {
  if (!isWanted || !('Notification' in globalThis)) {
    localStorage.removeItem(NOTIFY_KEY)
    await stopPush()
    return false
  }
  const permission =
    Notification.permission === 'default' ? await Notification.requestPermission() : Notification.permission
  if (permission === 'granted') {
    localStorage.setItem(NOTIFY_KEY, 'on')
    // Nobody waits for the push service, which may never answer: without one the page tells while it is open.
    void startPush()
  }
  return permission === 'granted'
}
