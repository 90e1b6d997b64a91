import type { Server } from '../common/lode'
import { median, round } from '../common/measure'

/** What one page costs. */
export interface PageCost {
  /** Processor time of the server, for all requests of the page. */
  cpuMs: number
  /** Processor time of the database, where it is another process. */
  databaseMs: number | null
  /** From the first request to the last answer. */
  p50Ms: number
  /** Memory of the server's own, looked at while it answers. */
  ownMb: number
  /** Bytes of the answers. */
  kilobytes: number
}

/**
 * Asks for a page again and again.
 *
 * @param databaseSeconds  processor time of the database so far
 */
export async function measurePage(
  server: Server,
  paths: readonly string[],
  rounds: number,
  databaseSeconds?: () => number,
): Promise<PageCost> {
  const ask = async () =>
    (await Promise.all(paths.map((path) => server.get<unknown>(path)))).map((each) => JSON.stringify(each).length)
  const sizes = await ask()
  let ownMb = 0
  const look = setInterval(() => {
    ownMb = Math.max(ownMb, server.state().ownMb)
  }, 10)
  const times: number[] = []
  const before = server.state().cpuSeconds
  const databaseBefore = databaseSeconds?.() ?? 0
  try {
    for (let at = 0; at < rounds; at++) {
      const began = performance.now()
      await ask()
      times.push(performance.now() - began)
    }
  } finally {
    clearInterval(look)
  }
  return {
    cpuMs: round(((server.state().cpuSeconds - before) / rounds) * 1_000),
    databaseMs: databaseSeconds === undefined ? null : round(((databaseSeconds() - databaseBefore) / rounds) * 1_000),
    p50Ms: round(median(times)),
    ownMb: round(Math.max(ownMb, server.state().ownMb)),
    kilobytes: round(sizes.reduce((sum, size) => sum + size, 0) / 1_000),
  }
}
