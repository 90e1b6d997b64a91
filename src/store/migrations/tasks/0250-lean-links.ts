/** On PostgreSQL: the trigger that links the conversation of an attempt to its task asks first whether there is anything to link. */
import type { Migration } from '../migration'

export const leanLinksMigration: Migration = {
  number: 250,
  name: 'lean-links',
  minCompatible: 200,
  up: (t) => t.leanLinks,
  down: (t) => t.fullLinks,
}
