import { useMemo } from 'react'
import { Link } from '../../components/link'
import { KeyHint } from '../../components/ui/key-hint'
import { type KeyBinding, useKeys } from '../../lib/keys/keys'
import { useGo } from '../../lib/links'
import { HOME_TABS, type HomeTab, withAgent } from './home-search'

const WORDS: Record<HomeTab, string> = {
  needs: 'Needs you',
  running: 'Running',
  finished: 'Finished',
  digest: 'Since you left',
}

const tabPath = (tab: HomeTab, agent: string | undefined): string => withAgent(tab === 'needs' ? {} : { tab }, agent)

/** The lists of Home with how many each has. They stay in view while a list scrolls. */
export function HomeTabs({
  tab,
  counts,
  agent,
}: {
  tab: HomeTab
  counts: Partial<Record<HomeTab, number>>
  agent: string | undefined
}) {
  const go = useGo()
  useKeys(
    useMemo(
      () =>
        HOME_TABS.map(
          (name, n): KeyBinding => ({
            keys: `g ${n + 1}`,
            label: `show “${WORDS[name]}”`,
            group: 'Home',
            run: () => go(tabPath(name, agent)),
          }),
        ),
      [go, agent],
    ),
  )
  return (
    <nav
      aria-label="Lists of Home"
      className="flex shrink-0 gap-1 overflow-x-auto border-b border-line px-3 max-md:px-1"
    >
      {HOME_TABS.map((name, n) => {
        const count = counts[name]
        return (
          <Link
            key={name}
            to={tabPath(name, agent)}
            aria-current={name === tab ? 'page' : undefined}
            className="flex h-9 shrink-0 items-center gap-1.5 border-b-2 border-transparent px-2 text-sm whitespace-nowrap text-ink-2 hover:text-ink hover:no-underline aria-[current=page]:border-accent aria-[current=page]:font-semibold aria-[current=page]:text-ink max-md:h-11"
          >
            {WORDS[name]}
            {count === undefined ? null : (
              <span
                data-testid={`count-${name}`}
                className={`rounded-sm px-1 text-xs ${name === 'needs' && count > 0 ? 'font-semibold text-need tint-need' : 'text-ink-3'}`}
              >
                {count.toLocaleString('en')}
              </span>
            )}
            {/* Where the tabs would not fit with it, the list of shortcuts has it. */}
            <span className="max-lg:hidden">
              <KeyHint keys={`g ${n + 1}`} />
            </span>
          </Link>
        )
      })}
    </nav>
  )
}
