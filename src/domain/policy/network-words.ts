/** The words of `worker.network`: what runs in a sandbox may reach beside their model and Lodeline. */

/** Everything that the machine reaches. It stands alone. */
export const OPEN_NETWORK = 'open'
/** Stands for `COMMON_HOSTS`. */
export const COMMON_NETWORK = 'common'

/** Where packages and code come from. Every one of them takes uploads from whoever has an account there. */
export const COMMON_HOSTS: readonly string[] = [
  // Code.
  'github.com',
  '*.github.com',
  '*.githubusercontent.com',
  'gitlab.com',
  '*.gitlab.com',
  'bitbucket.org',
  'codeberg.org',
  // JavaScript.
  'registry.npmjs.org',
  'registry.yarnpkg.com',
  'nodejs.org',
  'jsr.io',
  'npm.jsr.io',
  // Python.
  'pypi.org',
  'files.pythonhosted.org',
  // Rust.
  'crates.io',
  '*.crates.io',
  'static.rust-lang.org',
  // Go.
  'proxy.golang.org',
  'sum.golang.org',
  'go.dev',
  // Java.
  'repo.maven.apache.org',
  'repo1.maven.org',
  'plugins.gradle.org',
  'services.gradle.org',
  // Others.
  'rubygems.org',
  '*.rubygems.org',
  'packagist.org',
  'repo.packagist.org',
  'api.nuget.org',
  'hex.pm',
  '*.hex.pm',
  // Linux.
  'deb.debian.org',
  'security.debian.org',
  'archive.ubuntu.com',
  'security.ubuntu.com',
  'dl-cdn.alpinelinux.org',
]

/** One host that a run reaches whatever the list says, since a person's own settings name it. */
export interface NetworkAddress {
  /** A name, or an address without brackets. */
  host: string
  port: number
}

/** A place of the list, in parts. */
export interface NetworkPlace {
  kind: 'name' | 'below' | 'addresses'
  /** A name in lower case; the name above, for `below`; an address. */
  host: string
  /** How many leading bits of `addresses` count; `null` = all. */
  bits: number | null
  /** `null` = the ports of the web. */
  port: number | null
}

/** Words of settings, which name no host. */
const RESERVED = new Set([OPEN_NETWORK, COMMON_NETWORK, 'off', 'none'])

const NAME = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)*$/
const DIGITS = /^[0-9.]+$/
const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/

/** Reads one word of the list but `open` and `common`. `null` = it is none. */
export function parseNetworkPlace(word: string): NetworkPlace | null {
  const text = word.toLowerCase()
  const inBrackets = /^\[([0-9a-f:.]+)\](?::(\d{1,5}))?$/.exec(text)
  if (inBrackets !== null) return addresses(inBrackets[1] ?? '', null, portOf(inBrackets[2]))
  const range = /^([0-9a-f:.]+)\/(\d{1,3})$/.exec(text)
  if (range !== null) return addresses(range[1] ?? '', Number(range[2]), null)
  if (text.split(':').length > 2) return addresses(text, null, null)
  const [host = '', digits] = text.split(':')
  const port = portOf(digits)
  if (port === undefined) return null
  if (DIGITS.test(host)) return addresses(host, null, port)
  const kind = host.startsWith('*.') ? 'below' : 'name'
  const name = kind === 'below' ? host.slice(2) : host
  // `*.com` would be half of the world.
  if (!NAME.test(name) || (kind === 'below' && !name.includes('.'))) return null
  return RESERVED.has(name) ? null : { kind, host: name, bits: null, port }
}

/** Whether `text` is an IPv4 address in its usual form. */
export const isIpv4 = (text: string): boolean => IPV4.test(text)
/** Whether `text` is an IPv6 address, without brackets and zone. */
export const isIpv6 = (text: string): boolean =>
  text.includes(':') && /^[0-9a-f:.]+$/i.test(text) && URL.canParse(`http://[${text}]/`)

function addresses(host: string, bits: number | null, port: number | null | undefined): NetworkPlace | null {
  const most = isIpv4(host) ? 32 : isIpv6(host) ? 128 : -1
  return most < 0 || port === undefined || (bits ?? 0) > most ? null : { kind: 'addresses', host, bits, port }
}

/** `undefined` = it is no port. */
function portOf(digits: string | undefined): number | null | undefined {
  if (digits === undefined) return null
  const port = /^\d{1,5}$/.test(digits) ? Number(digits) : 0
  return port >= 1 && port <= 65_535 ? port : undefined
}
