/** Indexes that no query of ours needs. Which index serves which query: `docs/architecture/storage.md`. */
import type { Migration } from '../migration'

export const leanIndexesMigration: Migration = {
  number: 271,
  name: 'lean-indexes',
  minCompatible: 200,
  // The children of one task that wait for it are found among its children, by `tasks_parent`.
  up: (t) => ['drop index tasks_parent_awaited', ...t.leanFeed],
  down: (t) => [`create index tasks_parent_awaited on tasks (parent_id) where waiting_for = 'parent'`, ...t.fullFeed],
}
