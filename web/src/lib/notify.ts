/** Local storage key. */
const NOTIFY_KEY = 'lodeline.notify'

/** Whether the person turned on desktop notifications and the browser allows them. */
export const isNotifying = (): boolean =>
  localStorage.getItem(NOTIFY_KEY) === 'on' && 'Notification' in globalThis && Notification.permission === 'granted'

/** Turns desktop notifications on or off; asks the browser for permission. @returns whether they are on now */
export async function setNotifying(isWanted: boolean): Promise<boolean> {
  if (!isWanted || !('Notification' in globalThis)) {
    localStorage.removeItem(NOTIFY_KEY)
    return false
  }
  const permission =
    Notification.permission === 'default' ? await Notification.requestPermission() : Notification.permission
  if (permission === 'granted') localStorage.setItem(NOTIFY_KEY, 'on')
  return permission === 'granted'
}
