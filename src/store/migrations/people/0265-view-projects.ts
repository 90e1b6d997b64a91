/** A saved view may be shared with one project. */
import type { Migration } from '../migration'

export const viewProjectsMigration: Migration = {
  number: 265,
  name: 'view-projects',
  // A former program shows such a view to everybody, which is allowed, and saves none.
  minCompatible: 200,
  up: () => ['alter table saved_views add column project text'],
  // What was meant for some is not shown to all.
  down: () => [
    'update saved_views set is_shared = 0 where project is not null',
    'alter table saved_views drop column project',
  ],
}
