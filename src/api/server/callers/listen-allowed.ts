import { AppError } from '../../../domain/errors'

export interface ListenOptions {
  /** The server has a certificate. */
  tls: boolean
  /** The operator explicitly allowed unencrypted traffic. */
  allowInsecure: boolean
}

/** @throws `invalid` unless `host` is loopback, or the traffic is encrypted, or the operator insisted */
export function assertListenAllowed(host: string, { tls, allowInsecure }: ListenOptions): void {
  if (isLoopback(host) || tls || allowInsecure) return
  throw new AppError('invalid', `Listening on ${host} would expose every conversation and the token to the network.`, {
    hint: 'Listen on 127.0.0.1, use a certificate, or pass --allow-insecure if you trust everyone on the network.',
    details: { host },
  })
}

/** True for names and addresses that never leave the machine. An empty host means "all addresses" to a listener. */
export function isLoopback(host: string): boolean {
  const name = host.toLowerCase().replace(/^\[(.*)\]$/, '$1')
  return name === 'localhost' || name === '::1' || isLoopbackV4(name.replace(/^::ffff:/, ''))
}

function isLoopbackV4(address: string): boolean {
  const parts = address.split('.')
  return parts.length === 4 && parts[0] === '127' && parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) < 256)
}
