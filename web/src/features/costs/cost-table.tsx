import { useVirtualizer } from '@tanstack/react-virtual'
import { type CSSProperties, type Ref, useRef } from 'react'
import { Link } from '../../components/link'
import { AgentLine } from '../../components/ui/agent-text'
import { CliName } from '../../components/ui/cli-name'
import { Money } from '../../components/ui/money'
import { When } from '../../components/ui/when'
import { shortCount, tokensInWords, tokensOf } from '../../lib/format'
import { useListCursor } from '../../lib/keys/list-cursor'
import { sessionPath, taskPath, useGo } from '../../lib/links'
import { useVirtualRows } from '../task/list/virtual-row'
import {
  type CostRow,
  type Costs,
  dayInWords,
  GROUP_WORDS,
  type Measure,
  measureOf,
  percent,
  shareOf,
} from './cost-words'
import { CostsOverTimeView } from './costs-over-time'
import { type CostsSearch, costRowPath } from './costs-page'

/** Grid columns on a wide page; the header shares them. */
const COLUMN_CLASSES =
  'xl:grid xl:grid-cols-[minmax(0,1fr)_9rem_4.5rem_4rem_3.5rem_3.5rem_4.75rem_5.25rem_4.5rem_5.25rem] xl:items-center xl:gap-x-3'
const COLUMN_NAMES = [
  'Share',
  'Cost',
  'Tokens',
  'In',
  'Out',
  'Cache read',
  'Cache written',
  'Messages',
  'Last activity',
]
const PATHS = { session: sessionPath, task: taskPath }

/** Costs, one row per group. A row links to its session or task, or to a breakdown. */
export function CostTable({ costs, search }: { costs: Costs; search: CostsSearch }) {
  const { rows, total, by } = costs
  const asked = { ...search, by }
  const measure = measureOf(total)
  const go = useGo()
  const scroller = useRef<HTMLDivElement>(null)
  const pathOf = (row: CostRow | undefined) => (row === undefined ? null : costRowPath(asked, row, PATHS))
  const list = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => 31,
    getItemKey: (at) => rows[at]?.key ?? at,
    overscan: 12,
    scrollMargin: CHART_HEIGHT_PX,
  })
  const virtual = useVirtualRows(list)
  const cursor = useListCursor({
    count: rows.length,
    group: 'Costs',
    reveal: virtual.reveal,
    onOpen: (at) => {
      const path = pathOf(rows[at])
      if (path !== null) go(path)
    },
  })
  return (
    <div ref={scroller} className="scrolls min-h-0 flex-1">
      <CostsOverTimeView search={search} costs={costs} />
      {rows.length === 0 ? <p className="px-4 py-3 text-sm text-ink-2">This part has no costs.</p> : null}
      <div role="grid" aria-label={`Costs by ${GROUP_WORDS[by]}`} aria-rowcount={rows.length + 1}>
        <div role="rowgroup" className="sticky top-0 z-10 bg-canvas">
          <div
            role="row"
            aria-rowindex={1}
            className={`${COLUMN_CLASSES} h-7 border-b border-line px-4 text-2xs font-medium text-ink-3 max-xl:sr-only`}
          >
            <div role="columnheader" className="first-letter:uppercase">
              {GROUP_WORDS[by]}
            </div>
            {COLUMN_NAMES.map((name, at) => (
              <div key={name} role="columnheader" className={at === 0 ? '' : 'text-right'}>
                {name}
              </div>
            ))}
          </div>
        </div>
        <div role="rowgroup" className="relative" style={{ height: list.getTotalSize() }}>
          {list.getVirtualItems().map(({ index, key, start }) => {
            const row = rows[index]
            return row === undefined ? null : (
              <Row
                key={key}
                row={row}
                name={by === 'day' ? dayInWords(row.key === '' ? row.label : row.key) : row.label}
                path={pathOf(row)}
                share={shareOf(row, total, measure)}
                measure={measure}
                index={index}
                isCurrent={index === cursor.at}
                rowRef={virtual.refOf(index, cursor)}
                style={{ transform: `translateY(${start - list.options.scrollMargin}px)` }}
                onFocus={() => cursor.set(index)}
              />
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** Estimated height of the chart above the rows, in pixels. */
const CHART_HEIGHT_PX = 280

interface RowProps {
  row: CostRow
  name: string
  path: string | null
  share: number
  measure: Measure
  index: number
  isCurrent: boolean
  rowRef: Ref<HTMLDivElement>
  style: CSSProperties
  onFocus(): void
}

function Row({ row, name, path, share, measure, index, isCurrent, rowRef, style, onFocus }: RowProps) {
  const { usage } = row
  const kinds = [usage.inputTokens, usage.outputTokens, usage.cacheReadTokens, usage.cacheCreationTokens]
  return (
    <div
      ref={rowRef}
      role="row"
      tabIndex={isCurrent ? 0 : -1}
      aria-rowindex={index + 2}
      data-index={index}
      data-testid="cost-row"
      onFocus={onFocus}
      style={style}
      className={`${COLUMN_CLASSES} absolute inset-x-0 top-0 flex min-h-7.75 flex-wrap items-center gap-x-3 border-b border-line px-4 text-sm focus-visible:outline-offset-[-2px] max-xl:py-1.5 ${isCurrent ? 'row-current' : 'hover:bg-hover'}`}
    >
      <div role="gridcell" className="flex min-w-0 items-baseline gap-2 max-xl:flex-1">
        {path === null ? (
          <AgentLine text={name} />
        ) : (
          <Link to={path} tabIndex={-1} className="block min-w-0 after:absolute after:inset-0">
            <AgentLine text={name} />
          </Link>
        )}
        <CliName name={row.agentCli} className="text-2xs text-ink-3" />
      </div>
      <div
        role="gridcell"
        className="flex items-center gap-2 max-xl:order-3 max-xl:w-full"
        title={`Share of total ${measure}`}
      >
        <span aria-hidden className="h-1.5 flex-1 rounded-sm bg-sunken">
          <span
            className="block h-full rounded-sm bg-accent forced-color-adjust-none"
            style={{ width: `${share * 100}%` }}
          />
        </span>
        <span className="w-10 text-right text-xs text-ink-3">{percent(share)}</span>
      </div>
      <div role="gridcell" className="text-right max-xl:order-2">
        <Money cost={row} />
      </div>
      <div role="gridcell" title={tokensInWords(usage)} className="text-right text-xs text-ink-2 max-xl:order-4">
        {shortCount(tokensOf(usage))}
        <span className="xl:sr-only"> tokens</span>
      </div>
      {kinds.map((count, at) => (
        <div key={TOKEN_KINDS[at]} role="gridcell" className="text-right text-xs text-ink-3 max-xl:order-4">
          {shortCount(count)}
          <span className="xl:hidden"> {TOKEN_KINDS[at]}</span>
        </div>
      ))}
      <div role="gridcell" className="text-right text-xs text-ink-3 max-xl:hidden">
        {row.messages.toLocaleString('en')}
      </div>
      <div role="gridcell" className="text-right text-xs text-ink-3 max-xl:hidden">
        <When at={row.lastAt} />
      </div>
    </div>
  )
}

/** Names of the four kinds of tokens, in column order. */
const TOKEN_KINDS = ['in', 'out', 'read', 'written']
