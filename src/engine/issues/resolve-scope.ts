import { USE_ISSUES } from '../../domain/access/rules'
import { AppError } from '../../domain/errors'
import type { Tracker } from '../../domain/issue/issue-store'
import type { Store } from '../../domain/store'
import type { Caller } from '../../domain/task/worker-protocol'
import { requireAccess } from '../access/require-access'
import type { IssueScope, ResolvedScope } from './issue-inputs'
import type { IssueFiles, IssuePlace } from './trackers/issue-files'
import { isInStep, NO_TRACKER } from './trackers/tracker-sync'

/** The place of a command: the folder that it names, or the folder of its run. `null` = unknown. */
export async function placeOf(
  store: Store,
  files: IssueFiles,
  caller: Caller,
  { dir }: IssueScope,
): Promise<IssuePlace | null> {
  if (caller.kind !== 'attempt') return dir === undefined ? null : files.locate(dir)
  const folder = dir ?? (await folderOfRun(store, caller))
  // Without a folder a person sees the issues of every project.
  if (folder === undefined)
    throw new AppError('forbidden', `The run of ${caller.taskId} works in no known folder, so it has no issues.`)
  await requireAccess({ caller, tasks: store.tasks, messages: store.messages }, USE_ISSUES, folder)
  return files.locate(folder)
}

async function folderOfRun(store: Store, caller: Caller & { kind: 'attempt' }): Promise<string | undefined> {
  const cwd = (await store.tasks.placeOfAttempt(caller.attemptId))?.cwd
  return cwd ?? (await store.tasks.kinOf(caller.taskId))?.dir ?? undefined
}

/** The place of a tracker that has a file on this machine. */
export function placeOfTracker(files: IssueFiles, { path, hostName, style }: Tracker): IssuePlace | null {
  if (path === null || hostName !== files.hostName) return null
  return { path, isBeads: style?.isBeads ?? /[/\\]\.beads[/\\]/.test(path) }
}

/** The scope of a read if every file is unchanged; `null` = a file must be ingested first. */
export async function freshScope(
  store: Store,
  files: IssueFiles,
  caller: Caller,
  scope: IssueScope,
): Promise<ResolvedScope | null> {
  const place = await placeOf(store, files, caller, scope)
  if (place !== null) return await freshScopeAt(store, files, place)
  for (const tracker of await store.issues.trackers()) {
    const known = placeOfTracker(files, tracker)
    if (known !== null && (await freshScopeAt(store, files, known)) === null) return null
  }
  return { tracker: null, path: null, notices: [] }
}

export async function freshScopeAt(store: Store, files: IssueFiles, place: IssuePlace): Promise<ResolvedScope | null> {
  const keeper = files.keeper(place.path)
  if (keeper !== null) {
    const kept = keeper.isFresh() ? await store.issues.trackerAt(files.hostName, place.path) : undefined
    return kept === undefined ? null : { tracker: kept.key, path: place.path, notices: [] }
  }
  const tracker = await isInStep(store, files, place)
  const notices = exportNotices(files, place)
  if (tracker !== null) return { tracker: tracker.key, path: place.path, notices }
  return files.stamp(place.path) === null ? { tracker: NO_TRACKER, path: place.path, notices } : null
}

/** What a reader must know if the file is another program's export. */
export function exportNotices(files: IssueFiles, { path }: IssuePlace): string[] {
  const refusal = files.readOnly(path)
  if (refusal === null) return []
  const modified = files.stamp(path)?.modified
  const state =
    modified === undefined
      ? 'The export does not exist'
      : `The export was last written ${new Date(Number(BigInt(modified) / 1_000_000n)).toISOString()}`
  return [`${refusal.message} ${state}; bd may have newer data.`]
}
