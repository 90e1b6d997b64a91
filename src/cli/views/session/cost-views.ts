import type { Answers } from '../../../api/contract/operations'
import type { Cost } from '../../../domain/cost/price'
import { age, count, dollars } from '../../print/measures'
import { table } from '../../print/table'
import type { ViewSettings } from './session-views'

type Row = Pick<Answers['costs']['rows'][number], 'label' | 'key' | 'usage' | 'messages' | 'lastAt' | 'agentCli'> & Cost

/** Rows with their sum below them. */
export function costTable(
  { by, rows, total }: Answers['costs'],
  { now, columns, namesClis = false }: ViewSettings,
): string {
  const all: Row[] =
    rows.length > 1 ? [...rows, { label: 'total', key: '', lastAt: null, agentCli: null, ...total }] : rows
  return table(
    all,
    [
      { title: 'COST', cell: (r) => dollars(r.costUsd, r.isEstimate), align: 'right' },
      { title: 'INPUT', cell: (r) => count(r.usage.inputTokens), align: 'right' },
      { title: 'OUTPUT', cell: (r) => count(r.usage.outputTokens), align: 'right' },
      { title: 'CACHE READ', cell: (r) => count(r.usage.cacheReadTokens), align: 'right' },
      { title: 'WRITTEN', cell: (r) => count(r.usage.cacheCreationTokens), align: 'right' },
      { title: 'MESSAGES', cell: (r) => count(r.messages), align: 'right' },
      { title: 'LAST', cell: (r) => age(r.lastAt, now), align: 'right' },
      ...(by === 'session' || by === 'task' ? [{ title: 'ID', cell: (r: Row) => r.key || null, max: 36 }] : []),
      ...(namesClis && by === 'session' ? [{ title: 'CLI', cell: (r: Row) => r.agentCli, max: 12 }] : []),
      { title: by.toUpperCase(), cell: (r) => r.label, max: 200, flexible: 16 },
    ],
    columns,
  )
}
