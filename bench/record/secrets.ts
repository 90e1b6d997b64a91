import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findSecrets } from '../../src/domain/secrets/find-secrets'
import type { Figure } from '../common/figure'
import { prepareHome, Server } from '../common/lode'
import { median, round } from '../common/measure'
import { makeTranscripts } from './data/make-transcripts'

const BYTES = 100e6
const FILES = 150
/** Pairs of imports, one with and one without a look for secrets, each time in the other order. */
const ROUNDS = 7
const LIMIT_PERCENT = 5

/** What the look for secrets adds to the time of an import, whose files hold none. */
export const secretsFigure: Figure = {
  name: 'secrets',
  target: `an import of ${BYTES / 1e6} MB that looks for secrets takes at most ${LIMIT_PERCENT} % more CPU time than one that does not`,
  async measure({ lode, folder, note }) {
    const claude = join(folder, 'claude')
    const made = makeTranscripts(claude, { bytes: BYTES, files: FILES })
    const added: number[] = []
    const [off, on]: [Import[], Import[]] = [[], []]
    // The first pair warms the caches of the disk.
    for (let at = 0; at <= ROUNDS; at++) {
      const order = at % 2 === 0 ? [false, true] : [true, false]
      const pair: Partial<Record<'off' | 'on', Import>> = {}
      for (const detect of order)
        pair[detect ? 'on' : 'off'] = await importOnce(lode, join(folder, `h${at}${detect}`), claude, detect)
      if (at === 0 || pair.off === undefined || pair.on === undefined) continue
      off.push(pair.off)
      on.push(pair.on)
      added.push(100 * (pair.on.cpuSeconds / pair.off.cpuSeconds - 1))
      note(`${round(added.at(-1) ?? 0)} %`)
    }
    // What else the machine does only ever adds time: the least of each tells most.
    const addedPercent = round(100 * (least(on) / least(off) - 1))
    return {
      ok: addedPercent <= LIMIT_PERCENT,
      values: {
        limitPercent: LIMIT_PERCENT,
        addedPercent,
        eachPercent: added.map(round),
        megabytes: round(made.bytes / 1e6),
        off: summaryOf(off, made.bytes),
        on: summaryOf(on, made.bytes),
      },
      limit: { findAlone: { megabytesPerSecond: findAlone(claude) } },
    }
  },
}

interface Import {
  seconds: number
  cpuSeconds: number
}

async function importOnce(lode: string, home: string, claude: string, detect: boolean): Promise<Import> {
  const file = join(prepareHome(home), 'config.yaml')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), 'secrets.detect': detect }))
  const server = await Server.start(lode, home)
  try {
    const before = server.state()
    const startedAt = performance.now()
    await server.post('/api/import', { paths: [claude] })
    const seconds = (performance.now() - startedAt) / 1_000
    return { seconds, cpuSeconds: server.state().cpuSeconds - before.cpuSeconds }
  } finally {
    await server.stop()
  }
}

const summaryOf = (imports: readonly Import[], bytes: number) => ({
  megabytesPerSecond: round(bytes / 1e6 / median(imports.map(({ seconds }) => seconds))),
  cpuSeconds: round(least(imports)),
})

const least = (imports: readonly Import[]): number => Math.min(...imports.map(({ cpuSeconds }) => cpuSeconds))

/** The same bytes, looked through and nothing else. */
function findAlone(claude: string): number {
  let bytes = 0
  let ms = 0
  for (const file of new Bun.Glob('**/*.jsonl').scanSync({ cwd: claude, absolute: true })) {
    const content = readFileSync(file)
    const startedAt = performance.now()
    findSecrets(content)
    ms += performance.now() - startedAt
    bytes += content.length
  }
  return round(bytes / 1e3 / ms)
}
