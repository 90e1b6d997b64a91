import { BlockList, isIP } from 'node:net'

/**
 * Where an address leads:
 *
 * - `public`   to a host of the internet
 * - `private`  into a network that only its own members reach, e.g. that of a company or of a provider
 * - `machine`  back to this machine
 * - `special`  to none of them: link-local (clouds answer there with credentials), multicast, reserved, and addresses that stand for
 *              another one, whose class nobody could judge
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
  // 6to4 holds an IPv4 address.
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
])
/** All that is given out for hosts. What is beyond it, e.g. NAT64 and addresses of IPv4 in IPv6, is special. */
const GLOBAL = networks(['2000::/3'])

/** @param address  an IPv4 or IPv6 address without brackets; everything else is `special` */
export function addressReach(address: string): AddressReach {
  const version = isIP(address)
  // A zone names an interface of this machine: only link-local addresses have one.
  if (version === 0 || address.includes('%')) return 'special'
  const family = version === 6 ? 'ipv6' : 'ipv4'
  // BlockList judges an IPv4 address in IPv6 by its IPv4 half: such an address stands for another one.
  if (family === 'ipv6' && /^::(?!1$)/.test(new URL(`http://[${address}]`).hostname.slice(1, -1))) return 'special'
  if (MACHINE.check(address, family)) return 'machine'
  if (PRIVATE.check(address, family)) return 'private'
  if (SPECIAL.check(address, family)) return 'special'
  return family === 'ipv4' || GLOBAL.check(address, family) ? 'public' : 'special'
}

/** Whether an address of the web says itself that it is on this machine: `localhost`, or a loopback address. */
export function namesThisMachine(url: URL): boolean {
  return url.hostname === 'localhost' || addressReach(hostOf(url)) === 'machine'
}

/** The host of an address of the web; an IPv6 address without its brackets. */
export function hostOf({ hostname }: URL): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname
}

/** @param among  as `networkOf` gives them */
export function isInNetworks(address: string, among: readonly string[]): boolean {
  return networks(among).check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4')
}

/** `10.0.0.0/8`, or one address, as a network in its usual form; `null` = it is neither. */
export function networkOf(text: string): string | null {
  const [, address = '', bits] = /^([\d.]{7,15}|[\da-f:]{2,39})(?:\/(\d{1,3}))?$/i.exec(text) ?? []
  const version = isIP(address)
  const most = version === 6 ? 128 : 32
  const length = bits === undefined ? most : Number(bits)
  return version === 0 || length > most ? null : `${address.toLowerCase()}/${length}`
}

function networks(list: readonly string[]): BlockList {
  const found = new BlockList()
  for (const each of list) {
    const [address = '', bits] = each.split('/')
    found.addSubnet(address, Number(bits), isIP(address) === 6 ? 'ipv6' : 'ipv4')
  }
  return found
}
