import { Check, Copy } from 'lucide-react'
import { useState } from 'react'
import { copyText } from '../../lib/clipboard'
import { visibleText } from '../../lib/visible-text'

interface IdChipProps {
  /** The full ID, as the CLI takes it. */
  id: string
  /** The displayed part. Default: session IDs are cut after eight characters, which the CLI accepts too. */
  shown?: string
  /** Characters that there is room for. A longer ID shows its end: the beginning is the same in a whole project. */
  room?: number
}

/** An ID that is copied with one click. */
export function IdChip({ id, room, shown = shownPart(id, room) }: IdChipProps) {
  const [isCopied, setCopied] = useState(false)
  async function copy() {
    if (!(await copyText(id))) return
    setCopied(true)
    setTimeout(() => setCopied(false), 1_500)
  }
  return (
    <button
      type="button"
      onClick={(event) => {
        event.preventDefault()
        event.stopPropagation()
        void copy()
      }}
      title={`Copy ${visibleText(id)}`}
      aria-label={`Copy ID ${visibleText(id)}`}
      className="group relative inline-flex max-w-full items-center rounded-sm px-1 font-mono text-2xs text-ink-3 hover:bg-hover hover:text-ink"
    >
      <span className="truncate">{visibleText(shown)}</span>
      {/* Over the end of the ID: room of its own would be a gap in every line. */}
      <span
        aria-hidden
        className={`absolute inset-y-0 right-0 flex items-center rounded-sm bg-hover px-0.5 ${isCopied ? '' : 'opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100'}`}
      >
        {isCopied ? <Check size={11} className="text-done" /> : <Copy size={11} />}
      </span>
      <span className="sr-only" aria-live="polite">
        {isCopied ? 'copied' : ''}
      </span>
    </button>
  )
}

/** The displayed part of an ID. */
function shownPart(id: string, room: number | undefined): string {
  if (/^[0-9a-f]{8}-[0-9a-f]{4}-/.test(id)) return id.slice(0, 8)
  return room === undefined || id.length <= room ? id : `…${id.slice(1 - room)}`
}

/** A terminal command with a button that copies it. */
export function CommandLine({ command }: { command: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle')
  async function copy() {
    setState((await copyText(command)) ? 'copied' : 'refused')
    setTimeout(() => setState('idle'), 2_000)
  }
  return (
    <span className="inline-flex max-w-full items-center gap-1 rounded border border-line bg-sunken pl-2">
      <code className="truncate font-mono text-xs select-all">{command}</code>
      <button
        type="button"
        onClick={() => void copy()}
        aria-label={`Copy command: ${command}`}
        className="inline-flex h-6 shrink-0 items-center gap-1 whitespace-nowrap rounded px-1.5 text-2xs text-ink-2 hover:bg-hover hover:text-ink"
      >
        {state === 'copied' ? <Check aria-hidden size={12} /> : <Copy aria-hidden size={12} />}
        <span aria-live="polite">{state === 'copied' ? 'copied' : state === 'refused' ? 'select it' : 'copy'}</span>
      </button>
    </span>
  )
}
