import { useEffect, useState } from 'react'
import { GROUP_NAMES, SPANS, type Span, type StatusGroup, type TreeSearch } from '../../lib/tree-search'
import { Select, TextField } from '../ui/field'

const GROUP_WORDS: Record<StatusGroup, string> = {
  running: 'Running',
  needs: 'Needs you',
  blocked: 'Waiting or paused',
  failed: 'Failed or lost',
  done: 'Over',
}
const SPAN_WORDS: Record<Span, string> = { '1h': 'Last hour', '24h': 'Last day', '7d': 'Last week' }

/** Filters of the tree. What is typed counts after a moment. */
export function TreeFilters({ search, onChange }: { search: TreeSearch; onChange(change: TreeSearch): void }) {
  const [text, setText] = useState(search.q ?? '')
  useEffect(() => {
    if (text === (search.q ?? '')) return
    const timer = setTimeout(() => onChange({ ...search, q: text }), 200)
    return () => clearTimeout(timer)
  }, [text, search, onChange])
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <div className="w-44 max-md:w-full">
        <TextField
          label="Filter by title"
          isLabelHidden
          type="search"
          placeholder="Filter by title"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <div className="w-40 max-md:flex-1">
        <Select
          label="Status"
          isLabelHidden
          value={search.status ?? ''}
          onChange={(event) => onChange({ ...search, status: GROUP_NAMES.find((name) => name === event.target.value) })}
        >
          <option value="">Any status</option>
          {GROUP_NAMES.map((name) => (
            <option key={name} value={name}>
              {GROUP_WORDS[name]}
            </option>
          ))}
        </Select>
      </div>
      <div className="w-32 max-md:flex-1">
        <Select
          label="Heard of"
          isLabelHidden
          value={search.span ?? ''}
          onChange={(event) =>
            onChange({ ...search, span: (Object.keys(SPANS) as Span[]).find((name) => name === event.target.value) })
          }
        >
          <option value="">Any time</option>
          {(Object.keys(SPANS) as Span[]).map((name) => (
            <option key={name} value={name}>
              {SPAN_WORDS[name]}
            </option>
          ))}
        </Select>
      </div>
    </div>
  )
}
