import { counted } from '../../../lib/format'
import type { SessionPlace, SessionView } from './session-search'
import type { SessionDetail } from './use-session-data'

interface ViewTabsProps {
  view: SessionView
  /** For counts; undefined until it is loaded. */
  detail: SessionDetail | undefined
  onMove(change: Partial<SessionPlace>): void
}

/** Switches between views of the session. On wide pages the column beside the conversation is always visible. */
export function ViewTabs({ view, detail, onMove }: ViewTabsProps) {
  const todos = detail?.todos.filter(({ status }) => status !== 'removed') ?? []
  const done = todos.filter(({ status }) => status === 'completed').length
  const agents = detail?.agentCount ?? 0
  const beside = [
    ...(todos.length > 0 ? [`${done}/${todos.length} done`] : []),
    ...(agents > 0 ? [counted(agents, 'sub-agent')] : []),
  ]
  const tabs: [SessionView, string, string][] = [
    ['conversation', 'Conversation', ''],
    ['changes', 'Changes', ''],
    ['timeline', 'Timeline', ''],
    ['beside', beside.length === 0 ? 'Details' : beside.join(', '), 'lg:hidden'],
  ]
  return (
    <nav aria-label="Views of the session" className="flex shrink-0 gap-4 border-b border-line px-4 max-md:px-3">
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
