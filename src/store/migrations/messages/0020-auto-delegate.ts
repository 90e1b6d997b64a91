/** Whether tasks that a lead makes of a source's requests start without a person's consent. */
import type { Migration } from '../migration'

const up = ({ int }: { int: string }): string[] => [
  `alter table inbox_sources add column auto_delegate ${int} not null default 0`,
]

const down = (): string[] => ['alter table inbox_sources drop column auto_delegate']

export const autoDelegateMigration: Migration = { number: 20, name: 'auto-delegate', up, down }
