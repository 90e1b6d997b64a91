import { lookup } from 'node:dns/promises'
import { addressReach, hostOf, isInNetworks, namesThisMachine } from './address-reach'
import { ipVersion } from './ip'

/** Milliseconds for all of it: the look-up, the connection and the answer. */
const ANSWER_MS = 10_000
/** Addresses of one name that are tried. */
const MAX_ADDRESSES = 4

/** All addresses of a name, best first. */
export type ResolveName = (name: string) => Promise<string[]>

export interface OutsidePost {
  /** As `parseOutsideUrl` checked it: https, or http for this machine. */
  url: string
  body: string | Uint8Array<ArrayBuffer>
  headers: Readonly<Record<string, string>>
  /** Private networks that it may lead to. */
  networks: readonly string[]
  /** The setting that allows them, for the refusal. */
  setting: string
  signal: AbortSignal
  /** Default the operating system's. */
  resolve?: ResolveName
  /** A certificate to trust beside the usual ones, in PEM. */
  ca?: string
}

/**
 * Posts to an address that somebody gave to this server. A name could lead anywhere, and elsewhere at a second look-up: it is looked up
 * once, its addresses are judged, and the connection goes to an address that passed. TLS still proves the name. Redirects are not
 * followed.
 *
 * @returns why it was not taken; `null` = it was
 */
export async function postOutside(post: OutsidePost): Promise<string | null> {
  const signal = AbortSignal.any([post.signal, AbortSignal.timeout(ANSWER_MS)])
  const url = new URL(post.url)
  try {
    const fit = await inTime(signal, fitAddresses(url, post))
    if (typeof fit === 'string') return fit
    let failure: unknown
    for (const address of fit) {
      try {
        const response = await postTo(address, url, post, signal)
        await response.body?.cancel()
        return response.ok ? null : `it responded with status ${response.status}`
      } catch (error) {
        failure = error
        if (signal.aborted) break
      }
    }
    throw failure
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

/**
 * The addresses of a host to which this server may connect, best first.
 *
 * @returns why there is none, as a text
 */
export async function fitAddresses(
  url: URL,
  { networks, setting, resolve = resolveBySystem }: Pick<OutsidePost, 'networks' | 'setting' | 'resolve'>,
): Promise<string[] | string> {
  const addresses = await addressesOf(url, resolve)
  const fit = addresses.filter((address) => isFit(url, address, networks)).slice(0, MAX_ADDRESSES)
  return fit.length === 0 ? refusal(url, addresses, setting) : fit
}

/** This machine is fit where the address itself says so: no name from outside leads here. */
function isFit(url: URL, address: string, networks: readonly string[]): boolean {
  const reach = addressReach(address)
  if (reach === 'special') return false
  if (namesThisMachine(url)) return reach === 'machine'
  return reach === 'public' || isInNetworks(address, networks)
}

function refusal(url: URL, addresses: readonly string[], setting: string): string {
  const host = hostOf(url)
  if (addresses.length === 0) return `${host} has no address`
  const found = addresses.slice(0, MAX_ADDRESSES).join(', ')
  return addresses.some((address) => addressReach(address) !== 'special')
    ? `${host} leads to ${found}, which is no public address; the setting ${setting} allows a private network`
    : `${host} leads to ${found}, where nothing may be sent`
}

function postTo(address: string, url: URL, { body, headers, ca }: OutsidePost, signal: AbortSignal): Promise<Response> {
  const pinned = new URL(url)
  pinned.hostname = ipVersion(address) === 6 ? `[${address}]` : address
  return fetch(pinned, {
    method: 'POST',
    body,
    headers: { ...headers, host: url.host },
    // Where it leads to was not agreed on.
    redirect: 'manual',
    // A connection is of one post: another one's name may share the address.
    keepalive: false,
    ...(url.protocol === 'https:' && {
      tls: {
        rejectUnauthorized: true,
        ...(ipVersion(hostOf(url)) === 0 && { serverName: url.hostname }),
        ...(ca && { ca }),
      },
    }),
    signal,
  })
}

async function addressesOf(url: URL, resolve: ResolveName): Promise<string[]> {
  const host = hostOf(url)
  return ipVersion(host) === 0 ? await resolve(host) : [host]
}

const resolveBySystem: ResolveName = async (name) => (await lookup(name, { all: true })).map(({ address }) => address)

/** A look-up can't be cancelled: nobody waits for it any longer. */
function inTime<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((done, fail) => {
    signal.addEventListener('abort', () => fail(signal.reason), { once: true })
    work.then(done, fail)
  })
}
