import { join } from 'node:path'
import type { Figure } from '../common/figure'
import { median, round } from '../common/measure'
import { PlainCommits } from './commits'
import { InProcess } from './in-process'
import { livesPerSecond } from './one-life'
import { OverHttp } from './over-http'
import { WorkServer } from './work-server'

const ROUNDS = 5
const SECONDS = 2

/** What one round measured, each a second. */
interface Round {
  commits: number
  one: number
  many: number
  oneInProcess: number
  manyInProcess: number
}

/**
 * Tasks from creation to their end, without an agent: create, claim, session, progress, finish, each acknowledged durably. In
 * rounds, with the disk's speed before, between and after, since both change from second to second on a machine that others
 * use; and without HTTP and threads beside it.
 */
export const livesFigure: Figure = {
  name: 'lives',
  target:
    'full lives of tasks a second: one client ≥ 60 % of (durable commits a second ÷ 5), 16 clients ≥ 1,000 (embedded database)',
  async measure({ lode, folder, note }) {
    const server = await WorkServer.start(lode, join(folder, 'h'))
    const inProcess = await InProcess.open(join(folder, 'p'))
    const commits = new PlainCommits(join(folder, 'commits.db'))
    try {
      const overHttp = new OverHttp(server)
      for (const lives of [overHttp, inProcess]) await livesPerSecond(lives, 16, SECONDS)
      const rounds: Round[] = []
      const shares: number[] = []
      for (let at = 1; at <= ROUNDS; at++) {
        const before = commits.perSecond()
        const one = await livesPerSecond(overHttp, 1, SECONDS)
        const after = commits.perSecond()
        const many = await livesPerSecond(overHttp, 16, SECONDS)
        const oneInProcess = await livesPerSecond(inProcess, 1, SECONDS)
        const manyInProcess = await livesPerSecond(inProcess, 16, SECONDS)
        rounds.push({ commits: (before + after) / 2, one, many, oneInProcess, manyInProcess })
        shares.push(one / ((before + after) / 10))
        note(
          `round ${at}: 1 client ${round(one)}/s, 16 clients ${round(many)}/s; commits ${round(before)}, ${round(after)}/s`,
        )
      }
      const of = (name: keyof Round) => spreadOf(rounds.map((each) => each[name]))
      return {
        ok: median(shares) >= 0.6 && median(rounds.map(({ many }) => many)) >= 1_000,
        values: {
          oneClientPerSecond: of('one'),
          shareOfCommits: spreadOf(shares),
          sixteenClientsPerSecond: of('many'),
          inProcess: { oneClientPerSecond: of('oneInProcess'), sixteenClientsPerSecond: of('manyInProcess') },
        },
        limit: {
          durableCommitsPerSecond: of('commits'),
          fifthOfThem: round(median(rounds.map((each) => each.commits)) / 5),
        },
      }
    } finally {
      commits.close()
      await inProcess.close()
      await server.stop()
    }
  },
}

const spreadOf = (values: number[]) => ({
  median: round(median(values)),
  least: round(Math.min(...values)),
  most: round(Math.max(...values)),
})
