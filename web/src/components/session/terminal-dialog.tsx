import { useMutation } from '@tanstack/react-query'
import { client } from '../../lib/api'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { ErrorLine } from '../ui/error-card'
import { CommandLine } from '../ui/id-chip'
import type { KnownSession } from './use-session-data'

/** How to go on with the conversation in a terminal. */
export function TerminalDialog({ session, onClose }: { session: KnownSession; onClose(): void }) {
  const resume = useMutation({ mutationFn: () => client.sessions.resume(session.id) })
  const exact = resume.data?.interactive
  return (
    <Dialog title="Open in a terminal" onClose={onClose}>
      <div className="flex flex-col items-start gap-3 text-sm text-ink-2">
        <p>On the machine of Lodeline this opens the conversation in the agent’s own CLI, in its folder.</p>
        <CommandLine command={`lode session resume ${session.id}`} />
        {exact === undefined ? (
          <Button isBusy={resume.isPending} onClick={() => resume.mutate()}>
            Show the CLI’s own command
          </Button>
        ) : exact === null ? null : (
          <>
            <p>The same without Lodeline{exact.host === null ? '' : `, on ${exact.host}`}:</p>
            <CommandLine command={exact.line} />
          </>
        )}
        <ErrorLine error={resume.error} />
      </div>
    </Dialog>
  )
}
