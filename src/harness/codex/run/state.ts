import { readdirSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'
import type { CliPlace, CliState } from '../../../domain/harness/harness-run'
import { uuidOf } from '../../json-lines/json-value'
import { rolloutOf } from '../files'

/** What the CLI keeps for itself between runs. Its databases are lists of what its rollouts say: it makes them anew. */
const PRIVATE = [
  'shell_snapshots',
  '.tmp',
  'tmp',
  'log',
  'cache',
  'history.jsonl',
  '.sandbox_migration',
  'version.json',
]
const DAY_MS = 86_400_000

/**
 * To go on in its thread a run needs the folder of the day in which the thread began, and for a new one those of today and tomorrow. The
 * locks keep two processes from writing one thread. A login that the CLI renews must not be lost.
 */
export function state(place: CliPlace, sessionId: string): CliState {
  const { root } = place
  const id = uuidOf(sessionId)
  const path = id === undefined ? null : rolloutOf(root, id)
  const now = Date.now()
  const days = new Set([dayOf(now), dayOf(now + DAY_MS), ...(path === null ? [] : [relative(root, dirname(path))])])
  return {
    kept: [...days, 'thread-writer-locks'],
    shared: ['auth.json'],
    private: [...PRIVATE, ...databasesIn(root)],
    needed: [],
    copied: [],
  }
}

function dayOf(ms: number): string {
  const day = new Date(ms)
  const two = (value: number) => String(value).padStart(2, '0')
  return join('sessions', String(day.getFullYear()), two(day.getMonth() + 1), two(day.getDate()))
}

function databasesIn(root: string): string[] {
  try {
    return readdirSync(root).filter((name) => /\.sqlite(?:-wal|-shm)?$/.test(basename(name)))
  } catch {
    return []
  }
}
