import type { ReactNode, Ref } from 'react'

export interface Column {
  name: string
  isNumber?: boolean
  /** The breakpoint from which the column is shown. Default: always. */
  from?: 'rows' | 'xl'
  className?: string
}

export interface PlainRow {
  key: string
  cells: readonly ReactNode[]
  /** The row's part in keyboard navigation, if the table has it. */
  cursor?: { isCurrent: boolean; ref: Ref<HTMLElement> | null; onFocus(): void }
}

interface PlainTableProps {
  /** Name for assistive technology. */
  label: string
  columns: readonly Column[]
  rows: readonly PlainRow[]
  testId?: string
}

/** Classes that hide a column below a breakpoint. */
const HIDDEN_BELOW = { rows: 'max-rows:hidden', xl: 'max-xl:hidden' }

/** A short table, rendered whole. Long lists use a virtualizer instead. */
export function PlainTable({ label, columns, rows, testId }: PlainTableProps) {
  const classOf = (column: Column | undefined) =>
    `${column?.isNumber === true ? 'text-right' : 'text-left'} ${column?.from === undefined ? '' : HIDDEN_BELOW[column.from]} ${column?.className ?? ''}`
  return (
    <table aria-label={label} className="w-full table-fixed border-collapse text-sm">
      <thead>
        <tr className="h-7 border-b border-line">
          {columns.map((column) => (
            <th
              key={column.name}
              scope="col"
              className={`px-1.5 max-md:px-2 text-2xs font-medium text-ink-3 first:pl-3 last:pr-3 ${classOf(column)}`}
            >
              {column.name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map(({ key, cells, cursor }) => (
          <tr
            key={key}
            ref={(cursor?.ref ?? null) as Ref<HTMLTableRowElement>}
            {...(cursor && { tabIndex: cursor.isCurrent ? 0 : -1, onFocus: cursor.onFocus })}
            aria-current={cursor?.isCurrent === true ? 'true' : undefined}
            data-testid={testId}
            className={`h-8 border-b border-line last:border-b-0 focus-visible:outline-offset-[-2px] ${cursor?.isCurrent === true ? 'row-current' : cursor === undefined ? '' : 'hover:bg-hover'}`}
          >
            {cells.map((cell, at) => (
              <td
                key={columns[at]?.name}
                className={`px-1.5 py-1 max-md:px-2 max-md:py-2.5 align-baseline first:pl-3 last:pr-3 ${classOf(columns[at])}`}
              >
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
