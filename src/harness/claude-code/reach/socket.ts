import { lstatSync } from 'node:fs'
import { connect } from 'node:net'

/** A process that takes no bytes for this long takes none. */
const LIMIT_MS = 2_000

/**
 * Puts a text into the message socket of a running CLI (2.1.328): an idle one begins a turn with it, one at work reads it at the next
 * tool. The CLI answers nothing, so that it was sent proves nothing; a line of the transcript does.
 *
 * @returns `false` = no byte of it was taken: nobody listens there, or it is no socket of ours
 */
export async function sendToSocket(path: string, text: string): Promise<boolean> {
  if (!isOwnSocket(path)) return false
  const line = `${JSON.stringify({ type: 'user', message: { role: 'user', content: text } })}\n`
  return await new Promise((resolve) => {
    let isConnected = false
    const socket = connect(path)
    // What was begun may have been read.
    const end = () => {
      socket.destroy()
      resolve(isConnected)
    }
    socket.setTimeout(LIMIT_MS, end)
    socket.once('error', end)
    socket.once('connect', () => {
      isConnected = true
      socket.end(line, () => resolve(true))
      // Whatever it says is thrown away, or its end would not be seen.
      socket.resume()
    })
  })
}

/** The path comes from a file: a socket of this user, and no link to another. */
function isOwnSocket(path: string): boolean {
  if (!path.startsWith('/') || path.includes('\0')) return false
  const stat = lstatSync(path, { throwIfNoEntry: false })
  return stat?.isSocket() === true && (process.getuid === undefined || stat.uid === process.getuid())
}
