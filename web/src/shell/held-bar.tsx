import { useEffect, useMemo } from 'react'
import { Countdown, UndoButton } from '../components/held-line'
import { ErrorLine } from '../components/ui/error-card'
import { type KeyBinding, useKeys } from '../lib/keys/keys'
import {
  type BatchState,
  canTakeBack,
  type Held,
  sendWhenLeaving,
  takeBack,
  useBatch,
  useHeldElsewhere,
} from '../lib/live/held-moves'
import { visibleText } from '../lib/visible-text'

/** Around every page: `z` undoes the last held move. The bar shows moves that were made on other pages, and what came of them. */
export function HeldBar() {
  const held = useHeldElsewhere()
  const batch = useBatch(held?.move.batch)
  useEffect(() => sendWhenLeaving(), [])
  useKeys(
    useMemo(
      (): KeyBinding[] => [
        {
          keys: 'z',
          label: 'undo the last change that was not sent yet',
          group: 'Everywhere',
          isPossible: () => canTakeBack(),
          // Holding the key undoes one move, not all. It also works while shortcuts are paused.
          run: ({ repeat }) => repeat || takeBack(),
        },
      ],
      [],
    ),
  )
  return (
    <div role="status" className="pointer-events-none fixed inset-x-0 bottom-16 z-40 flex justify-center px-3">
      {held === null ? null : (
        <div
          data-testid="held-bar"
          data-held={held.kind}
          className="pointer-events-auto flex max-w-2xl flex-wrap items-center gap-x-3 gap-y-1 rounded border border-line bg-panel px-3 py-1.5 text-sm shadow-pop"
        >
          <span className="min-w-0">
            {batch === null || batch.total < 2 ? <Words held={held} /> : <BatchWords held={held} batch={batch} />}
          </span>
          {held.kind === 'waiting' || leftOf(batch) > 0 ? <UndoButton held={held} /> : null}
          {held.kind === 'failed' ? <ErrorLine error={held.error} /> : null}
        </div>
      )}
    </div>
  )
}

function Words({ held }: { held: Held }) {
  const { said, about } = held.move
  const name = `“${visibleText(about).slice(0, 80)}”`
  switch (held.kind) {
    case 'waiting':
      return (
        <>
          <b className="font-semibold">{said}</b>: {name}
          <span aria-hidden className="text-ink-2">
            {' '}
            — sent <Countdown to={held.sendAt} />
          </span>
        </>
      )
    case 'sending':
      return `${said}: ${name} — sending`
    case 'sent':
      return `${said}: ${name} — sent`
    case 'undone':
      return `Undone: ${name}. Nothing was sent.`
    case 'overtaken':
      return `${name} was ${held.by}. Nothing was sent from here.`
    case 'failed':
      return `Failed: ${said}, ${name}`
  }
}

const leftOf = (batch: BatchState | null): number =>
  batch === null ? 0 : batch.total - batch.sent - batch.failed - batch.undone - batch.overtaken

/** How many of the moves that were made together are sent. */
function BatchWords({ held, batch }: { held: Held; batch: BatchState }) {
  const { said } = held.move
  const [total, sent, failed, undone, overtaken] = (['total', 'sent', 'failed', 'undone', 'overtaken'] as const).map(
    (name) => batch[name].toLocaleString('en'),
  )
  const isBegun = held.kind === 'sending' || batch.sent + batch.failed > 0
  if (batch.undone > 0 && leftOf(batch) === 0)
    return `Undone: ${undone} of ${total}. ${isBegun ? `${sent} had been sent.` : 'Nothing was sent.'}`
  if (held.kind === 'waiting' && !isBegun)
    return (
      <>
        <b className="font-semibold">{said}</b>: {total} together
        <span aria-hidden className="text-ink-2">
          {' '}
          — sent <Countdown to={held.sendAt} />
        </span>
      </>
    )
  return (
    <>
      <b className="font-semibold">{said}</b>: {sent} of {total} sent
      {batch.failed === 0 ? '' : `, ${failed} failed`}
      {batch.overtaken === 0 ? '' : `, ${overtaken} done elsewhere`}
    </>
  )
}
