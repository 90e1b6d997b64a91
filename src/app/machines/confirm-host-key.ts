import { appendFileSync } from 'node:fs'
import { AppError } from '../../domain/errors'
import type { Ssh } from './ssh'

/**
 * Takes the key that a person compared. It is kept beside Lodeline's own files, so that the person's file of known hosts stays as it is.
 *
 * @param fingerprint  `SHA256:…`
 * @throws `forbidden` the machine shows others · `unavailable` it shows none
 */
export async function confirmHostKey(ssh: Ssh, fingerprint: string): Promise<void> {
  const shown = await ssh.hostKeys()
  const { destination } = ssh.place
  if (shown.length === 0) throw new AppError('unavailable', `${destination} shows no host key.`)
  const confirmed = shown.find((key) => key.fingerprint === fingerprint)
  if (confirmed === undefined)
    throw new AppError('forbidden', `${destination} shows other host keys; nothing was sent.`, {
      hint: `It shows ${shown.map((key) => key.fingerprint).join(', ')}.`,
    })
  appendFileSync(ssh.knownHosts, `${confirmed.line}\n`, { mode: 0o600 })
}
