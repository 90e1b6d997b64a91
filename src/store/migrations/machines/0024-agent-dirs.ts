/** In which folders a worker runs tasks. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  // A worker without a row runs tasks anywhere.
  `create table agent_dirs (
    agent_id ${t.int} not null references agents(id) on delete cascade,
    dir text not null, -- absolute, without a slash at its end
    primary key (agent_id, dir)
  )`,
]

const down = (): string[] => ['drop table agent_dirs']

export const agentDirsMigration: Migration = { number: 24, name: 'agent-dirs', up, down }
