import { BlockList } from 'node:net'
import { ipVersion } from './ip'

/**
 * Where an address leads:
 *
 * - `public`   to a host of the internet
 * - `private`  into a network that only its own members reach, e.g. that of a company or of a provider
 * - `machine`  back to this machine
 * - `special`  to none of them: link-local (clouds answer there with credentials), multicast, reserved, and what is no address
 *
 * An IPv6 address that stands for an IPv4 address leads where that one does.
 */
export type AddressReach = 'public' | 'private' | 'machine' | 'special'

/** From the registries of special-purpose addresses of IANA (RFC 6890 and its updates). */
const MACHINE = networks(['127.0.0.0/8', '::1/128'])
const PRIVATE = networks(['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'])
const SPECIAL = networks([
  '0.0.0.0/8',
  // Microsoft's cloud serves its machines there, from a public range.
  '168.63.129.16/32',
  '169.254.0.0/16',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '2001::/23',
  '2001:db8::/32',
  '2620:4f:8000::/48',
  '3fff::/20',
])
/** All that is given out for hosts. What is beyond it is special. */
const GLOBAL = networks(['2000::/3'])
/** IPv6 addresses that stand for an IPv4 address (IPv4 in IPv6, NAT64, 6to4), and the byte at which that one begins. */
const TRANSLATED = [
  { network: networks(['::ffff:0:0/96']), from: 12 },
  { network: networks(['64:ff9b::/96']), from: 12 },
  { network: networks(['2002::/16']), from: 2 },
]

/** @param address  an IPv4 or IPv6 address without brackets; everything else is `special` */
export function addressReach(address: string): AddressReach {
  const inner = innerAddress(address)
  const version = ipVersion(inner)
  // A zone names an interface of this machine: only link-local addresses have one.
  if (version === 0 || inner.includes('%')) return 'special'
  const family = version === 6 ? 'ipv6' : 'ipv4'
  // BlockList judges an IPv4 address in IPv6 by its IPv4 half, in forms that nobody uses any more, too.
  if (family === 'ipv6' && /^::(?!1$)/.test(usualForm(inner))) return 'special'
  if (MACHINE.check(inner, family)) return 'machine'
  if (PRIVATE.check(inner, family)) return 'private'
  if (SPECIAL.check(inner, family)) return 'special'
  return family === 'ipv4' || GLOBAL.check(inner, family) ? 'public' : 'special'
}

/** The IPv4 address that an IPv6 address stands for, else the address itself. */
function innerAddress(address: string): string {
  if (ipVersion(address) !== 6 || address.includes('%')) return address
  const way = TRANSLATED.find(({ network }) => network.check(address, 'ipv6'))
  return way === undefined
    ? address
    : bytesOf(address)
        .slice(way.from, way.from + 4)
        .join('.')
}

/** The 16 bytes of an IPv6 address. */
function bytesOf(address: string): number[] {
  const [before = '', after = ''] = usualForm(address).split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const [head, tail] = [groups(before), groups(after)]
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 255]
  })
}

/** Groups of hexadecimal digits, with `::` for the most zeros. */
const usualForm = (address: string): string => hostOf(new URL(`http://[${address}]`))

/** Whether an address of the web says plainly that it is on this machine: `localhost`, or a loopback address that stands for no other. */
export function namesThisMachine(url: URL): boolean {
  const host = hostOf(url)
  return host === 'localhost' || (addressReach(host) === 'machine' && innerAddress(host) === host)
}

/** The host of an address of the web; an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** @param among  as `networkOf` gives them */
export function isInNetworks(address: string, among: readonly string[]): boolean {
  return inNetworks(among)(address)
}

/** The same for many addresses: the list is read once. What is no address is in none. */
export function inNetworks(among: readonly string[]): (address: string) => boolean {
  const list = networks(among)
  return (address) => {
    const inner = innerAddress(address)
    const version = ipVersion(inner)
    return version !== 0 && list.check(inner, version === 6 ? 'ipv6' : 'ipv4')
  }
}

function networks(list: readonly string[]): BlockList {
  const found = new BlockList()
  for (const each of list) {
    const [address = '', bits] = each.split('/')
    found.addSubnet(address, Number(bits), ipVersion(address) === 6 ? 'ipv6' : 'ipv4')
  }
  return found
}

/**
 * An address to which this server may post: https, or http for this machine, without user name and password. Where a name leads is seen when
 * it is posted to.
 *
 * @returns `null` = it is none
 */
export function parseOutsideUrl(text: string): URL | null {
  const url = text.length <= 2_000 && URL.canParse(text) ? new URL(text) : null
  const isFit = url !== null && (url.protocol === 'https:' || (url.protocol === 'http:' && namesThisMachine(url)))
  return isFit && url.username === '' && url.password === '' ? url : null
}

/** Whether an address that is written as numbers may be posted to: neither nowhere, nor to this machine without saying so plainly. */
export function mayLead(url: URL): boolean {
  if (ipVersion(hostOf(url)) === 0) return true
  const reach = addressReach(hostOf(url))
  return reach === 'machine' ? namesThisMachine(url) : reach !== 'special'
}
