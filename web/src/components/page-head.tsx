import { type ReactNode, useEffect } from 'react'
import { visibleText } from '../lib/visible-text'

interface PageHeadProps {
  /** Title of the browser tab; also of the page if there is no `name`. */
  title: string
  name?: ReactNode
  /** Facts below the name. */
  below?: ReactNode
  /** Buttons at the right. */
  actions?: ReactNode
}

/** The header of a page. */
export function PageHead({ title, name = title, below, actions }: PageHeadProps) {
  useEffect(() => {
    document.title = `${visibleText(title)} · Lodeline`
  }, [title])
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-3 gap-y-1.5 border-b border-line px-4 py-2 max-md:px-3">
      <div className={`min-w-0 flex-1 ${name === title ? 'basis-32' : 'basis-60'}`}>
        <h1 className="text-base font-semibold">{name}</h1>
        {below === undefined ? null : (
          <div className="flex flex-wrap items-center gap-x-2 gap-y-0.5 text-xs text-ink-3">{below}</div>
        )}
      </div>
      {actions === undefined ? null : <div className="flex flex-wrap items-center gap-1.5">{actions}</div>}
    </header>
  )
}
