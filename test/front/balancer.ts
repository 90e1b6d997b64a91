/** A load balancer as fleets have one: it ends HTTPS for a public name, takes servers in turn, and names its clients by headers. */
import { createServer, type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The address that the balancer names for all requests: of a range that is for documents alone. */
export const VISITOR = '192.0.2.50'

export interface Balancer extends AsyncDisposable {
  /** Where it listens. A client that asks there reaches the public name. */
  readonly url: string
  /** Names of the servers that answered, in order. */
  readonly served: string[]
  /** Asks each server again and again whether it is ready, and passes over those that are not. */
  look(): void
  /** Takes these servers from now on. */
  use(backends: Readonly<Record<string, string>>): void
}

/** @param publicUrl  what browsers ask for */
export async function startBalancer(publicUrl: string, first: Readonly<Record<string, string>>): Promise<Balancer> {
  const { host, protocol } = new URL(publicUrl)
  let backends = Object.entries(first)
  let turn = 0
  const served: string[] = []
  let looking: ReturnType<typeof setInterval> | undefined
  const server = createServer((request, response) => {
    const [name, url] = backends[turn++ % backends.length] ?? ['', '']
    const headers = {
      ...request.headers,
      'x-forwarded-for': [request.headers['x-forwarded-for'], VISITOR].filter(Boolean).join(', '),
      'x-forwarded-proto': protocol.slice(0, -1),
      'x-forwarded-host': host,
    }
    const to = send(`${url}${request.url}`, { method: request.method ?? 'GET', headers }, (answer: IncomingMessage) => {
      served.push(name)
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      response.flushHeaders()
      answer.on('error', () => response.destroy())
      answer.pipe(response)
    })
    to.on('error', () => (response.headersSent ? response.destroy() : response.writeHead(502).end()))
    response.on('close', () => to.destroy())
    request.pipe(to)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    served,
    look() {
      looking = setInterval(async () => {
        const ready = await Promise.all(
          Object.entries(first).map(
            async ([, url]) =>
              (await fetch(`${url}/api/ready`, { signal: AbortSignal.timeout(500) }).catch(() => null))?.ok === true,
          ),
        )
        backends = Object.entries(first).filter((_, at) => ready[at])
      }, 100)
    },
    use(next) {
      backends = Object.entries(next)
    },
    async [Symbol.asyncDispose]() {
      clearInterval(looking)
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
