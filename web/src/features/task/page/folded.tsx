import { type ReactNode, useState } from 'react'

interface FoldedProps {
  text: string
  lines?: number
  characters?: number
  children(shown: string): ReactNode
}

/** A text whose end is folded if it is long. */
export function Folded({ text, lines = 12, characters = 1_600, children }: FoldedProps) {
  const [isOpen, setOpen] = useState(false)
  const all = text.split('\n')
  const isLong = all.length > lines || text.length > characters
  const shown = !isLong || isOpen ? text : all.slice(0, lines).join('\n').slice(0, characters)
  return (
    <>
      {children(shown)}
      {isLong ? (
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => setOpen(!isOpen)}
          className="mt-1 block rounded-sm text-xs text-accent underline underline-offset-2 max-md:min-h-9"
        >
          {isOpen ? 'Show less' : `Show all (${foldedWords(all.length, text.length)})`}
        </button>
      ) : null}
    </>
  )
}

const foldedWords = (lines: number, characters: number): string =>
  lines > 1 ? `${lines.toLocaleString('en')} lines` : `${characters.toLocaleString('en')} characters`
