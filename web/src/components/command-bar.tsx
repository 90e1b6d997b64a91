import { CornerDownLeft } from 'lucide-react'
import { type KeyboardEvent, useId, useState } from 'react'
import { useGo } from '../lib/links'
import { placeOfId } from '../lib/place-of-id'
import { PLACES } from './places'
import { Dialog } from './ui/dialog'
import { KeyHint } from './ui/key-hint'

interface Choice {
  id: string
  label: string
  hint?: string
  run(): void
}

/** Go somewhere, open what an id names, search. */
export function CommandBar({ onClose, onKeys }: { onClose(): void; onKeys(): void }) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const go = useGo()
  const listId = useId()
  const visit = (to: string) => () => {
    onClose()
    go(to)
  }
  const choices = choicesFor(text, visit, onKeys)
  const current = choices[Math.min(at, choices.length - 1)]

  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) {
      event.preventDefault()
      setAt((now) => (Math.min(now, choices.length - 1) + step + choices.length) % choices.length)
    }
    if (event.key === 'Enter') {
      event.preventDefault()
      current?.run()
    }
  }

  return (
    <Dialog title="Find or do" onClose={onClose} isBare>
      <input
        role="combobox"
        aria-label="Find or do"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={current === undefined ? undefined : `${listId}-${current.id}`}
        autoFocus
        autoComplete="off"
        spellCheck={false}
        placeholder="Paste an id, name a place, or search"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={onKeyDown}
        className="h-11 w-full border-b border-line bg-transparent px-4 text-base outline-none placeholder:text-ink-3"
      />
      <div role="listbox" id={listId} aria-label="Choices" className="max-h-[50vh] overflow-y-auto p-1">
        {choices.map((choice) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys act on the field above
          <div
            key={choice.id}
            id={`${listId}-${choice.id}`}
            role="option"
            aria-selected={choice === current}
            onClick={choice.run}
            className={`flex h-8 cursor-pointer items-center gap-2 rounded px-3 text-sm max-md:h-10 ${choice === current ? 'bg-hover' : 'hover:bg-hover'}`}
          >
            <span className="truncate">{choice.label}</span>
            <span className="ml-auto flex items-center gap-2 text-xs text-ink-3">
              {choice.hint === undefined ? null : <KeyHint keys={choice.hint} />}
              {choice === current ? <CornerDownLeft aria-hidden size={13} /> : null}
            </span>
          </div>
        ))}
      </div>
    </Dialog>
  )
}

function choicesFor(text: string, visit: (to: string) => () => void, onKeys: () => void): Choice[] {
  const wanted = text.trim().toLowerCase()
  const place = placeOfId(text)
  const found: Choice[] = []
  if (place !== null) found.push({ id: 'id', label: `Open ${text.trim()}`, run: visit(place) })
  for (const { path, name, key } of PLACES)
    if (name.toLowerCase().includes(wanted))
      found.push({ id: `place-${key}`, label: `Go to ${name}`, hint: `g ${key}`, run: visit(path) })
  if (wanted !== '')
    found.push({
      id: 'search',
      label: `Search for “${text.trim()}”`,
      run: visit(`/search?q=${encodeURIComponent(text.trim())}`),
    })
  if ('keys'.includes(wanted)) found.push({ id: 'keys', label: 'Show all keys', hint: '?', run: onKeys })
  return found
}
