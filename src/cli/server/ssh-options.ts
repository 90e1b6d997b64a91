import { resolve } from 'node:path'
import type { FoundExecutable } from '../../app/machines/executable'
import type { Ssh } from '../../app/machines/ssh'
import { MINUTE_MS } from '../../domain/time-units'
import type { Context } from '../kit/context'

export const SSH_OPTIONS = {
  port: {
    kind: 'number',
    value: 'N',
    min: 1,
    max: 65_535,
    help: 'the port of its ssh server (default: as your ssh settings say)',
  },
  identity: {
    kind: 'text',
    value: 'FILE',
    complete: 'file',
    help: 'a private key (default: as your ssh settings say)',
  },
  'host-key': {
    kind: 'text',
    value: 'SHA256:X',
    help: 'the fingerprint of its host key, when ssh does not know it and you compared it',
  },
  executable: {
    kind: 'text',
    value: 'FILE',
    complete: 'file',
    help: 'the executable for its system (default: this one, or the package of this release)',
  },
} as const

interface Given {
  destination: string
  port?: number | undefined
  identity?: string | undefined
  'host-key'?: string | undefined
}

/** @throws `invalid` the destination is none · `forbidden` the host key is another */
export async function sshOf(context: Context, { destination, port, identity, ...given }: Given): Promise<Ssh> {
  const [{ Ssh }, { confirmHostKey }, { ensureHome }] = await Promise.all([
    import('../../app/machines/ssh'),
    import('../../app/machines/confirm-host-key'),
    import('../../app/files/home'),
  ])
  const { home } = context.config()
  ensureHome(home)
  const place = {
    destination,
    port: port ?? null,
    identity: identity === undefined ? null : resolve(context.io.cwd, identity),
  }
  const ssh = new Ssh(place, { env: context.io.env, home, signal: context.signal })
  if (given['host-key'] !== undefined) await confirmHostKey(ssh, given['host-key'])
  return ssh
}

/** The executable that a person named, or the one for that system. @throws `invalid` `unavailable` */
export async function programFor(
  context: Context,
  system: string,
  given: string | undefined,
): Promise<FoundExecutable> {
  const [{ executableFor }, { checkExecutable }, { ownHost }] = await Promise.all([
    import('../../app/machines/executable'),
    import('../../app/machines/copy-program'),
    import('../../app/service/service'),
  ])
  if (given === undefined) return executableFor(system, ownHost(context.io.env, FETCH_MS).run)
  return { path: checkExecutable(resolve(context.io.cwd, given)), [Symbol.dispose]: () => {} }
}

/** A slow network fetches the package within this time, in milliseconds. */
const FETCH_MS = 15 * MINUTE_MS
