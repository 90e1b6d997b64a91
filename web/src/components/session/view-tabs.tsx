import type { SessionPlace, SessionView } from '../../lib/session-search'
import type { SessionDetail } from './use-session-data'

interface ViewTabsProps {
  view: SessionView
  /** What is counted, once it is known. */
  detail: SessionDetail | undefined
  onMove(change: Partial<SessionPlace>): void
}

/** What of the session is shown. On a wide page what stands beside the conversation is always there. */
export function ViewTabs({ view, detail, onMove }: ViewTabsProps) {
  const todos = detail?.todos.filter(({ status }) => status !== 'removed') ?? []
  const done = todos.filter(({ status }) => status === 'completed').length
  const agents = detail === undefined ? 0 : detail.subagents.length + detail.backgroundTasks.length
  const beside = [
    ...(todos.length > 0 ? [`${done}/${todos.length} done`] : []),
    ...(agents > 0 ? [`${agents} agents`] : []),
  ]
  const tabs: [SessionView, string, string][] = [
    ['conversation', 'Conversation', ''],
    ['timeline', 'Timeline', ''],
    ['beside', beside.length === 0 ? 'Beside it' : beside.join(', '), 'lg:hidden'],
  ]
  return (
    <nav aria-label="Parts of the session" className="flex shrink-0 gap-4 border-b border-line px-4 max-md:px-3">
      {tabs.map(([name, words, look]) => {
        const isHere = view === name || (view === 'beside' && name === 'conversation')
        return (
          <button
            key={name}
            type="button"
            aria-current={view === name ? 'page' : undefined}
            onClick={() => onMove({ view: name })}
            className={`h-7 border-b-2 text-xs max-md:h-10 ${look} ${view === name ? 'border-accent font-medium text-ink' : isHere ? 'border-transparent text-ink-2 lg:border-accent lg:font-medium lg:text-ink' : 'border-transparent text-ink-2 hover:text-ink'}`}
          >
            {words}
          </button>
        )
      })}
    </nav>
  )
}
