import { Undo2 } from 'lucide-react'
import { type Held, takeBack } from '../lib/held-moves'
import { useNow } from '../lib/time'
import { Button } from './ui/button'
import { KeyHint } from './ui/key-hint'

/** What was done to the thing of this row, and the way to take it back while it is not sent. Nothing where nothing was. */
export function HeldLine({ held }: { held: Held | null }) {
  return (
    <output aria-live="polite" className="inline-flex min-h-7 items-center gap-2 text-xs empty:hidden">
      {held === null ? null : <Told held={held} />}
    </output>
  )
}

function Told({ held }: { held: Held }) {
  const { kind, move } = held
  switch (kind) {
    case 'waiting':
      return (
        <>
          <span data-held="waiting">
            <b className="font-semibold">{move.said}</b>
            <span aria-hidden className="text-ink-2">
              {' '}
              — sent <Countdown to={held.sendAt} />
            </span>
            <span className="sr-only">. It is sent in a moment, and can be taken back until then.</span>
          </span>
          <UndoButton held={held} />
        </>
      )
    case 'sending':
    case 'sent':
      return (
        <span data-held={kind}>
          <b className="font-semibold">{move.said}</b>
          <span className="text-ink-2"> — {kind === 'sent' ? 'sent' : 'sending'}</span>
        </span>
      )
    default:
      return null
  }
}

export const UndoButton = ({ held: { move } }: { held: Held }) => (
  <Button look="quiet" icon={<Undo2 aria-hidden size={13} />} onClick={() => takeBack(move.key)}>
    Undo <KeyHint keys="z" />
  </Button>
)

/** @param to  milliseconds since the epoch */
export function Countdown({ to }: { to: number }) {
  // The shared clock ticks once a second: what is left is never told as more than it was at first.
  const left = Math.max(0, to - Math.max(useNow(), Date.now()))
  return <>in {Math.max(1, Math.ceil(left / 1_000))} s</>
}
