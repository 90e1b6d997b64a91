/** Where it would be seen that a process got what it was given, for every server of the database. */
import type { Migration } from '../migration'

export const messageOffersMigration: Migration = {
  number: 380,
  name: 'message-offers',
  // A former program keeps its own in files.
  minCompatible: 200,
  up: () => ['alter table messages add column offer text'], // JSON
  down: () => ['alter table messages drop column offer'],
}
