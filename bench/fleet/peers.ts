import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { startPostgres } from '../../test/postgres'
import type { Figure } from '../common/figure'

const PEERS = ['graphile-worker@0.17.3', 'pg-boss@10.4.2']

/** Two plain queues on PostgreSQL, called in one process: jobs that are put in, taken and completed. They keep less of a job. */
export const peersFigure: Figure = {
  name: 'peers',
  target: 'no target: jobs a second of graphile-worker and pg-boss on the same PostgreSQL, called in process',
  async measure({ folder, note }) {
    const home = join(folder, 'peers')
    mkdirSync(home)
    writeFileSync(join(home, 'package.json'), '{"private":true}')
    await command(['npm', 'install', '--no-audit', '--no-fund', '--ignore-scripts', '--save-exact', ...PEERS], home)
    const script = await Bun.file(resolve(import.meta.dir, 'peers-run.mjs')).text()
    writeFileSync(join(home, 'run.mjs'), script)
    const postgres = await startPostgres()
    try {
      const values = JSON.parse(await command(['node', 'run.mjs', postgres.url], home)) as Record<string, unknown>
      note(JSON.stringify(values))
      return { ok: null, values, limit: { packages: PEERS } }
    } finally {
      await postgres.stop()
    }
  },
}

async function command(words: string[], cwd: string): Promise<string> {
  const child = Bun.spawn(words, { cwd, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const [said, wrong] = await Promise.all([child.stdout.text(), child.stderr.text()])
  if ((await child.exited) !== 0) throw new Error(`${words[0]} ended with ${child.exitCode}: ${wrong.slice(-2_000)}`)
  return said
}
