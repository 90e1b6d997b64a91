import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Box, Sandboxes } from '../../src/worker/sandbox/sandbox'
import type { Bench, Figure } from '../common/figure'
import { round, spread } from '../common/measure'

const ROUNDS = 40
/** What a person's home folder holds at its top: each is a mount. */
const ENTRIES = 15
const MEGABYTES = 512

/** What a sandbox and its network cost a run at its start, and how much goes through its proxy. */
export const sandboxFigure: Figure = {
  name: 'sandbox',
  target: 'a run in a sandbox with its list of hosts begins < 25 ms later than one without',
  async measure(bench) {
    const sandboxes = new Sandboxes(process.env)
    const why = await sandboxes.whyNone('require')
    if (why !== null) throw new Error(`no sandbox can be measured here: ${why}`)
    makeHome(bench.folder)
    const server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response(new Uint8Array(MEGABYTES * 2 ** 20)),
    })
    const url = `http://127.0.0.1:${server.port}/`
    try {
      const times: Record<'none' | 'open' | 'listed', number[]> = { none: [], open: [], listed: [] }
      for (let each = -2; each < ROUNDS; each++)
        for (const kind of ['none', 'open', 'listed'] as const) {
          const ms = await timeStart(kind === 'none' ? null : sandboxes, kind === 'open' ? ['open'] : [], bench)
          // The first ones fill the system's caches.
          if (each >= 0) times[kind].push(ms)
        }
      const [none, open, listed] = [spread(times.none), spread(times.open), spread(times.listed)]
      const box = await boxOf(sandboxes, [`127.0.0.1:${server.port}`], bench)
      // Past what makes a loopback address direct: through the bridge and the proxy.
      const byProxy = await timeLoad([...box.words, 'curl', '-sS', '-o', '/dev/null', '--noproxy', '', url], box.env)
      box.close()
      const directly = await timeLoad(['curl', '-sS', '-o', '/dev/null', url], {})
      return {
        ok: listed.p50Ms - none.p50Ms < 25,
        values: {
          sandboxMs: round(open.p50Ms - none.p50Ms),
          networkMs: round(listed.p50Ms - open.p50Ms),
          listed,
          proxyMegabytesPerSecond: Math.round(MEGABYTES / (byProxy / 1_000)),
        },
        limit: { withoutSandbox: none, directMegabytesPerSecond: Math.round(MEGABYTES / (directly / 1_000)) },
      }
    } finally {
      await server.stop(true)
    }
  },
}

function makeHome(folder: string): void {
  for (const name of ['h/.claude', 'h/.lodeline', 'h/p']) mkdirSync(join(folder, name), { recursive: true })
  for (let entry = 0; entry < ENTRIES; entry++) writeFileSync(join(folder, 'h', `entry-${entry}`), '')
}

async function boxOf(sandboxes: Sandboxes, words: readonly string[], { folder, lode }: Bench): Promise<Box> {
  const run = mkdtempSync(join(folder, 'run-'))
  return await sandboxes.boxFor('require', () => ({
    place: { root: join(folder, 'h/.claude'), cwd: join(folder, 'h/p') },
    state: { kept: [], shared: [], private: [], needed: [], copied: [], readable: [], elsewhere: [], hidden: [] },
    userHome: join(folder, 'h'),
    home: join(folder, 'h/.lodeline'),
    scratch: join(run, 'scratch'),
    runFolder: join(run, 'run'),
    hooksFolder: join(run, 'hooks'),
    temporary: [],
    programs: [lode],
    writable: [],
    network: {
      words: () => words,
      own: [],
      env: {},
      lode: [lode],
      socket: join(run, 'network'),
      onRefused: () => {},
    },
  }))
}

/** From the decision to the program's first word. */
async function timeStart(sandboxes: Sandboxes | null, words: readonly string[], bench: Bench): Promise<number> {
  const before = performance.now()
  const box = sandboxes === null ? null : await boxOf(sandboxes, words, bench)
  const child = Bun.spawn([...(box?.words ?? []), 'echo', 'begun'], { env: { PATH: process.env.PATH ?? '' } })
  const reader = child.stdout.getReader()
  await reader.read()
  const took = performance.now() - before
  await child.exited
  box?.close()
  return took
}

async function timeLoad(words: readonly string[], env: Readonly<Record<string, string>>): Promise<number> {
  const before = performance.now()
  const child = Bun.spawn([...words], { env: { PATH: process.env.PATH ?? '', ...env } })
  if ((await child.exited) !== 0) throw new Error('the load did not come')
  return performance.now() - before
}
