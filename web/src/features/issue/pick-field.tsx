import { Check } from 'lucide-react'
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react'
import { visibleText } from '../../lib/visible-text'

/** What can be picked. */
export interface Offer {
  word: string
  text: string
  /** Whether it is so now. */
  isOn: boolean
}

interface PickFieldProps {
  label: string
  offers: readonly Offer[]
  /** How a word that is not offered is. */
  newText(word: string): string
  onPick(word: string): void
}

/** Offers that are shown. */
const MOST_SHOWN = 200

/** A list of words that typing narrows. A word that is not in it can be picked too. */
export function PickField({ label, offers, newText, onPick }: PickFieldProps) {
  const [typed, setTyped] = useState('')
  const [moved, setMoved] = useState<number | null>(null)
  const listId = useId()
  const list = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  useEffect(() => field.current?.focus(), [])
  const shown = offersFor(typed, offers, newText)
  // What it is now, so that Enter alone changes nothing; the best match where something is typed.
  const first =
    typed.trim() === ''
      ? Math.max(
          0,
          shown.findIndex(({ isOn }) => isOn),
        )
      : 0
  const at = Math.min(moved ?? first, shown.length - 1)
  useEffect(() => {
    list.current?.children[at]?.scrollIntoView({ block: 'nearest' })
  }, [at])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0 && event.key !== 'Enter') return
    event.preventDefault()
    const offer = shown[at]
    if (step !== 0) setMoved((at + step + shown.length) % Math.max(1, shown.length))
    else if (offer !== undefined) onPick(offer.word)
  }
  return (
    <>
      <input
        role="combobox"
        aria-label={label}
        aria-expanded={shown.length > 0}
        aria-controls={listId}
        aria-activedescendant={shown.length === 0 ? undefined : `${listId}-${at}`}
        ref={field}
        autoComplete="off"
        spellCheck={false}
        placeholder={label}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value)
          setMoved(null)
        }}
        onKeyDown={onKeyDown}
        className="h-8 w-full rounded border border-line-strong bg-canvas px-2 text-sm placeholder:text-ink-3 max-md:h-10"
      />
      <div ref={list} role="listbox" id={listId} aria-label={label} className="mt-2 max-h-72 overflow-y-auto">
        {shown.map(({ word, text, isOn }, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: keys act on the field above
          <div
            key={`${word} ${text}`}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            aria-checked={isOn}
            onClick={() => onPick(word)}
            className={`flex min-h-7.5 cursor-pointer items-center gap-2 rounded px-2 text-sm max-md:min-h-10 ${index === at ? 'bg-hover' : 'hover:bg-hover'}`}
          >
            <Check aria-hidden size={14} className={`shrink-0 text-accent ${isOn ? '' : 'invisible'}`} />
            <span className="truncate">{visibleText(text)}</span>
          </div>
        ))}
      </div>
    </>
  )
}

/** The offers that have what is typed, those that begin with it first; then what is typed, if it is none of them. */
export function offersFor(typed: string, offers: readonly Offer[], newText: (word: string) => string): Offer[] {
  const word = typed.trim()
  const lower = word.toLowerCase()
  const fit = offers.filter(({ text }) => text.toLowerCase().includes(lower))
  const begins = ({ text }: Offer) => Number(!text.toLowerCase().startsWith(lower))
  const shown = fit.toSorted((a, b) => begins(a) - begins(b)).slice(0, MOST_SHOWN)
  const isNew = word !== '' && offers.every((offer) => offer.word !== word)
  return isNew ? [...shown, { word, text: newText(word), isOn: false }] : shown
}
