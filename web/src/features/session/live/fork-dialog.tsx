import { GitFork } from 'lucide-react'
import type { SessionId } from '#domain/ids'
import { TASK_LIMITS } from '#domain/task/task-limits'
import { Dialog } from '../../../components/ui/dialog'
import { WordsForm } from '../../../components/words-form'
import { client } from '../../../lib/api'
import { taskPath, useGo } from '../../../lib/links'
import type { ForkPoint } from '../page/session-context'

/** A worker continues in a copy of the conversation that ends at a line. */
export function ForkDialog({ id, at, onClose }: { id: SessionId; at: ForkPoint; onClose(): void }) {
  const go = useGo()
  return (
    <Dialog title={at.isCompaction ? 'Continue from before this compaction' : 'Fork from here'} onClose={onClose}>
      <WordsForm
        label="Message to the agent"
        hint={`A worker continues in a copy that ends with the last turn that was finished ${
          at.isCompaction ? 'before the compaction' : 'at this line'
        }, or within the first turn with its last answered call. This session stays as it is. Changes in files stay, too. The answer appears on the task’s page.`}
        limit={TASK_LIMITS.text}
        button={{ label: 'Fork', icon: <GitFork aria-hidden size={13} /> }}
        send={async (text, idempotencyKey) => {
          const { task } = await client.sessions.resume(
            id,
            { asTask: true, exact: true, forkAt: at.event, text },
            { idempotencyKey },
          )
          onClose()
          if (task !== null) go(taskPath(task.id))
        }}
      />
    </Dialog>
  )
}
