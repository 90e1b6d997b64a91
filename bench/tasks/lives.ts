import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import type { Figure } from '../common/figure'
import { round } from '../common/measure'
import { WorkServer } from './work-server'

const SECONDS = 6

/** Tasks from creation to their end, without an agent: create, claim, session, progress, finish, each acknowledged durably. */
export const livesFigure: Figure = {
  name: 'lives',
  target:
    'full lives of tasks a second: one client ≥ 60 % of (durable commits a second ÷ 5), 16 clients ≥ 1,000 (embedded database)',
  async measure({ lode, folder, note }) {
    const server = await WorkServer.start(lode, join(folder, 'h'))
    try {
      const commitsBefore = measureCommits(join(folder, 'before.db'))
      const one = await live(server, 1)
      note(`1 client: ${one}/s`)
      const many = await live(server, 16)
      note(`16 clients: ${many}/s`)
      const commitsAfter = measureCommits(join(folder, 'after.db'))
      const commits = (commitsBefore + commitsAfter) / 2
      const share = one / (commits / 5)
      return {
        ok: share >= 0.6 && many >= 1_000,
        values: { oneClientPerSecond: round(one), shareOfCommits: round(share), sixteenClientsPerSecond: round(many) },
        limit: { durableCommitsPerSecond: round(commits), fifthOfThem: round(commits / 5) },
      }
    } finally {
      await server.stop()
    }
  },
}

/** Lives a second with so many clients at once. */
async function live(server: WorkServer, clients: number): Promise<number> {
  let lives = 0
  const end = performance.now() + SECONDS * 1_000
  const startedAt = performance.now()
  await Promise.all(
    Array.from({ length: clients }, async (_, at) => {
      const creator = server.client()
      const worker = await server.join(`client-${clients}-${at}`)
      while (performance.now() < end) {
        await creator.tasks.create({ task: 'a life', agentId: worker.id })
        const { assignment } = await worker.client.tasks.claim(null)
        if (assignment === null) throw new Error('there was no task to claim')
        const own = server.client(assignment.token)
        await own.tasks.setConversation(assignment.task.id, crypto.randomUUID())
        await own.tasks.progress(assignment.task.id, { progress: 'half way' })
        await own.tasks.finish(assignment.task.id, { status: 'completed', output: 'done' })
        lives++
      }
    }),
  )
  return lives / ((performance.now() - startedAt) / 1_000)
}

/** Commits a second of the plainest durable transaction that SQLite can make here. */
function measureCommits(path: string): number {
  const db = new Database(path)
  try {
    db.run('pragma journal_mode = wal')
    db.run('pragma synchronous = full')
    db.run('create table t (id integer primary key, text text)')
    const insert = db.prepare('insert into t (text) values (?)')
    const end = performance.now() + 1_500
    let count = 0
    for (; performance.now() < end; count++) insert.run('x'.repeat(200))
    return count / 1.5
  } finally {
    db.close()
  }
}
