import { closeSync, openSync, readSync } from 'node:fs'
import { lstat, readdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError, toAppError } from '../../domain/errors'
import type { AgentHarness } from '../../domain/harness/agent-harness'
import type { JournalRef } from '../../domain/harness/harness'
import type { Recorder } from '../../domain/record/recorder'
import type { FileTrouble, ImportOutcome, WorkProgress } from '../../engine/services'
import { harnesses } from '../../harness/registry'
import { headOfPacked, plainPath } from '../../util/files/packed-file'
import { rowsFolder } from './rows-folder'

/** Bytes of a file that a harness may look at to recognise it. */
const HEAD_BYTES = 65_536
/**
 * Files recorded at once on the embedded database, so that a commit (a wait for the disk) serves many small ones; as long as
 * their bytes are few, so that memory stays small with large ones.
 */
export const FILES_AT_ONCE = 64
/** On PostgreSQL each takes a connection, and more than its own locks make wait gain nothing. */
export const FILES_AT_ONCE_POSTGRES = 4
const MAX_BYTES_AT_ONCE = 8 * 1_024 * 1_024
/** Where one file helps to understand another, it goes first. */
const KIND_ORDER: JournalRef['kind'][] = ['subagent_meta', 'transcript', 'stream', 'subagent', 'tasks', 'hooks']

interface Found {
  ref: JournalRef
  bytes: number
}

/**
 * Records every journal that an agent CLI's harness recognises in `paths`, files or folders. What is recorded already costs a look.
 *
 * @param home  Lodeline's folder, for the journals of databases; `null` = databases are left
 * @throws `not_found` when none of `paths` exists; the database's errors
 */
export async function importFiles(
  paths: string[],
  recorder: Recorder,
  filesAtOnce: number,
  onProgress?: (progress: WorkProgress) => void,
  home: string | null = null,
): Promise<ImportOutcome> {
  const startedAt = performance.now()
  const problems: FileTrouble[] = []
  const found: Found[] = []
  let missing = 0
  for (const path of paths) if (!(await search(home, path, found, problems, true))) missing++
  if (missing === paths.length)
    throw new AppError('not_found', `No such file or folder: ${paths.join(', ')}.`, {
      hint: 'Give files or folders, for example ~/.claude/projects.',
    })
  found.sort(byUse)
  const total: ImportOutcome = {
    files: 0,
    bytes: 0,
    sessions: 0,
    events: 0,
    malformedLines: 0,
    durationMs: 0,
    problems,
  }
  const bytesTotal = found.reduce((sum, file) => sum + file.bytes, 0)
  const record = async ({ ref, bytes }: Found): Promise<void> => {
    const outcome = await recorder.recordFile(ref)
    if (outcome.state === 'missing') problems.push({ path: ref.path, reason: outcome.reason ?? 'not readable' })
    else if (outcome.reason !== undefined)
      problems.push({ path: ref.path, reason: `only its first lines are recorded: ${outcome.reason}` })
    if (outcome.state === 'forgotten') problems.push({ path: ref.path, reason: 'its session was forgotten' })
    total.files++
    total.bytes += bytes
    total.sessions += outcome.newSessionIds.length
    total.events += outcome.eventsAdded
    total.malformedLines += outcome.malformedAdded
    onProgress?.({ filesDone: total.files, filesTotal: found.length, bytesDone: total.bytes, bytesTotal })
  }
  await runBounded(found, filesAtOnce, record)
  total.durationMs = Math.round(performance.now() - startedAt)
  return total
}

/** Runs `work` for every file, in order, within the limits above. The first error ends it, once what runs is over. */
async function runBounded(files: Found[], filesAtOnce: number, work: (file: Found) => Promise<void>): Promise<void> {
  const running = new Set<Promise<void>>()
  let bytesRunning = 0
  let failure: { error: unknown } | undefined
  for (const file of files) {
    while (running.size >= filesAtOnce || (running.size > 1 && bytesRunning + file.bytes > MAX_BYTES_AT_ONCE))
      await Promise.race(running)
    if (failure) break
    bytesRunning += file.bytes
    const one: Promise<void> = work(file)
      .catch((error: unknown) => {
        failure ??= { error }
      })
      .finally(() => {
        bytesRunning -= file.bytes
        running.delete(one)
      })
    running.add(one)
  }
  await Promise.all(running)
  if (failure) throw failure.error
}

