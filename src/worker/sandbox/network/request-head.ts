import type { Wanted } from './reach'

/** What a client of the proxy asks for, in the first lines that it sends. */
export type ProxyRequest =
  /** A way to there. */
  | { is: 'connect'; wanted: Wanted }
  /** A request without encryption, and the lines that go on to there. */
  | { is: 'forward'; wanted: Wanted; head: string }
  | { is: 'wrong'; why: string }

export const HEAD_END = '\r\n\r\n'

/** Headers that are for the proxy alone, or describe the connection. */
const HOP = /^(?:proxy-[\w-]+|connection|keep-alive)$/i

/** Reads a head without its empty line. */
export function readHead(head: string): ProxyRequest {
  const [first = '', ...lines] = head.split('\r\n')
  const words = /^([A-Z]{1,20}) (\S{1,8192}) HTTP\/1\.[01]$/.exec(first)
  if (words === null) return { is: 'wrong', why: 'This is a proxy for HTTP/1.1. It does not understand the request.' }
  const [, method = '', target = ''] = words
  if (method === 'CONNECT') {
    const wanted = wantedOf(/^(\[[0-9a-f:.]+\]|[^:]+):(\d{1,5})$/i.exec(target))
    return wanted === null ? { is: 'wrong', why: 'CONNECT needs HOST:PORT.' } : { is: 'connect', wanted }
  }
  const url = target.startsWith('http://') ? URL.parse(target) : null
  const wanted =
    url === null || url.username !== '' || url.password !== ''
      ? null
      : wantedOf([target, url.hostname, url.port || '80'])
  if (url === null || wanted === null)
    return {
      is: 'wrong',
      why: 'This is a proxy. It needs CONNECT HOST:PORT, or a whole address that begins with http://.',
    }
  // One request for each connection: the next one may be for elsewhere, and would not be looked at.
  const kept = lines.filter((line) => !HOP.test(line.split(':', 1)[0] ?? ''))
  const path = `${url.pathname}${url.search}`
  return {
    is: 'forward',
    wanted,
    head: [`${method} ${path} HTTP/1.1`, ...kept, 'Connection: close'].join('\r\n') + HEAD_END,
  }
}

function wantedOf(match: readonly string[] | null): Wanted | null {
  const host = (match?.[1] ?? '')
    .toLowerCase()
    .replace(/^\[|\]$/g, '')
    .replace(/\.$/, '')
  const port = Number(match?.[2] ?? 0)
  return /^[a-z0-9._:-]{1,253}$/.test(host) && port >= 1 && port <= 65_535 ? { host, port } : null
}
