import { RefreshCw } from 'lucide-react'
import { isAppError } from '#domain/errors'
import { visibleText } from '../../lib/visible-text'
import { Button } from './button'

/** The error's message. It may quote what a person pasted or an agent wrote. */
const wordsOf = (error: unknown): string => visibleText(error instanceof Error ? error.message : String(error))

/** What went wrong and what to do about it, in the server's words. */
export function ErrorCard({ error, onRetry }: { error: unknown; onRetry?: () => void }) {
  const message = wordsOf(error)
  const hint = isAppError(error) && error.hint !== undefined ? visibleText(error.hint) : undefined
  return (
    <div role="alert" className="m-3 flex flex-col items-start gap-2 rounded border border-line px-3 py-2.5 tint-fail">
      <p className="text-sm font-medium text-fail">{message}</p>
      {hint === undefined ? null : <p className="text-sm text-ink-2">{hint}</p>}
      {onRetry === undefined ? null : (
        <Button icon={<RefreshCw aria-hidden size={13} />} onClick={onRetry}>
          Try again
        </Button>
      )}
    </div>
  )
}

/** The same on one line, beside the button that was used. */
export function ErrorLine({ error }: { error: unknown }) {
  if (error === null || error === undefined) return null
  const message = wordsOf(error)
  const hint = isAppError(error) && error.hint !== undefined ? ` ${visibleText(error.hint)}` : ''
  return (
    <p role="alert" className="text-xs text-fail">
      {message}
      {hint}
    </p>
  )
}
