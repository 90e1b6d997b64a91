import type { ReactNode } from 'react'

interface SectionProps {
  title: string
  count?: number
  /** At the right of the title. */
  aside?: ReactNode
  children: ReactNode
}

/** A titled part of a task's page, without a box. */
export function Section({ title, count, aside, children }: SectionProps) {
  return (
    <section aria-label={title} className="border-b border-line px-4 py-3 last:border-b-0 max-md:px-3">
      <header className="flex min-h-6 items-center gap-2 pb-1.5">
        <h2 className="text-xs font-semibold text-ink-2">{title}</h2>
        {count === undefined ? null : <span className="text-2xs text-ink-3">{count.toLocaleString('en')}</span>}
        <div className="ml-auto flex items-center gap-2">{aside}</div>
      </header>
      {children}
    </section>
  )
}
