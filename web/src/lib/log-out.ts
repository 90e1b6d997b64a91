import { client } from './api'
import { sendHeld } from './held-moves'
import { tellLogOut } from './share-feed'

/** Ends the login. What the person did before is sent first. */
export async function logOut(): Promise<void> {
  await sendHeld()
  await client.login.leave()
  tellLogOut()
  location.reload()
}
