import { readFileSync } from 'node:fs'
import { hostname, networkInterfaces } from 'node:os'
import type { App } from '../../api/server'
import { assertListenAllowed, isLoopback } from '../../api/server/callers/listen-allowed'
import type { OperatorToken } from '../../api/server/callers/operator-token'
import type { Access, Front, Login } from '../../api/server/deps'
import type { ServerConfig } from '../../config/load'
import { AppError } from '../../domain/errors'
import { inNetworks } from '../../util/net/address-reach'
import { portHolder } from '../../util/process/port-holder'
import type { Shutdown } from './shutdown'

/** Files of a certificate, in PEM. */
export interface Certificate {
  certFile: string
  keyFile: string
}

export interface ListenOptions {
  host: string
  /** 0 = any free one. */
  port: number
  /** Serves HTTPS. */
  certificate?: Certificate
  /** The operator wants traffic in the clear beyond this machine. */
  isInsecureAllowed: boolean
  operatorToken: OperatorToken
  login: Login
  /** How it is reached beyond the address that it listens on. */
  front: ServerConfig
}

export interface Listening {
  /** For commands on this machine: plain HTTP on loopback. */
  localUrl: string
  /** For the person: where it listens as they asked. */
  url: string
}

/**
 * Listens where the operator said. When that is not plain loopback, a second listener on loopback serves this machine's own
 * commands, which then need neither a certificate nor a name for the first.
 *
 * @throws `invalid` for an address that would show the record, or a certificate that can't be read; `unavailable` for a port in use
 */
export async function openListeners(
  options: ListenOptions,
  makeApp: (access: Access) => App,
  shutdown: Shutdown,
): Promise<Listening> {
  const { host, port, certificate, isInsecureAllowed, operatorToken, login, front } = options
  assertListenAllowed(host, { tls: certificate !== undefined, allowInsecure: isInsecureAllowed })
  let publicUrl = front.publicUrl
  const open = async (
    at: string,
    wanted: number,
    more: { tls?: { cert: string; key: string }; front?: ServerConfig } = {},
  ): Promise<string> => {
    const { tls } = more
    const scheme = tls ? 'https' : 'http'
    let hosts: ReadonlySet<string> = new Set()
    const app = makeApp({
      kind: 'network',
      hosts: () => hosts,
      ...(more.front && { front: frontOf(more.front) }),
      operatorToken,
      login,
      publicUrl: () => publicUrl,
    })
    const underWay = new Set<Promise<Response>>()
    const answer = (request: Request, remote: string | undefined): Promise<Response> => {
      const answered = app.fetch(request, remote === undefined ? {} : { remote })
      underWay.add(answered)
      return answered.finally(() => underWay.delete(answered))
    }
    const listener = await listen(at, wanted, answer, tls)
    shutdown.add('listener', async () => {
      // No more connections; those that are open stay.
      void listener.stop()
      await app.endFollowers()
      await finish(underWay)
      await listener.stop(true)
    })
    hosts = new Set([...ownHosts(at, listener.port ?? 0), ...frontHosts(more.front, listener.port ?? 0)])
    return `${scheme}://${urlHost(at)}:${listener.port}`
  }
  const url = await open(host, port, { front, ...(certificate && { tls: readCertificate(certificate) }) })
  if (!isLoopback(host)) publicUrl ??= nameable(url)
  const isPlainLocal = certificate === undefined && isLoopback(host)
  return { url, localUrl: isPlainLocal ? url : await open('127.0.0.1', 0) }
}

async function listen(
  host: string,
  port: number,
  fetch: (request: Request, remote: string | undefined) => Promise<Response>,
  tls?: { cert: string; key: string },
) {
  try {
    return Bun.serve({
      hostname: host,
      port,
      // Followers of the feed are quiet for long; the feed cuts those that take nothing.
      idleTimeout: 0,
      development: false,
      // Bun shares the port otherwise, and each request would go to any one of the servers on it.
      reusePort: false,
      fetch: (request, server) => fetch(request, server.requestIP(request)?.address),
      ...(tls ? { tls } : {}),
    })
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code !== 'EADDRINUSE')
      throw new AppError('unavailable', `Can't listen on ${host}:${port}: ${code ?? message}.`, {
        hint: 'Choose another port with --port N, or another address with --host.',
        cause,
      })
    const holder = await portHolder(host, port)
    throw new AppError('unavailable', `Port ${port} of ${host} is in use${holder === null ? '' : ` by ${holder}`}.`, {
      hint: 'Stop that program, or choose another port with --port N (0 = any free port).',
      cause,
    })
  }
}

function readCertificate({ certFile, keyFile }: Certificate): { cert: string; key: string } {
  const read = (path: string): string => {
    try {
      return readFileSync(path, 'utf8')
    } catch (cause) {
      throw new AppError('invalid', `${path} can't be read: ${(cause as Error).message}`, { cause })
    }
  }
  return { cert: read(certFile), key: read(keyFile) }
}

/** Exact Host headers that mean us: on loopback every name that leads only here, else this machine's names and addresses. */
function ownHosts(host: string, port: number): ReadonlySet<string> {
  const local = ['127.0.0.1', 'localhost', '[::1]']
  const names = isLoopback(host) ? [...local, urlHost(host)] : [...local, urlHost(host), ...machineNames()]
  return new Set(names.flatMap((name) => [`${name}:${port}`, ...(port === 80 || port === 443 ? [name] : [])]))
}

/** How long requests under way may take when a server ends. */
const FINISH_MS = 5_000

/** Waits until all are answered, and what follows them, but for no longer than a moment. */
async function finish(underWay: ReadonlySet<Promise<unknown>>): Promise<void> {
  const end = performance.now() + FINISH_MS
  while (underWay.size > 0 && performance.now() < end) {
    const tooLong = new Promise((resolve) => setTimeout(resolve, end - performance.now()).unref())
    await Promise.race([Promise.allSettled(underWay), tooLong])
  }
  // Answers are written in the turns after their handlers'.
  await new Promise((resolve) => setTimeout(resolve, 10))
}

function frontOf({ publicUrl, trustedProxies }: ServerConfig): Front {
  return { publicUrl, isProxy: inNetworks(trustedProxies) }
}

/** The names that settings give it: a browser leaves out the port where it is the scheme's own. */
function frontHosts(front: ServerConfig | undefined, port: number): string[] {
  if (front === undefined) return []
  const own = front.publicUrl === null ? [] : [new URL(front.publicUrl)]
  return [
    ...own.flatMap(({ host, port, protocol }) =>
      port === '' ? [host, `${host}:${protocol === 'https:' ? 443 : 80}`] : [host],
    ),
    ...front.allowedHosts.flatMap((name) => (/:\d+$/.test(name) ? [name] : [name, `${name}:${port}`])),
  ]
}

/** An address that means every one of this machine's names none: its name then does, which others may know. */
function nameable(url: string): string {
  const named = new URL(url)
  if (named.hostname === '0.0.0.0' || named.hostname === '[::]') named.hostname = hostname().toLowerCase()
  return named.origin
}

function machineNames(): string[] {
  const addresses = Object.values(networkInterfaces()).flatMap((network) => network ?? [])
  return [hostname().toLowerCase(), ...addresses.map(({ address }) => urlHost(address))]
}

const urlHost = (host: string): string => (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host)
