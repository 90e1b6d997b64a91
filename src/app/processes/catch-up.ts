import { existsSync } from 'node:fs'
import type { Config } from '../../config/load'
import type { JournalRef } from '../../domain/harness/harness'
import type { SessionId } from '../../domain/ids'
import type { OpenJournal } from '../../domain/record/journal-store'
import type { Store } from '../../domain/store'
import { DAY_MS, HOUR_MS } from '../../domain/time-units'
import { lookAt } from '../../util/files/packed-file'
import { hookJournalFolder, listHookJournals } from '../../util/hook-journal'
import { filesOfSession, followedFiles, followedRows, hookJournalRef, refsOf } from '../followed'
import type { RecordEngine } from '../threads/record-engine'
import { noteGoneProcesses } from './gone-processes'
import { checkShells, MAX_SHELLS } from './shell-processes'

/** Bytes taken in before an in-process command answers; more is left for `lode up` or `lode import`. */
const MAX_BYTES = 64 * 1_024 * 1_024
/** A session's files are looked at before a list when it was heard of within this time. */
const LIVE_MS = HOUR_MS
/** Files that changed within this time may be of sessions that are not known yet; at most this many are looked up. */
const FRESH_MS = DAY_MS
const MAX_FRESH = 200

export interface CatchUpOptions {
  config: Config
  store: Store
  hostName: string
  /** Opens the write side; only called when something is behind. */
  engine(): Promise<RecordEngine>
}

/**
 * Takes in what the disk holds beyond the record, for a command without a server: the hook journal always, the transcripts of
 * one session, or (`null`) those of sessions that live and those that are new. Bounded; what it leaves out costs freshness only.
 */
export function createCatchUp(options: CatchUpOptions): (session: SessionId | null) => Promise<void> {
  const { config, store, hostName } = options
  return async (session) => {
    await takeRows(config)
    const candidates = [
      ...hookFiles(config),
      ...(session === null ? await freshFiles(config) : await filesOfSession(config, session)),
    ]
    const open = new Map<string, OpenJournal>()
    const note = (journals: OpenJournal[]): void => {
      for (const journal of journals) open.set(journal.path, journal)
    }
    note(await store.journals.listOpen(hostName, { paths: candidates.map((ref) => ref.path) }))
    if (session === null) note(await store.journals.listOpen(hostName, { heardSince: Date.now() - LIVE_MS }))
    const refs = new Map(candidates.map((ref) => [ref.path, ref]))
    for (const files of open.size === 0 ? [] : await followedFiles(config))
      for (const ref of refsOf(files, [...open.keys()])) if (!refs.has(ref.path)) refs.set(ref.path, ref)
    let budget = MAX_BYTES
    let engine: RecordEngine | undefined
    for (const ref of refs.values()) {
      const behind = bytesBehind(ref.path, open.get(ref.path))
      if (behind === 0) continue
      budget -= behind
      if (budget < 0) break
      engine ??= await options.engine()
      await engine.recordFile(ref)
    }
    await noteGoneProcesses({ config, hostName, store, engine: options.engine })
    const shells = checkShells(await store.shells.open(hostName, Date.now(), MAX_SHELLS), Date.now())
    if (shells.length > 0) await (await options.engine()).setShells(shells)
  }
}

/** Takes over what databases of agent CLIs have beyond their journals, for a moment. One that can't be read now is left. */
async function takeRows(config: Config): Promise<void> {
  for (const { journals } of await followedRows(config, existsSync)) {
    await journals.look().catch(() => null)
    journals.close()
  }
}

function hookFiles(config: Config): JournalRef[] {
  return listHookJournals(hookJournalFolder(config.home)).map(({ path }) => hookJournalRef(path))
}

/** How many bytes the file holds that the record does not; a shrunken or replaced file counts whole. */
export function bytesBehind(path: string, journal: OpenJournal | undefined): number {
  const stat = lookAt(path)
  if (stat === null) return 0
  if (!journal) return stat.size
  if (stat.ino !== journal.inode || stat.size < journal.size) return Math.max(1, stat.size)
  if (stat.size > journal.size) return stat.size - journal.size
  return stat.mtimeMs > (journal.grewAt ?? 0) ? 1 : 0
}

/** Transcripts that changed lately: of sessions that may be new. Older ones are for `lode up` and `lode import` to find. */
async function freshFiles(config: Config): Promise<JournalRef[]> {
  const since = Date.now() - FRESH_MS
  const fresh: { at: number; refs: JournalRef[] }[] = []
  for (const files of await followedFiles(config, existsSync))
    for (const root of files.roots)
      for (const { path, at } of files.changedSince(root, since)) fresh.push({ at, refs: refsOf(files, [path]) })
  fresh.sort((a, b) => b.at - a.at)
  return fresh.slice(0, MAX_FRESH).flatMap(({ refs }) => refs)
}
