import type { EventId } from '#domain/ids'
import { visibleText } from '../../../lib/visible-text'
import { CodeText, WholeText } from './whole-text'

interface CallInputProps {
  input: unknown
  event: EventId
  /** Whether its file change is shown as a patch beside it. */
  hasPatch: boolean
}

/** The input of a call, field by field. */
export function CallInput({ input, event, hasPatch }: CallInputProps) {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return <CodeText text={input === undefined ? '(no input)' : inJson(input)} />
  const fields = Object.entries(input).filter(([field]) => !hasPatch || !FIELDS_IN_PATCH.has(field))
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
              <CodeText text={inJson(value).slice(0, MAX_JSON_CHARACTERS)} />
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}

/** Characters of a field's JSON that are shown. */
const MAX_JSON_CHARACTERS = 20_000

const inJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? ''

/** Input fields that a patch already shows. */
const FIELDS_IN_PATCH = new Set(['file_path', 'old_string', 'new_string', 'content', 'edits'])
