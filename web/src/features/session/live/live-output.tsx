import { useLayoutEffect, useRef } from 'react'
import type { SessionId } from '#domain/ids'
import { AgentText } from '../../../components/ui/agent-text'
import { visibleText } from '../../../lib/visible-text'
import { useLive } from './use-live'

/** A distance to the end below this counts as being at the end. Pixels. */
const NEAR_END_PX = 30

/** What the agent is writing and what its shells give out, until the conversation has it. Nothing while there is nothing. */
export function LiveOutput({ id, isOn }: { id: SessionId | null; isOn: boolean }) {
  const { data } = useLive(id, isOn)
  const scroller = useRef<HTMLElement>(null)
  const isAtEnd = useRef(true)
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each answer
  useLayoutEffect(() => {
    if (isAtEnd.current && scroller.current !== null) scroller.current.scrollTop = scroller.current.scrollHeight
  }, [data])
  if (!isOn || data === undefined) return null
  const { words, isCut, outputs, shells } = data
  const shown = [
    ...outputs.map(({ toolUseId, toolName, ...output }) => ({
      key: toolUseId,
      name: `Output of ${toolName ?? 'a call'}`,
      ...output,
    })),
    ...shells.map(({ id: key, description, ...output }) => ({ key, name: description ?? `Shell ${key}`, ...output })),
  ]
  if (words === '' && shown.length === 0) return null
  return (
    <section
      ref={scroller}
      aria-label="Live"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls by keys
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < NEAR_END_PX
      }}
      className="scrolls max-h-[40%] shrink-0 border-t border-line bg-sunken px-4 py-2 text-sm focus-visible:outline-offset-[-2px] max-md:px-3"
    >
      {words === '' ? null : (
        <div className="border-l-2 border-run pl-2">
          <h2 className="text-2xs font-medium text-ink-3">Writing now</h2>
          <AgentText text={(isCut ? '… ' : '') + words} className="wrap-anywhere" />
        </div>
      )}
      {shown.map(({ key, name, text, isCut: isShort }) => (
        <div key={key} className="pt-1">
          <h2 className="text-2xs font-medium text-ink-3">{visibleText(name)}</h2>
          <pre className="font-mono text-xs whitespace-pre-wrap wrap-anywhere text-ink-2">
            {visibleText(text === '' ? 'No output yet.' : (isShort ? '…\n' : '') + text)}
          </pre>
        </div>
      ))}
    </section>
  )
}
