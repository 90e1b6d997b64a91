const KEY = 'lodeline.notify'

/** Whether the person wants to be told by the system of what needs them, and the browser allows it. */
export const isNotifying = (): boolean =>
  localStorage.getItem(KEY) === 'on' && 'Notification' in globalThis && Notification.permission === 'granted'

/** Asks the browser, then remembers. @returns whether it is so now */
export async function setNotifying(isWanted: boolean): Promise<boolean> {
  if (!isWanted || !('Notification' in globalThis)) {
    localStorage.removeItem(KEY)
    return false
  }
  const permission =
    Notification.permission === 'default' ? await Notification.requestPermission() : Notification.permission
  if (permission === 'granted') localStorage.setItem(KEY, 'on')
  return permission === 'granted'
}
