/** By which account the agent CLIs of a worker are logged in: a usage limit that one meets holds for all of them. */
import type { Migration } from '../migration'

export const accountsMigration: Migration = {
  number: 172,
  name: 'accounts',
  minCompatible: 95,
  up: () => ['alter table agents add column account text'],
  down: () => ['alter table agents drop column account'],
}
