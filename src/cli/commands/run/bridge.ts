/**
 * `lode bridge`: the way out of a sandbox that has no network. It listens on the sandbox's own loopback and passes every connection on to
 * the worker's proxy, by a socket in the file system. What may be reached the proxy decides: this process is within the run's reach.
 */
import { closeSync, writeSync } from 'node:fs'
import { SOCKET_HANDLERS, SocketEnd } from '../../../util/net/socket-pipe'
import { defineCommand } from '../../kit/command'

export const command = defineCommand({
  summary: "connect a sandbox to its worker's proxy",
  details: [
    'Called by workers, not by people. Runs in a sandbox without a network. Passes connections from --port on to the proxy that',
    'listens at SOCKET. Passes connections from the port of each --to on to that address, through the same proxy.',
    'Prints "ready" and closes its output when it listens. Ends with the sandbox.',
  ].join('\n'),
  args: [{ name: 'SOCKET', help: 'where the proxy listens' }],
  options: {
    port: { kind: 'text', value: 'PORT', help: 'where programs in the sandbox find the proxy' },
    to: { kind: 'text', value: 'HOST:PORT', help: 'an address of this machine that may be reached', isRepeated: true },
  },
  examples: [
    { line: 'lode bridge /run/network --port=3128 --to=127.0.0.1:4655', does: 'connect a sandbox to the proxy there' },
  ],
  hasJson: false,
  isForPrograms: true,
  run: async (_context, { args, options }) => {
    const [socket = ''] = args
    listen(Number(options.port), (client) => connect(socket, client))
    for (const address of options.to ?? []) {
      const port = Number(address.slice(address.lastIndexOf(':') + 1))
      listen(port, (client) => connect(socket, client, address))
    }
    writeSync(1, 'ready')
    // Whoever started it reads up to the end.
    closeSync(1)
    return await new Promise<number>(() => {})
  },
})

/** Listens on the loopback of the sandbox, of both kinds. One of them there must be. */
function listen(port: number, onClient: (client: SocketEnd) => void): void {
  let failed: unknown = null
  let isListening = false
  for (const hostname of ['127.0.0.1', '::1']) {
    try {
      Bun.listen<SocketEnd>({
        hostname,
        port,
        socket: {
          ...SOCKET_HANDLERS,
          open(connection) {
            // It waits until there is a way on; nothing is read before.
            const client = new SocketEnd(() => {})
            connection.data = client
            client.opened(connection)
            client.pause()
            onClient(client)
          },
        },
      })
      isListening = true
    } catch (error) {
      failed = error
    }
  }
  if (!isListening) throw failed
}

/** @param to  an address that the proxy is asked for; without it the client speaks to the proxy itself */
function connect(path: string, client: SocketEnd, to?: string): void {
  let head = ''
  const proxy: SocketEnd = new SocketEnd(
    (bytes) => {
      // Latin letters, so that each byte stays one.
      head += Buffer.from(bytes).toString('latin1')
      const end = head.indexOf(HEAD_END)
      if (end < 0 && head.length < MOST_HEAD) return
      if (end < 0 || !/^HTTP\/1\.1 200 /.test(head)) {
        proxy.destroy()
        return
      }
      client.write(Buffer.from(head.slice(end + HEAD_END.length), 'latin1'))
      proxy.join(client)
      client.resume()
    },
    () => client.end(),
  )
  if (to === undefined) proxy.join(client)
  else proxy.write(Buffer.from(`CONNECT ${to} HTTP/1.1\r\nHost: ${to}${HEAD_END}`))
  Bun.connect<SocketEnd>({
    unix: path,
    data: proxy,
    socket: { ...SOCKET_HANDLERS, open: (connection) => proxy.opened(connection) },
  }).catch(() => client.destroy())
}

const HEAD_END = '\r\n\r\n'
/** The proxy's own answers are shorter. */
const MOST_HEAD = 4_096
