import { allOperations } from '../src/api/contract/operations'
import { type Access, COLUMNS, type Column } from '../src/domain/access/access'
import { SUBJECTS } from '../src/domain/access/subjects'

/** How the columns are headed. */
const HEADS: Readonly<Record<Column, string>> = {
  operator: 'operator, admin',
  approver: 'approver',
  viewer: 'viewer',
  lead: 'lead',
  worker: 'worker',
  attempt: 'run',
  leadRun: 'run that leads',
}

/** The parts of the page about access: the relations in words, then a row for each operation. */
export function accessParts(): string[] {
  const relations = Object.entries(SUBJECTS).flatMap(([of, words]) =>
    Object.entries(words).map(([relation, text]) => `| ${of} | ${relation} | ${text} |`),
  )
  return [
    [
      'Who may call which operation, and on what. A cell says how the caller must stand to the object that the operation names; `any`:',
      'to every one; empty: not at all. A list shows only what its cell opens. A run that leads has its own column beside that of runs.',
      'An operation without callers is public. [Login and rights](../architecture/login.md) has the reasons.',
    ].join('\n'),
    '## Relations',
    ['| object | relation | a caller may do it only to |', '| --- | --- | --- |', ...relations].join('\n'),
    '## Operations',
    [
      `| operation | object | ${COLUMNS.map((column) => HEADS[column]).join(' | ')} |`,
      `| --- | --- |${' --- |'.repeat(COLUMNS.length)}`,
      ...allOperations.map(
        ({ name, access }) => `| \`${name}\` | ${access === 'public' ? ' | '.repeat(COLUMNS.length) : cells(access)} |`,
      ),
    ].join('\n'),
  ]
}

const cells = (access: Access): string =>
  [access.of ?? '', ...COLUMNS.map((column) => grantOf(access, column))].join(' | ')

/** A run that leads may do what every run may, too. */
const grantOf = (access: Access, column: Column): string =>
  (column === 'leadRun' ? (access.leadRun ?? access.attempt) : access[column]) ?? ''
