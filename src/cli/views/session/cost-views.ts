import type { Answers } from '../../../api/contract/operations'
import type { Cost } from '../../../domain/cost/price'
import { age, count, dollars } from '../../print/measures'
import { table } from '../../print/table'
import { shortIds } from '../ids'
import type { ViewSettings } from './session-views'

type Row = Pick<Answers['costs']['rows'][number], 'label' | 'key' | 'usage' | 'messages' | 'lastAt' | 'agentCli'> & Cost

/** Rows with their sum below them. */
export function costTable(
  { by, rows, total }: Answers['costs'],
  { now, columns, namesClis = false }: ViewSettings,
): string {
  const all: Row[] =
    rows.length > 1 ? [...rows, { label: 'total', key: '', lastAt: null, agentCli: null, ...total }] : rows
  const short = shortIds(rows.map(({ key }) => key))
  return table(
    all,
    [
      { title: 'COST', cell: (r) => dollars(r.costUsd, r.isEstimate), align: 'right' },
      { title: 'INPUT', cell: (r) => count(r.usage.inputTokens), align: 'right', spare: 1 },
      { title: 'OUTPUT', cell: (r) => count(r.usage.outputTokens), align: 'right', spare: 2 },
      { title: 'CACHE READ', cell: (r) => count(r.usage.cacheReadTokens), align: 'right', spare: 3 },
      { title: 'WRITTEN', cell: (r) => count(r.usage.cacheCreationTokens), align: 'right', spare: 5 },
      { title: 'MESSAGES', cell: (r) => count(r.messages), align: 'right', spare: 4 },
      { title: 'LAST', cell: (r) => age(r.lastAt, now), align: 'right' },
      ...(by === 'session' || by === 'task' ? [{ title: 'ID', cell: (r: Row) => short(r.key) || null, max: 36 }] : []),
      ...(namesClis && by === 'session' ? [{ title: 'CLI', cell: (r: Row) => r.agentCli, max: 12 }] : []),
      { title: by.toUpperCase(), cell: (r) => r.label, max: 200, flexible: 24 },
    ],
    columns,
  )
}
