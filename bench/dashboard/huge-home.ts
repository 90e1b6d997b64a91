import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { tryProcessLock } from '../../src/util/process/process-lock'
import { environment, prepareHome } from '../common/lode'
import { makeProject } from '../issues/make-file'
import { fillWork } from '../overview/fill-work'
import { fillRecord } from '../record/data/fill'
import { makeHugeTranscripts } from './huge-transcripts'

const root = resolve(import.meta.dir, '../..')
const cache = join(root, 'node_modules/.cache/lodeline-huge')

export const HUGE = {
  events: 1_000_000,
  sessions: 10_000,
  tasks: 1_000,
  issues: 1_000,
  longEvents: 100_000,
  subagents: 5_000,
  projects: 40,
} as const

/** What there is to go to. */
export interface HugeIds {
  /** The session of 100,000 events. */
  long: string
  /** The session of 5,000 sub-agents. */
  crowd: string
  /** A task with children and attempts. */
  task: string
  /** A word that stands in one event of a thousand. */
  word: string
}

/**
 * Puts a record of a million events into `home`, which must not be there yet, and gives what is in it. It is made once (some minutes) and kept
 * below `node_modules/.cache` for as long as what makes it stays as it is.
 *
 * @param lode  the executable that records the two sessions which are recorded; the rest is filled in as it would have left it
 */
export async function hugeHome(home: string, lode: string, note: (text: string) => void): Promise<HugeIds> {
  const kept = join(cache, fingerprint())
  mkdirSync(cache, { recursive: true })
  while (!existsSync(kept)) {
    const lock = tryProcessLock(join(cache, 'lock'))
    if (!lock) {
      await Bun.sleep(500)
      continue
    }
    try {
      if (!existsSync(kept)) await make(kept, lode, note)
    } finally {
      lock.release()
    }
  }
  cpSync(join(kept, 'h'), home, { recursive: true })
  prepareHome(home, join(home, 'claude'))
  mkdirSync(join(home, 'claude/projects'), { recursive: true })
  return JSON.parse(readFileSync(join(kept, 'ids.json'), 'utf8')) as HugeIds
}

async function make(kept: string, lode: string, note: (text: string) => void): Promise<void> {
  for (const name of readdirSync(cache)) if (!name.startsWith('lock')) rmSync(join(cache, name), { recursive: true })
  const startedAt = performance.now()
  const work = `${kept}.making`
  const home = prepareHome(join(work, 'h'))
  const claude = join(work, 'claude')
  const real = HUGE.longEvents + 6 * HUGE.subagents
  note(`filling in ${HUGE.events - real} events`)
  const filled = await fillRecord(home, { sessions: HUGE.sessions - 2, events: HUGE.events - real })
  const { task } = fillWork(home, { tasks: HUGE.tasks, projects: HUGE.projects })
  // The record knows the folder by its path, so it stays where it is made.
  await run([lode, 'issue', 'stats', '-C', makeProject(`${kept}.project`, HUGE.issues).dir], home)
  note(`recording ${real} events in ${HUGE.subagents + 2} transcripts`)
  const options = { events: HUGE.longEvents, subagents: HUGE.subagents, endedAt: Date.now() - 3_600_000 }
  const { long, crowd } = makeHugeTranscripts(claude, options)
  await run([lode, 'import', claude], home)
  const ids: HugeIds = { long, crowd, task, word: filled.rareWord }
  writeFileSync(join(work, 'ids.json'), JSON.stringify(ids))
  rmSync(claude, { recursive: true })
  renameSync(work, kept)
  note(`made in ${Math.round((performance.now() - startedAt) / 1_000)} s`)
}

async function run(command: string[], home: string): Promise<void> {
  const child = Bun.spawn(command, { env: environment(home), stdin: 'ignore', stdout: 'ignore', stderr: 'pipe' })
  const said = await child.stderr.text()
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}: ${said}`)
}

/** A hash of these generators and the schema: how a line is understood changes more often than it matters to how fast it is shown. */
function fingerprint(): string {
  const hash = createHash('sha256').update(JSON.stringify(HUGE))
  const patterns = [
    'bench/dashboard/huge-*.ts',
    'bench/overview/fill-work.ts',
    'bench/issues/make-file.ts',
    'bench/record/data/fill.ts',
    'bench/record/data/words.ts',
    'src/store/migrations/*.ts',
  ]
  for (const pattern of patterns)
    for (const file of [...new Bun.Glob(pattern).scanSync({ cwd: root })].sort())
      if (!file.endsWith('.test.ts')) hash.update(file).update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}
