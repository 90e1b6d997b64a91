import type { EventId } from '../../../../src/domain/ids'
import { visibleText } from '../../lib/visible-text'
import { Patch } from './patch'
import { CodeText, WholeText } from './whole-text'

/** The input of a call: what it would change as a change, all else by the names of its fields. */
export function CallInput({ name, input, event }: { name: string; input: unknown; event: EventId }) {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    return <CodeText text={input === undefined ? '(no input)' : inJson(input)} />
  const change = changeOf(name, input)
  const fields = Object.entries(input).filter(([field]) => !change?.fields.has(field))
  return (
    <div className="flex flex-col gap-1.5">
      {fields.length === 0 ? null : (
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
      )}
      {change === null ? null : <Patch path={change.path} hunks={[change]} />}
    </div>
  )
}

const inJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? ''

interface Change {
  path: string
  oldStart: number
  newStart: number
  lines: string[]
  fields: ReadonlySet<string>
}

const LINES = 5_000

/** An edit says which text goes and which comes, without a place: as lines, it is read like any other change. */
function changeOf(name: string, input: object): Change | null {
  const field = (key: string): string | null => {
    const value: unknown = Object.entries(input).find(([one]) => one === key)?.[1]
    return typeof value === 'string' ? value : null
  }
  const path = field('file_path')
  if (path === null) return null
  const [before, after] = name === 'Write' ? ['', field('content')] : [field('old_string'), field('new_string')]
  if (before === null || after === null) return null
  const lines = [...(before === '' ? [] : before.split('\n').map((line) => `-${line}`))]
  lines.push(...after.split('\n').map((line) => `+${line}`))
  const shown = name === 'Write' ? ['file_path', 'content'] : ['file_path', 'old_string', 'new_string']
  return { path, oldStart: 1, newStart: 1, lines: lines.slice(0, LINES), fields: new Set(shown) }
}
