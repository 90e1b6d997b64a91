import { useMutation } from '@tanstack/react-query'
import { Eye, EyeOff } from 'lucide-react'
import type { EventId } from '#domain/ids'
import { ErrorLine } from '../../../components/ui/error-card'
import { client } from '../../../lib/api'
import { useSession } from '../page/session-context'
import { ContentView } from '../rows/content-view'

interface HiddenSecretsProps {
  id: EventId
  /** Texts that the row shows. */
  texts: readonly (string | null | undefined)[]
}

/** What a mask begins with. */
const MASK = '[secret: '

/**
 * Below a row that shows a mask: a button that asks the server for the line with its secrets. What comes is in no cache; it is gone when
 * it is hidden, or the row leaves the page.
 */
export function HiddenSecrets({ id, texts }: HiddenSecretsProps) {
  const session = useSession()
  const asked = useMutation({
    mutationFn: () => client.sessions.content(session.id, id, { reveal: true }),
    gcTime: 0,
  })
  if (!texts.some((text) => text?.includes(MASK))) return null
  const isShown = asked.data !== undefined
  const Icon = isShown ? EyeOff : Eye
  return (
    <div className="mt-0.5">
      <button
        type="button"
        disabled={asked.isPending}
        onClick={() => (isShown ? asked.reset() : asked.mutate())}
        title={isShown ? undefined : 'The audit log gets a line that you looked.'}
        className="inline-flex items-center gap-1 text-xs text-accent hover:underline max-md:min-h-9"
      >
        <Icon aria-hidden size={13} />
        {isShown ? 'Hide secrets' : 'Show secrets'}
      </button>
      {isShown ? (
        <div className="border-l border-need pl-3">
          <ContentView content={asked.data} />
        </div>
      ) : null}
      <ErrorLine error={asked.error} />
    </div>
  )
}
