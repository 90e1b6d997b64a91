/** When a worker was asked to restart: it goes on with what it runs, and a person sees that it is not of today's program yet. */
import type { Migration } from '../migration'

export const workerRestartsMigration: Migration = {
  number: 194,
  name: 'worker-restarts',
  minCompatible: 95,
  up: (t) => [`alter table agents add column restart_asked_at ${t.int}`],
  down: () => ['alter table agents drop column restart_asked_at'],
}
