import type { IssueLinkSource } from '../../domain/session/session-issue'
import type { Store } from '../../domain/store'
import type { IssueService } from '../../engine/issues/issue-service'
import { createIssueService } from '../../engine/issues/issue-service'
import type { IssueFiles } from '../../engine/issues/trackers/issue-files'
import { TrackerUnits } from '../../engine/issues/trackers/tracker-units'
import type { TodoService } from '../../engine/todos/todo-service'
import { createTodoService } from '../../engine/todos/todo-service'

/** Settings of what is written to trackers. JSON values: they cross to the thread that writes. */
export interface TrackerSettings {
  /** When the file of issues is written. */
  issueWrites: 'always' | 'sync'
  /** Folders of the projects for which bd may be run. */
  bdFolders: readonly string[]
  linkFrom: readonly IssueLinkSource[]
  closesPromoted: boolean
  /** Workers have a folder for tasks that name none. */
  hasFolder?: boolean
}

/** What a configuration says of them. */
export const trackerSettings = (config: {
  issueFile: { write: 'always' | 'sync' }
  issues: { bd: readonly string[] }
  todos: { linkFrom: readonly IssueLinkSource[]; closePromoted: boolean }
  worker: { dir: string | null }
}): TrackerSettings => ({
  issueWrites: config.issueFile.write,
  bdFolders: [...config.issues.bd],
  linkFrom: [...config.todos.linkFrom],
  closesPromoted: config.todos.closePromoted,
  hasFolder: config.worker.dir !== null,
})

/** The use cases of issues and of to-dos, which write the same files and so take turns. */
export function trackerServices(
  store: Store,
  files: IssueFiles,
  { issueWrites, linkFrom, closesPromoted, hasFolder = false }: Omit<TrackerSettings, 'bdFolders'>,
): { issues: IssueService; todos: TodoService } {
  const options = { store, files, writes: () => issueWrites, hasFolder }
  const units = new TrackerUnits(options)
  return {
    issues: createIssueService(options, units),
    todos: createTodoService({ store, units, linkFrom, closesPromoted }),
  }
}
