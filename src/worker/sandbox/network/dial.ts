import { lookup } from 'node:dns/promises'
import { ipVersion } from '../../../util/net/ip'
import { SOCKET_HANDLERS, SocketEnd } from '../../../util/net/socket-pipe'
import type { Reach, Wanted } from './reach'
import { HEAD_END } from './request-head'
import { connectHead, type Upstream, upstreamFor } from './upstream'

/** Why there is no way to a host. `refused`: the list does not have it. `failed`: it does not answer. */
export type NoWay = { is: 'refused' | 'failed'; why: string }

export interface DialOptions {
  reach: Reach
  /** The worker's environment: it names the machine's own proxy. */
  env: Readonly<Record<string, string | undefined>>
  /** Addresses of a name; the system's by default. */
  find?: (host: string) => Promise<readonly string[]>
}

const CONNECT_MS = 15_000
/** The addresses of one name. */
const MOST_ADDRESSES = 4
const MOST_HEAD = 16_384

/**
 * Connects to a host, if it may be reached: its name is looked at before it is looked up, and what is connected to is the very address
 * that was looked at.
 */
export async function dial(
  wanted: Wanted,
  { reach, env, find = findAddresses }: DialOptions,
): Promise<SocketEnd | NoWay> {
  if (!reach.mayAsk(wanted)) return { is: 'refused', why: `${shown(wanted)} is not in worker.network` }
  const upstream = upstreamFor(env, wanted)
  // It looks names up itself.
  if (upstream !== null && ipVersion(wanted.host) === 0) return await through(upstream, wanted)
  const found = ipVersion(wanted.host) !== 0 ? [wanted.host] : await find(wanted.host).catch(() => [])
  if (found.length === 0) return { is: 'failed', why: `${wanted.host} has no address` }
  const allowed = found.filter((address) => reach.mayConnect(wanted, address))
  if (allowed.length === 0)
    return {
      is: 'refused',
      why: `${shown(wanted)} leads to ${found[0]}, an address of a private network that is not in worker.network`,
    }
  if (upstream !== null) return await through(upstream, wanted)
  for (const address of allowed.slice(0, MOST_ADDRESSES)) {
    const end = await connectTo({ hostname: address, port: wanted.port })
    if (end !== null) return end
  }
  return { is: 'failed', why: `${shown(wanted)} does not answer` }
}

export const shown = ({ host, port }: Wanted): string => `${host.includes(':') ? `[${host}]` : host}:${port}`

async function findAddresses(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address)
}

interface Target {
  hostname: string
  port: number
  tls?: true
}

/** `null` = it does not answer. */
async function connectTo(target: Target, end = new SocketEnd(() => {})): Promise<SocketEnd | null> {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const timer = setTimeout(() => resolve(false), CONNECT_MS)
  Bun.connect<SocketEnd>({
    ...target,
    data: end,
    socket: {
      ...SOCKET_HANDLERS,
      open(socket) {
        socket.pause()
        end.opened(socket)
        resolve(true)
      },
    },
  }).catch(() => resolve(false))
  const isOpen = await promise
  clearTimeout(timer)
  if (isOpen) return end
  end.destroy()
  return null
}

/** Asks the machine's own proxy for a way. */
async function through(upstream: Upstream, wanted: Wanted): Promise<SocketEnd | NoWay> {
  const { promise, resolve } = Promise.withResolvers<string>()
  let head = ''
  const end: SocketEnd = new SocketEnd(
    (bytes) => {
      head += Buffer.from(bytes).toString('latin1')
      // What comes with the head would be of the host, which has been asked for nothing yet.
      if (head.includes(HEAD_END) || head.length > MOST_HEAD) {
        end.pause()
        resolve(head)
      }
    },
    () => resolve(''),
  )
  const failed: NoWay = { is: 'failed', why: `the machine's own proxy gives no way to ${shown(wanted)}` }
  const target = { hostname: upstream.host, port: upstream.port, ...(upstream.isTls && { tls: true as const }) }
  if ((await connectTo(target, end)) === null) return failed
  end.write(Buffer.from(connectHead(wanted, upstream)))
  end.resume()
  const timer = setTimeout(() => resolve(''), CONNECT_MS)
  const answer = await promise
  clearTimeout(timer)
  if (/^HTTP\/1\.[01] 200 /.test(answer) && answer.endsWith(HEAD_END)) return end
  end.destroy()
  return failed
}
