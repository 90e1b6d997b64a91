/** Within a machine of its own network: `forward.ts HOST PORT SOCKET` passes on what comes to its loopback, by the one way out that it has. */
import { connect, createServer } from 'node:net'

const [host = '', port = '', path = ''] = process.argv.slice(2)
createServer({ allowHalfOpen: true }, (client) => {
  const out = connect({ path, allowHalfOpen: true })
  client.on('error', () => out.destroy())
  out.on('error', () => client.resetAndDestroy())
  client.pipe(out).pipe(client)
}).listen(Number(port), host, () => console.log('ready'))
