import { useMutation } from '@tanstack/react-query'
import { Button } from '../../../components/ui/button'
import { Dialog } from '../../../components/ui/dialog'
import { ErrorLine } from '../../../components/ui/error-card'
import { CommandLine } from '../../../components/ui/id-chip'
import { client } from '../../../lib/api'
import type { KnownSession } from './use-session-data'

/** Shows how to continue the conversation in a terminal. */
export function TerminalDialog({ session, onClose }: { session: KnownSession; onClose(): void }) {
  const resume = useMutation({ mutationFn: () => client.sessions.resume(session.id) })
  const exact = resume.data?.interactive
  return (
    <Dialog title="Open in a terminal" onClose={onClose}>
      <div className="flex flex-col items-start gap-3 text-sm text-ink-2">
        <p>On the Lodeline host, this command opens the conversation in the agent CLI, in the right folder:</p>
        <CommandLine command={`lode session resume ${session.id}`} />
        {exact === undefined ? (
          <Button act="sessions.resume" isBusy={resume.isPending} onClick={() => resume.mutate()}>
            Show the agent CLI’s own command
          </Button>
        ) : exact === null ? null : (
          <>
            <p>The command without Lodeline{exact.host === null ? '' : `, on ${exact.host}`}:</p>
            <CommandLine command={exact.line} />
          </>
        )}
        <ErrorLine error={resume.error} />
      </div>
    </Dialog>
  )
}
