import { join } from 'node:path'
import { environment } from '../common/lode'
import { makeProject } from '../issues/make-file'
import { fillWork } from '../overview/fill-work'
import { fillRecord } from '../record/data/fill'

/** The size at which every page is measured. */
export const SIZE = {
  sessions: 100_000,
  events: 2_000_000,
  tasks: 200_000,
  issues: 10_000,
  projects: 40,
  days: 398,
} as const
export type Size = Record<keyof typeof SIZE, number>

/** What pages are asked about. */
export interface FilledPages {
  task: string
  session: string
  issue: string
  /** Folder of the tracker. */
  dir: string
}

/** Fills a new installation of SQLite with all that pages show. */
export async function fillPages(lode: string, home: string, size: Size): Promise<FilledPages> {
  await fillRecord(home, { sessions: size.sessions, events: size.events })
  const { task, session } = fillWork(home, size)
  const { dir, ids } = makeProject(join(home, '..'), size.issues)
  const taken = Bun.spawnSync([lode, 'issue', 'stats', '-C', dir], {
    env: environment(home),
    stdin: 'ignore',
    stderr: 'pipe',
  })
  if (taken.exitCode !== 0) throw new Error(`the issues were not taken in: ${taken.stderr}`)
  return { task, session, issue: ids[0] ?? '', dir }
}
