import { BlockList, isIP, isIPv4 } from 'node:net'
import { networkInterfaces } from 'node:os'

/** Networks that are not the internet: this machine, its neighbours, a cloud's metadata, and what stands for none or for many. */
const PRIVATE_NETWORKS = [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '224.0.0.0/4', '240.0.0.0/4'],
  ...['::/96', '100::/64', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8'],
]

/** IPv6 addresses that lead to an IPv4 address, and the byte at which that one begins. */
const TRANSLATED = [
  { network: '::ffff:0:0/96', from: 12 },
  { network: '64:ff9b::/96', from: 12 },
  { network: '2002::/16', from: 2 },
]

export const kindOf = (address: string): 'ipv4' | 'ipv6' => (isIPv4(address) ? 'ipv4' : 'ipv6')

/** A list of networks, each as `ADDRESS/BITS`. */
export function networksOf(ranges: readonly string[]): BlockList {
  const list = new BlockList()
  for (const range of ranges) {
    const [address = '', bits] = range.split('/')
    list.addSubnet(address, Number(bits), kindOf(address))
  }
  return list
}

const privateList = networksOf(PRIVATE_NETWORKS)
const translated = TRANSLATED.map(({ network, from }) => ({ list: networksOf([network]), from }))

/** Whether an address is none of the internet, or one of this machine. What is no address counts as private. */
export function isPrivateAddress(address: string): boolean {
  const inner = innerAddress(address)
  return isIP(inner) === 0 || privateList.check(inner, kindOf(inner)) || ownAddresses().has(inner)
}

/** The IPv4 address that an IPv6 address leads to, else the address itself. */
export function innerAddress(address: string): string {
  if (isIP(address) !== 6) return address
  const way = translated.find(({ list }) => list.check(address, 'ipv6'))
  return way === undefined
    ? address
    : bytesOf(address)
        .slice(way.from, way.from + 4)
        .join('.')
}

function ownAddresses(): Set<string> {
  return new Set(Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address)))
}

/** The 16 bytes of an IPv6 address. */
function bytesOf(address: string): number[] {
  // In its one usual form: groups of hexadecimal digits, with `::` for some zeros.
  const [before = '', after = ''] = new URL(`http://[${address}]/`).hostname.slice(1, -1).split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const [head, tail] = [groups(before), groups(after)]
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => '0')
  return [...head, ...zeros, ...tail].flatMap((group) => {
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 255]
  })
}
