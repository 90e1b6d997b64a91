import { useState } from 'react'
import { AgentText } from '../../../components/ui/agent-text'
import { callFields } from '../../../lib/call-words'
import { withLocalTimes } from '../../../lib/time'
import { visibleText } from '../../../lib/visible-text'
import type { Need } from '../needs'

/** Longer texts are folded: lines, and characters. */
const MAX_LINES = 6
const MAX_CHARACTERS = 480

/** The question or failure in its own words; a call with each of its fields. */
export function NeedText({ need }: { need: Need }) {
  const { question, text } = need
  if (question !== null) {
    // The call's description is shown above.
    const fields = callFields(question.input).filter(({ text: value }) => value !== question.description)
    return (
      <div className="flex flex-col gap-1 rounded bg-sunken px-2.5 py-1.5">
        <p className="text-xs text-ink-3">
          Wants to call <b className="font-semibold text-ink">{visibleText(question.toolName)}</b>
          {question.description === null ? null : (
            <>
              : <AgentText text={question.description} />
            </>
          )}
        </p>
        {fields.length === 0 ? null : (
          <dl className="flex flex-col gap-1">
            {fields.map(({ name, text: value }) => (
              <div key={name} className="min-w-0">
                <dt className={fields.length === 1 ? 'sr-only' : 'text-2xs text-ink-3'}>{visibleText(name)}</dt>
                <dd className="font-mono text-xs">
                  <Folded text={value} />
                </dd>
              </div>
            ))}
          </dl>
        )}
        {question.isCut ? (
          <p className="text-xs text-ink-3">The input was cut because it is too long to keep here.</p>
        ) : null}
      </div>
    )
  }
  if (text.trim() === '') return null
  return (
    <blockquote className="border-l-2 border-line-strong pl-2.5 text-sm text-ink-2">
      <Folded text={need.kind === 'untaken' ? withLocalTimes(text) : text} />
    </blockquote>
  )
}

/** A text whose end is folded if it is long. */
function Folded({ text }: { text: string }) {
  const [isOpen, setOpen] = useState(false)
  const lines = text.split('\n')
  const isLong = lines.length > MAX_LINES || text.length > MAX_CHARACTERS
  const shown = !isLong || isOpen ? text : lines.slice(0, MAX_LINES).join('\n').slice(0, MAX_CHARACTERS)
  return (
    <>
      <AgentText text={shown} />
      {isLong ? (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="ml-1 rounded-sm px-1 font-sans text-xs text-accent underline underline-offset-2"
        >
          {isOpen ? 'Show less' : 'Show all'}
        </button>
      ) : null}
    </>
  )
}
