import { useEffect, useRef } from 'react'

/** How long a note is shown. Milliseconds. */
const NOTE_MS = 4_000

/** The outcome of a command that shows nothing itself. */
export function Note({ text, onEnd }: { text: string; onEnd(): void }) {
  const end = useRef(onEnd)
  end.current = onEnd
  useEffect(() => {
    if (text === '') return
    const timer = setTimeout(() => end.current(), NOTE_MS)
    return () => clearTimeout(timer)
  }, [text])
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-16 z-40 flex justify-center px-3">
      {text === '' ? null : (
        <span className="rounded border border-line bg-panel px-3 py-1.5 text-sm shadow-pop">{text}</span>
      )}
    </div>
  )
}
