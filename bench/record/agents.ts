import { join } from 'node:path'
import type { Figure } from '../common/figure'
import { prepareHome, Server } from '../common/lode'
import { round } from '../common/measure'
import { Random } from '../common/random'
import { makeRollouts } from './make-rollouts'
import { makeTranscripts } from './make-transcripts'

const BYTES = 100e6
const FILES = 145
/** Runs of each, by turns: the machine is never quite the same. */
const ROUNDS = 3

/** Files of both agent CLIs through `POST /api/import`, each into a record of its own. */
export const agentsFigure: Figure = {
  name: 'agents',
  target: "import of 100 MB of Codex's rollouts at ≥ 0.9 of the speed of as many bytes of Claude Code's transcripts",
  async measure({ lode, folder, note }) {
    const [claude, codex] = [join(folder, 'claude'), join(folder, 'codex')]
    const made = {
      claude: makeTranscripts(claude, { bytes: BYTES, files: FILES }),
      codex: makeRollouts(codex, new Random(1), { files: FILES, bytes: BYTES }),
    }
    const speeds: Record<keyof typeof made, number[]> = { claude: [], codex: [] }
    for (let turn = 0; turn < ROUNDS; turn++)
      for (const [name, path] of [
        ['claude', claude],
        ['codex', codex],
      ] as const) {
        const server = await Server.start(lode, prepareHome(join(folder, `${name}-${turn}`)))
        try {
          const startedAt = performance.now()
          const { events } = await server.post<{ events: number }>('/api/import', { paths: [path] })
          const seconds = (performance.now() - startedAt) / 1_000
          if (events !== made[name].events)
            throw new Error(`${events} events recorded of ${made[name].events} in the files of ${name}`)
          speeds[name].push(made[name].bytes / 1e6 / seconds)
        } finally {
          await server.stop()
        }
      }
    const best = { claude: Math.max(...speeds.claude), codex: Math.max(...speeds.codex) }
    note(`Claude Code ${round(best.claude)} MB/s, Codex ${round(best.codex)} MB/s`)
    return {
      ok: best.codex >= 0.9 * best.claude,
      values: {
        codexMegabytesPerSecond: round(best.codex),
        ratio: round(best.codex / best.claude),
        all: { claude: speeds.claude.map(round), codex: speeds.codex.map(round) },
        made,
      },
      limit: { claudeMegabytesPerSecond: round(best.claude) },
    }
  },
}
