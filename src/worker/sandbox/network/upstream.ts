import type { Wanted } from './reach'

/** The proxy by which the machine itself reaches the internet. */
export interface Upstream {
  host: string
  port: number
  isTls: boolean
  /** A header's value; `null` = it asks for none. */
  authorization: string | null
}

type Environment = Readonly<Record<string, string | undefined>>

/** The proxy for an address, by the worker's own environment; `null` = it is reached directly. Only HTTP proxies are understood. */
export function upstreamFor(env: Environment, { host, port }: Wanted): Upstream | null {
  const given = (name: string) => env[name.toLowerCase()] || env[name] || ''
  const text = (port === 80 ? given('HTTP_PROXY') : given('HTTPS_PROXY')) || given('ALL_PROXY')
  const url = text === '' ? null : URL.parse(text.includes('://') ? text : `http://${text}`)
  if (url === null || !['http:', 'https:'].includes(url.protocol) || isPassedBy(given('NO_PROXY'), host)) return null
  const isTls = url.protocol === 'https:'
  const [user, password] = [url.username, url.password].map(decodeURIComponent)
  return {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port || (isTls ? 443 : 80)),
    isTls,
    authorization: user ? `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` : null,
  }
}

/** The lines that ask it for a way. */
export function connectHead({ host, port }: Wanted, { authorization }: Upstream): string {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`
  const lines = [`CONNECT ${address} HTTP/1.1`, `Host: ${address}`]
  return [...lines, ...(authorization === null ? [] : [`Proxy-Authorization: ${authorization}`]), '', ''].join('\r\n')
}

/** Names of `NO_PROXY`, each with all names below it. This machine never goes by a proxy. */
function isPassedBy(list: string, host: string): boolean {
  if (host === 'localhost' || host === '::1' || host.startsWith('127.')) return true
  return list
    .split(',')
    .map((name) =>
      name
        .trim()
        .toLowerCase()
        .replace(/^\*?\./, ''),
    )
    .some((name) => name === '*' || (name !== '' && (host === name || host.endsWith(`.${name}`))))
}
