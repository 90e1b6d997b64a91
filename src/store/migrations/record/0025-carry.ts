/** What a parser keeps of a file's earlier lines, beside the place up to which the file is read. */
import type { Migration } from '../migration'

const up = (): string[] => ['alter table incarnations add column carry text']

const down = (): string[] => ['alter table incarnations drop column carry']

export const carryMigration: Migration = { number: 25, name: 'carry', up, down }
