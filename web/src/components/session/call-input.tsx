import type { EventId } from '../../../../src/domain/ids'
import { visibleText } from '../../lib/visible-text'
import { CodeText, WholeText } from './whole-text'

interface CallInputProps {
  input: unknown
  event: EventId
  /** Its change of a file is shown as such beside it. */
  hasPatch: boolean
}

/** The input of a call, by the names of its fields. */
export function CallInput({ input, event, hasPatch }: CallInputProps) {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return <CodeText text={input === undefined ? '(no input)' : inJson(input)} />
  const fields = Object.entries(input).filter(([field]) => !hasPatch || !SHOWN_BY_PATCH.has(field))
  if (fields.length === 0) return null
  return (
    <dl className="grid grid-cols-[max-content_1fr] gap-x-3 gap-y-1 text-xs max-md:grid-cols-1 max-md:gap-y-0.5">
      {fields.map(([field, value]) => (
        <div key={field} className="contents">
          <dt className="text-ink-3">{visibleText(field.slice(0, 100))}</dt>
          <dd className="min-w-0">
            {typeof value === 'string' ? (
              <WholeText text={value} event={event} />
            ) : (
              <CodeText text={inJson(value).slice(0, 20_000)} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

const inJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? ''

/** Fields of tools that change files. */
const SHOWN_BY_PATCH = new Set(['file_path', 'old_string', 'new_string', 'content', 'edits'])
