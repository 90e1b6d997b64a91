/** A link may show two sessions that are compared. */
import type { Migration } from '../migration'

export const sharedComparisonsMigration: Migration = {
  number: 211,
  name: 'shared-comparisons',
  minCompatible: 180,
  up: () => ['alter table tokens add column shared_beside text'],
  down: () => [
    "delete from tokens where purpose = 'share' and shared_beside is not null",
    'alter table tokens drop column shared_beside',
  ],
}
