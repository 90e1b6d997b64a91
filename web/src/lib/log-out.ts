import { client } from './api'
import { sendHeld } from './held-moves'

/** Ends the login. What the person did before is sent first. */
export async function logOut(): Promise<void> {
  await sendHeld()
  await client.login.leave()
  location.reload()
}
