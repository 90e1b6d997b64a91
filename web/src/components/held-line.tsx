import { Undo2 } from 'lucide-react'
import { type Held, takeBack } from '../lib/live/held-moves'
import { useNow } from '../lib/time'
import { Button } from './ui/button'
import { KeyHint } from './ui/key-hint'

/** The held move of a row, with an Undo button until it is sent. Empty if there is none. */
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
              —{' '}
              {held.isQueued === true ? (
                'sent after others'
              ) : (
                <>
                  sent <Countdown to={held.sendAt} />
                </>
              )}
            </span>
            <span className="sr-only">. It will be sent in a moment. You can undo it until then.</span>
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

/** Undoes a held move. */
export const UndoButton = ({ held: { move } }: { held: Held }) => (
  <Button look="quiet" icon={<Undo2 aria-hidden size={13} />} onClick={() => takeBack(move.key, move.batch)}>
    Undo <KeyHint keys="z" />
  </Button>
)

/** `in 4 s`. @param to  milliseconds since the epoch */
export function Countdown({ to }: { to: number }) {
  // The shared clock may lag by a second, which would show more time than there is.
  const left = Math.max(0, to - Math.max(useNow(), Date.now()))
  return <>in {Math.max(1, Math.ceil(left / 1_000))} s</>
}
