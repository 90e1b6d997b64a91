/** Servers over one PostgreSQL, each a process with a folder of its own, behind one balancer. */
import { join } from 'node:path'
import { Lab } from '../lab/lab'
import type { Lode } from '../lab/lode'
import { type Balancer, startBalancer } from './balancer'

export const PUBLIC = 'https://lode.example'

export interface FrontFleet extends AsyncDisposable {
  a: Lode
  b: Lode
  front: Balancer
  root: string
  /** Asks at the public name, without following where it leads. */
  ask(path: string, init?: RequestInit): Promise<Response>
}

/** @param settings  of both servers, beside those of the front door */
export async function openFrontFleet(settings: Record<string, unknown> = {}): Promise<FrontFleet> {
  const lab = new Lab()
  try {
    const databaseUrl = await lab.addDatabase('postgres')
    const options = {
      databaseUrl,
      hasFixedPort: true,
      settings: {
        'server.publicUrl': PUBLIC,
        'server.trustedProxies': ['127.0.0.1'],
        'server.allowedHosts': ['lode.internal'],
        ...settings,
      },
    }
    const [a, b] = [lab.addLode('a', options), lab.addLode('b', options)]
    // One after the other: the first one makes the tables.
    await a.up(['serve'])
    await b.up(['serve'])
    const front = await startBalancer(PUBLIC, { a: a.url, b: b.url })
    lab.ending('the balancer', () => front[Symbol.asyncDispose]())
    return {
      a,
      b,
      front,
      root: join(lab.root),
      ask: (path, init) => fetch(front.url + path, { redirect: 'manual', ...init }),
      [Symbol.asyncDispose]: () => lab.stop(),
    }
  } catch (error) {
    await lab.stop()
    throw error
  }
}
