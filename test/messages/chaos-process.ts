/** What producers and receivers of the chaos share: a client that outlives servers. Each runs in a process of its own. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient, httpTransport } from '../../src/api/client'
import { isAppError } from '../../src/domain/errors'

/** Does the call until a server answers it, whichever server that is. What only passes is tried again; anything else is thrown. */
export async function withServer<T>(home: string, call: (client: Client) => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call(connect(home))
    } catch (error) {
      if (!isPassing(error)) throw error
      await Bun.sleep(20)
    }
  }
}

function connect(home: string): Client {
  const { url } = JSON.parse(readFileSync(join(home, 'server.json'), 'utf8')) as { url: string }
  const token = readFileSync(join(home, 'token'), 'utf8').trim()
  return createClient(httpTransport({ token, origin: url }), { baseUrl: url })
}

/** No server now, or one that ended in the middle of its answer, or a file that was just replaced. */
const isPassing = (error: unknown): boolean =>
  isAppError(error) ? ['unavailable', 'storage_busy'].includes(error.code) : !(error instanceof TypeError)
