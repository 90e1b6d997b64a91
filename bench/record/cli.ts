import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Figure } from '../common/figure'
import { prepareHome, Server } from '../common/lode'
import { fillRecord } from './data/fill'
import { timeProcesses } from './whole-process'

const SESSIONS = 10_000
const RUNS = 200

/** `lode session list` as a person or an agent runs it. */
export const cliFigure: Figure = {
  name: 'cli',
  target: 'lode session list, whole process, with 10,000 sessions: p50 ≤ 25 ms without a server and with one',
  async measure({ lode, folder, note }) {
    const claude = join(folder, 'claude')
    const home = prepareHome(join(folder, 'h'), claude)
    const { sessionIds } = await fillRecord(home, { sessions: SESSIONS, events: SESSIONS * 20, claudeRoot: claude })
    makeFolders(claude, sessionIds)
    note(`${SESSIONS} sessions`)
    const run = (...args: string[]) => timeProcesses([lode, ...args], { home, runs: RUNS })
    const alone = run('session', 'list')
    const aloneJson = run('session', 'list', '--json')
    const start = run('version')
    const server = await Server.start(lode, home)
    try {
      const withServer = run('session', 'list')
      return {
        ok: alone.p50Ms <= 25 && withServer.p50Ms <= 25,
        values: { withoutServer: alone, withoutServerJson: aloneJson, withServer },
        limit: { startWithoutWork: start },
      }
    } finally {
      await server.stop()
    }
  },
}

/** The transcripts' folders as they stand on a disk: old, with a file for each session. */
function makeFolders(claude: string, sessionIds: string[]): void {
  const old = Date.now() / 1_000 - 30 * 86_400
  for (let index = 0; index < 50; index++)
    mkdirSync(join(claude, 'projects', `-home-user-project-${index}`), { recursive: true })
  for (const [index, id] of sessionIds.entries())
    writeFileSync(join(claude, 'projects', `-home-user-project-${index % 50}`, `${id}.jsonl`), '')
  for (let index = 0; index < 50; index++) utimesSync(join(claude, 'projects', `-home-user-project-${index}`), old, old)
}
