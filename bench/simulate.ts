/** Simulates a fleet by the real dispatch, and prints what came of it: `npm run bench -- simulate [--machines N] [--agents N] [--seconds N]`. */
import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openStore } from '../src/store/open'
import { simulate } from './simulate/fleet'

const { values } = parseArgs({
  options: {
    machines: { type: 'string', default: '1000' },
    agents: { type: 'string', default: '20' },
    users: { type: 'string', default: '20' },
    seconds: { type: 'string', default: '600' },
    load: { type: 'string', default: '1.2' },
    lost: { type: 'string', default: '0.01' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    /** The URL of an empty PostgreSQL database; else SQLite. */
    database: { type: 'string' },
  },
})
const folder = mkdtempSync('/tmp/ld-simulate-')
const place = values.database === undefined ? { path: join(folder, 'lodeline.db') } : { url: values.database }
const store = await openStore({ ...place, mode: 'read-write', migrate: true })
try {
  const { machines, agents, users, seconds, load, lost, seed } = values
  const options = {
    machines: Number(machines),
    agents: Number(agents),
    users: Number(users),
    seconds: Number(seconds),
    load: Number(load),
    lost: Number(lost),
    seed: Number(seed),
  }
  const simulated = await simulate({ store, ...options })
  console.log(
    JSON.stringify(
      { database: values.database === undefined ? 'sqlite' : 'postgres', ...options, ...simulated },
      null,
      2,
    ),
  )
} finally {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
}
