/** The sums of a project's sessions by their agent CLI as well: PostgreSQL reads no row for them. */
import type { Migration } from '../migration'

const SUMS = 'project_id, (coalesce(last_event_at, 0)), id, token_count, cost_usd, is_cost_estimate'

export const sessionsInProjectsMigration: Migration = {
  number: 337,
  name: 'sessions-in-projects',
  minCompatible: 330,
  indexes: () => [{ name: 'sessions_in_projects', on: `sessions (${SUMS}, agent)` }],
}

/** `sessions_in_projects` does what it did. */
export const dropSessionsOfProjectMigration: Migration = {
  number: 338,
  name: 'drop-sessions-of-project',
  minCompatible: 330,
  up: () => ['drop index sessions_of_project'],
  down: () => [`create index sessions_of_project on sessions (${SUMS})`],
}
