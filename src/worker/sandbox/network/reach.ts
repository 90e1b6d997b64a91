import { networkInterfaces } from 'node:os'
import {
  COMMON_HOSTS,
  COMMON_NETWORK,
  type NetworkAddress,
  type NetworkPlace,
  OPEN_NETWORK,
  parseNetworkPlace,
} from '../../../domain/policy/network-words'
import { addressReach, isInNetworks } from '../../../util/net/address-reach'
import { ipVersion } from '../../../util/net/ip'

/** What a run wants to reach. */
export interface Wanted {
  /** In lower case, without brackets and without a dot at its end. */
  host: string
  port: number
}

const WEB_PORTS = [80, 443]

/** Decides what a run may reach: by name before the name is looked up, by address before a connection is made. */
export class Reach {
  readonly #isOpen: boolean
  readonly #places: readonly NetworkPlace[]
  readonly #own: readonly NetworkAddress[]

  /** @param own  what the person's own settings name: it may be anywhere */
  constructor(words: readonly string[], own: readonly NetworkAddress[]) {
    this.#isOpen = words.includes(OPEN_NETWORK)
    this.#places = words
      .flatMap((word) => (word === COMMON_NETWORK ? COMMON_HOSTS : [word]))
      .flatMap((word) => parseNetworkPlace(word) ?? [])
    this.#own = own.map(({ host, port }) => ({ host: host.toLowerCase(), port }))
  }

  /** Whether it may be looked up. */
  mayAsk(wanted: Wanted): boolean {
    if (this.#isOpen || this.#isOwn(wanted)) return true
    if (ipVersion(wanted.host) !== 0) return this.#isListedAddress(wanted.host, wanted.port)
    return this.#places.some((place) => isNamed(place, wanted))
  }

  /** Whether it may be reached at this address, which its name led to. A private one must be listed itself. */
  mayConnect(wanted: Wanted, address: string): boolean {
    if (this.#isOpen || this.#isOwn(wanted)) return true
    return !isPrivateAddress(address) || isLocalhost(wanted.host) || this.#isListedAddress(address, wanted.port)
  }

  #isOwn({ host, port }: Wanted): boolean {
    return this.#own.some((address) => address.host === host && address.port === port)
  }

  #isListedAddress(address: string, port: number): boolean {
    return this.#places.some(
      (place) => place.kind === 'addresses' && fitsPort(place, port) && isInNetworks(address, [networkOf(place)]),
    )
  }
}

const networkOf = ({ host, bits }: NetworkPlace): string => `${host}/${bits ?? (ipVersion(host) === 4 ? 32 : 128)}`

/** Whether an address is none of the internet, or one of this machine. What is no address counts as private. */
export const isPrivateAddress = (address: string): boolean =>
  addressReach(address) !== 'public' || ownAddresses().has(address)

const ownAddresses = (): Set<string> =>
  new Set(Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map((each) => each.address)))

/** A list with this name means this machine. */
const isLocalhost = (host: string): boolean => host === 'localhost'

function isNamed(place: NetworkPlace, { host, port }: Wanted): boolean {
  if (place.kind === 'addresses' || !fitsPort(place, port)) return false
  return place.kind === 'name' ? host === place.host : host.endsWith(`.${place.host}`)
}

/** Addresses mean all of their ports, names those of the web, unless one is listed. */
function fitsPort({ kind, port }: NetworkPlace, wanted: number): boolean {
  if (port !== null) return port === wanted
  return kind === 'addresses' || WEB_PORTS.includes(wanted)
}
