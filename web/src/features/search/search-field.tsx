import { Search } from 'lucide-react'
import { type KeyboardEvent, type RefObject, useEffect } from 'react'
import { useTyped } from '../../lib/typed'

interface SearchFieldProps {
  value: string
  onType(text: string): void
  /** Called on Down and Enter, to go to the results. */
  onDown(): void
  field: RefObject<HTMLInputElement | null>
}

/** The search text; focused if it is empty. */
export function SearchField({ value, onType, onDown, field }: SearchFieldProps) {
  const [typed, setTyped] = useTyped(value, onType)
  // With a text, the person came for the results; without one, they want to type.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the page opens
  useEffect(() => {
    if (value === '') field.current?.focus()
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'ArrowDown' && event.key !== 'Enter') return
    event.preventDefault()
    if (typed.trim() === value) onDown()
    else onType(typed)
  }
  return (
    <label className="flex h-9 min-w-0 flex-1 items-center gap-2 rounded border border-line-strong bg-canvas px-2.5 focus-within:outline-2 focus-within:outline-focus max-md:h-10">
      <Search aria-hidden size={14} className="shrink-0 text-ink-3" />
      <span className="sr-only">Search for</span>
      <input
        ref={field}
        type="search"
        autoComplete="off"
        spellCheck={false}
        placeholder="Words, “a phrase”, begin*, or an ID"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-full min-w-0 flex-1 bg-transparent text-sm outline-none placeholder:text-ink-3"
      />
    </label>
  )
}
