import { join } from 'node:path'
import type { Figure } from '../common/figure'
import { prepareHome, Server } from '../common/lode'
import { round } from '../common/measure'
import { Random } from '../common/random'
import { makeCopilotSessions, makeGeminiChats, makePiSessions, makeQwenChats } from './data/make-chats'
import { makeDatabase } from './data/make-database'
import { makeRollouts } from './data/make-rollouts'
import { makeTranscripts } from './data/make-transcripts'

const BYTES = 100e6
const FILES = 145
const SIZE = { bytes: BYTES, files: FILES }
/** Runs of each, by turns: the machine is never quite the same. */
const ROUNDS = 3
/** Part of the speed of Claude Code's files at which those of every other agent CLI are to be imported. */
const LEAST = 0.9

/** By the names of agent CLIs; the first is what the others are held against. */
const MAKERS = {
  claude: (root: string) => makeTranscripts(root, SIZE),
  codex: (root: string) => makeRollouts(root, new Random(1), SIZE),
  gemini: (root: string) => makeGeminiChats(root, new Random(2), SIZE),
  qwen: (root: string) => makeQwenChats(root, new Random(3), SIZE),
  copilot: (root: string) => makeCopilotSessions(root, new Random(4), SIZE),
  pi: (root: string) => makePiSessions(root, new Random(5), SIZE),
  opencode: (root: string) => makeDatabase(root, new Random(6), SIZE),
}
type Agent = keyof typeof MAKERS
const NAMES = Object.keys(MAKERS) as Agent[]

/** Files of every agent CLI through `POST /api/import`, each into a record of its own. */
export const agentsFigure: Figure = {
  name: 'agents',
  target: `import of 100 MB of the files of every agent CLI at ≥ ${LEAST} of the speed of as many bytes of Claude Code's`,
  async measure({ lode, folder, note }) {
    const made = new Map(NAMES.map((name) => [name, MAKERS[name](join(folder, name))]))
    const speeds = new Map(NAMES.map((name) => [name, [] as number[]]))
    for (let turn = 0; turn < ROUNDS; turn++)
      for (const [name, { bytes, events: wanted }] of made) {
        const server = await Server.start(lode, prepareHome(join(folder, `${name}-${turn}`)))
        try {
          const startedAt = performance.now()
          const { events } = await server.post<{ events: number }>('/api/import', { paths: [join(folder, name)] })
          const seconds = (performance.now() - startedAt) / 1_000
          if (events !== wanted) throw new Error(`${events} events recorded of ${wanted} in the files of ${name}`)
          speeds.get(name)?.push(bytes / 1e6 / seconds)
        } finally {
          await server.stop()
        }
      }
    const best = (name: Agent): number => Math.max(...(speeds.get(name) ?? []))
    const others = NAMES.filter((name) => name !== 'claude')
    note(NAMES.map((name) => `${name} ${round(best(name))} MB/s`).join(', '))
    return {
      ok: others.every((name) => best(name) >= LEAST * best('claude')),
      values: {
        megabytesPerSecond: Object.fromEntries(others.map((name) => [name, round(best(name))])),
        ratio: Object.fromEntries(others.map((name) => [name, round(best(name) / best('claude'))])),
        all: Object.fromEntries([...speeds].map(([name, all]) => [name, all.map(round)])),
        made: Object.fromEntries(made),
      },
      limit: { claudeMegabytesPerSecond: round(best('claude')) },
    }
  },
}
