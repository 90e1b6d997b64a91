import type { ReactNode } from 'react'
import { AgentText } from '../../../components/ui/agent-text'

interface PeekProps {
  title: string
  /** Facts below the title. */
  below?: ReactNode
  children: ReactNode
}

/**
 * The details of the current row. They stand in the row, so that Tab goes from the row to its buttons; on a wide page the style sheet puts
 * them beside the list, where they keep their place while the list scrolls.
 */
export const Peek = ({ title, below, children }: PeekProps) => (
  <section
    aria-label="Details"
    data-testid="need-peek"
    className="flex flex-col gap-3 px-3 pt-1 pb-3 lg:absolute lg:inset-y-0 lg:right-0 lg:w-1/2 lg:overflow-y-auto lg:border-l lg:border-line lg:bg-panel lg:p-4"
  >
    <header className="flex flex-col gap-1">
      <h2 className="text-base font-semibold max-lg:text-sm">
        <AgentText text={title} />
      </h2>
      {below === undefined ? null : (
        <div className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5 text-xs text-ink-3">{below}</div>
      )}
    </header>
    {children}
  </section>
)
