import { client } from './api'
import { sendHeld } from './live/held-moves'
import { tellLogOut } from './live/share-feed'

/** Logs out. Held moves are sent first. */
export async function logOut(): Promise<void> {
  await sendHeld()
  await client.login.leave()
  tellLogOut()
  location.reload()
}
