/** On which machine the process was seen that holds a session: a pid says nothing elsewhere. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  `alter table sessions add column process_host_id ${t.int}`, // of hosts; null = no process was seen
  // Processes were looked at where the session was first recorded.
  'update sessions set process_host_id = host_id where process_state is not null',
]

const down = (): string[] => ['alter table sessions drop column process_host_id']

export const processHostMigration: Migration = { number: 10, name: 'process-host', up, down }
