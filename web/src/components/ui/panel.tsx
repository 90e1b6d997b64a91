import type { ReactNode } from 'react'

interface PanelProps {
  title: ReactNode
  /** How many items it has. */
  count?: number
  /** At the right of the title. */
  aside?: ReactNode
  children: ReactNode
  id?: string
}

/** A titled part of a page. */
export function Panel({ title, count, aside, children, id }: PanelProps) {
  return (
    <section aria-labelledby={id} className="overflow-clip rounded-lg border border-line bg-panel">
      <header className="flex min-h-9 items-center gap-2 border-b border-line px-3">
        <h2 id={id} className="text-sm font-semibold">
          {title}
        </h2>
        {count === undefined ? null : <span className="text-xs text-ink-3">{count.toLocaleString('en')}</span>}
        <div className="ml-auto flex items-center gap-2">{aside}</div>
      </header>
      {children}
    </section>
  )
}

/** Names and values, one per line. */
export function Facts({ rows }: { rows: readonly (readonly [name: string, value: ReactNode])[] }) {
  return (
    <dl className="grid grid-cols-[max-content_1fr] gap-x-4 gap-y-1 px-3 py-2.5 text-sm">
      {rows.map(([name, value]) => (
        <div key={name} className="contents">
          <dt className="text-ink-3">{name}</dt>
          <dd className="min-w-0">{value}</dd>
        </div>
      ))}
    </dl>
  )
}