/** Large files first, so that the last ones to finish are small; but first those that name others. */
function byUse(a: Found, b: Found): number {
  return KIND_ORDER.indexOf(a.ref.kind) - KIND_ORDER.indexOf(b.ref.kind) || b.bytes - a.bytes
}

/** Collects journals at and below `path`; links are followed only where the person named them. `false` = nothing is there. */
async function search(
  home: string | null,
  path: string,
  found: Found[],
  problems: FileTrouble[],
  isNamed: boolean,
): Promise<boolean> {
  try {
    const real = isNamed ? await realpath(path) : path
    const stat = await lstat(real)
    if (home !== null && (await takeRows(home, real, found, problems))) return true
    if (stat.isDirectory()) {
      for (const name of (await readdir(real)).sort()) await search(home, join(real, name), found, problems, false)
    } else if (stat.isFile()) {
      const known = await recognise(real)
      if (known !== null) found.push({ ref: await placed(known), bytes: stat.size })
      else if (isNamed) problems.push({ path, reason: 'not a known kind of transcript or stream' })
    }
    return true
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown'
    if (code === 'ENOENT' && isNamed) {
      problems.push({ path, reason: 'no such file or folder' })
      return false
    }
    problems.push({ path, reason: code === 'EACCES' ? 'permission denied' : code })
    return true
  }
}

/** Makes the journals of a database, and collects them. `false` = it is none. */
async function takeRows(home: string, path: string, found: Found[], problems: FileTrouble[]): Promise<boolean> {
  for (const { name, database, files } of harnesses()) {
    const opener = await database?.()
    if (opener === undefined || !opener.recognises(path)) continue
    const folder = rowsFolder(home, name, path)
    const journals = opener.open(path, folder)
    try {
      for (;;) {
        const { isBehind, problem } = await journals.look()
        if (!isBehind && problem !== null) problems.push({ path, reason: problem })
        if (!isBehind) break
      }
    } catch (error) {
      problems.push({ path, reason: `it can't be read now: ${toAppError(error).message}` })
    } finally {
      journals.close()
    }
    const { changedSince, classify } = await files()
    for (const journal of changedSince(folder, 0)) {
      const ref = classify(journal.path)
      if (ref !== null) found.push({ ref, bytes: (await lstat(journal.path)).size })
    }
    return true
  }
  return false
}

interface Recognised {
  ref: JournalRef
  harness: AgentHarness
}

async function recognise(path: string): Promise<Recognised | null> {
  const isPacked = plainPath(path) !== path
  const head = isPacked ? headOfPacked(path, HEAD_BYTES) : /\.jsonl?$/.test(path) ? headOf(path) : null
  for (const harness of harnesses()) {
    const ref = (await harness.files()).classify(path, head ?? undefined)
    if (ref !== null) return { ref, harness }
  }
  return null
}

/** A sub-agent's meta file names no session: in a copied folder of another name the lines beside it do. */
async function placed({ ref, harness }: Recognised): Promise<JournalRef> {
  if (ref.kind !== 'subagent_meta' || ref.sessionId !== null) return ref
  const beside: JournalRef = { ...ref, kind: 'subagent', path: ref.path.replace(/\.meta\.json$/, '.jsonl') }
  try {
    const { sessionId } = (await harness.read()).parseLines(headOf(beside.path), { ref: beside, offset: 0 })
    return { ...ref, sessionId }
  } catch {
    return ref
  }
}

function headOf(path: string): Uint8Array {
  const fd = openSync(path, 'r')
  try {
    const head = Buffer.alloc(HEAD_BYTES)
    return head.subarray(0, readSync(fd, head, 0, HEAD_BYTES, 0))
  } finally {
    closeSync(fd)
  }
}
