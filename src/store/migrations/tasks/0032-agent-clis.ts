/** Which agent CLIs tasks ask for, and which workers have. */
import type { Migration, SqlWords } from '../migration'

const up = (t: SqlWords): string[] => [
  // JSON lists of names, the best first: what a person asked for, and what may run it next.
  `alter table tasks add column agent_clis text not null default '[]'`,
  `alter table tasks add column needed_clis text not null default '[]'`,
  // A part of the set: a worker takes its tasks if it has one of them. The set's digest covers both lists.
  `alter table capability_sets add column clis text not null default '[]'`,
  // JSON list of {name, version}; null = the agent does not say.
  `alter table agents add column clis text`,
  // JSON: milliseconds by name.
  `alter table agents add column cli_limits text not null default '{}'`,
  `alter table agents add column falls_over ${t.int} not null default 0`,
  `alter table attempts add column agent_cli text`,
]

const down = (): string[] => [
  'alter table attempts drop column agent_cli',
  ...['falls_over', 'cli_limits', 'clis'].map((column) => `alter table agents drop column ${column}`),
  'alter table capability_sets drop column clis',
  ...['needed_clis', 'agent_clis'].map((column) => `alter table tasks drop column ${column}`),
]

export const agentClisMigration: Migration = { number: 32, name: 'agent-clis', up, down }
