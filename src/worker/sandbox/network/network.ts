import { type NetworkAddress, OPEN_NETWORK, parseNetworkPlace } from '../../../domain/policy/network-words'
import { shellLine } from '../../../util/shell-words'
import { NETWORK_WORDS } from '../bubblewrap'
import { NetworkProxy } from './proxy'
import { Reach } from './reach'

/** What decides about a run's way out. */
export interface NetworkOptions {
  /** The words of `worker.network`, as they are now. */
  words(): readonly string[]
  /** What it reaches whatever these say: its model, and Lodeline's server. */
  own: readonly NetworkAddress[]
  /** The worker's environment. */
  env: Readonly<Record<string, string | undefined>>
  /** argv that starts `lode`. */
  lode: readonly string[]
  /** Where the proxy listens, outside of the sandbox. */
  socket: string
  onRefused(why: string): void
}

/** What a sandbox has in the place of the machine's network. */
export interface BoxNetwork {
  /** Words of `bwrap`, before and after the mounts. */
  space: readonly string[]
  mounts: readonly string[]
  /** Words before the run's command, in the sandbox. */
  before: readonly string[]
  env: Readonly<Record<string, string>>
  /** Ends every connection. */
  close(): void
}

/** In the sandbox, where nothing else is. */
const SOCKET = '/run/lodeline-network'
/** On the sandbox's own loopback. */
const PROXY_PORT = 3_128
const LOOPBACK = ['127.0.0.1', 'localhost', '::1']
/** Lower ones need rights that a run does not have. */
const FIRST_PORT = 1_024

/** The whole network of the machine. */
export const isOpenNetwork = (words: readonly string[]): boolean => words.includes(OPEN_NETWORK)

/** Opens the way out. @throws the system's error */
export function openNetwork(options: NetworkOptions): BoxNetwork {
  const { env, lode, own, words, socket, onRefused } = options
  const proxy = new NetworkProxy({ path: socket, env, onRefused, reach: () => new Reach(words(), own) })
  const direct = directAddresses(own, words())
  const port = freePort(direct.map((address) => address.port))
  const to = direct.map(({ host, port }) => `--to=${host.includes(':') ? `[${host}]` : host}:${port}`)
  const bridge = shellLine([...lode, 'bridge', SOCKET, `--port=${port}`, ...to])
  return {
    space: NETWORK_WORDS,
    mounts: ['--bind', socket, SOCKET],
    before: ['/bin/sh', '-c', beginScript(bridge), 'sh'],
    env: proxyEnvironment(port),
    close: () => proxy.close(),
  }
}

/** The way out of a sandbox that shares the machine's loopback: of it, the run may connect to these ports alone. */
export interface LoopbackNetwork extends Pick<BoxNetwork, 'env' | 'close'> {
  ports: readonly number[]
}

/** Opens the way out where no sandbox has a network of its own. @throws the system's error */
export function openLoopback({ env, own, words, onRefused }: NetworkOptions): LoopbackNetwork {
  const proxy = new NetworkProxy({ path: null, env, onRefused, reach: () => new Reach(words(), own) })
  const port = proxy.port ?? 0
  return {
    ports: [port, ...directAddresses(own, words()).map((address) => address.port)],
    env: proxyEnvironment(port),
    close: () => proxy.close(),
  }
}

/**
 * Starts the bridge and waits until it listens, then becomes the run's command. The bridge's output ends when it is ready, or gone. It
 * starts in the root, so that nothing of the run's folder has a say in it.
 */
const beginScript = (bridge: string): string =>
  `[ "$(cd / && exec ${bridge} </dev/null 2>/dev/null &)" = ready ] || ` +
  '{ echo "The way out of the sandbox could not be opened." >&2; exit 125; }; exec "$@"'

/** Addresses of this machine's loopback that programs in the sandbox reach by the same address, without knowing of a proxy. */
function directAddresses(own: readonly NetworkAddress[], words: readonly string[]): NetworkAddress[] {
  const listed = words.flatMap((word) => {
    const place = parseNetworkPlace(word)
    return place === null || place.kind === 'below' || place.port === null ? [] : { host: place.host, port: place.port }
  })
  const byPort = new Map<number, NetworkAddress>()
  for (const address of [...own, ...listed])
    if (LOOPBACK.includes(address.host) && address.port >= FIRST_PORT && !byPort.has(address.port))
      byPort.set(address.port, address)
  return [...byPort.values()]
}

function freePort(taken: readonly number[]): number {
  let port = PROXY_PORT
  while (taken.includes(port)) port += 1
  return port
}

/** What makes programs ask the proxy: each reads other names. What the sandbox has on its own loopback is reached directly. */
function proxyEnvironment(port: number): Record<string, string> {
  const address = `http://127.0.0.1:${port}`
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()])
  return {
    ...Object.fromEntries(names.map((name) => [name, address])),
    NO_PROXY: LOOPBACK.join(','),
    no_proxy: LOOPBACK.join(','),
    // Without it Node's own requests know of no proxy.
    NODE_USE_ENV_PROXY: '1',
  }
}

/** The address of a URL; `null` = it is none of HTTP. */
export function addressOf(url: string): NetworkAddress | null {
  const parsed = URL.parse(url)
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) return null
  const port = Number(parsed.port || (parsed.protocol === 'https:' ? 443 : 80))
  return { host: parsed.hostname.replace(/^\[|\]$/g, ''), port }
}
