import { Play } from 'lucide-react'
import { TASK_LIMITS } from '#domain/task/task-limits'
import { Dialog } from '../../../components/ui/dialog'
import { CommandLine } from '../../../components/ui/id-chip'
import { WordsForm } from '../../../components/words-form'
import { client } from '../../../lib/api'
import { taskPath, useGo } from '../../../lib/links'

/** Default message to an interrupted agent. */
const RESUME_MESSAGE =
  'You were interrupted in the middle of your work. Check what is already done, then continue until the work is finished.'

interface ResumeDialogProps {
  sessionId: string
  /** Command that continues in a terminal; `null` if it is not known. */
  command: string | null
  onClose(): void
}

/** Resumes a conversation that has no process, by a task for a worker. */
export function ResumeDialog({ sessionId, command, onClose }: ResumeDialogProps) {
  const go = useGo()
  const send = async (text: string, idempotencyKey: string) => {
    const { task } = await client.sessions.resume(sessionId, { asTask: true, text }, { idempotencyKey })
    onClose()
    if (task !== null) go(taskPath(task.id))
  }
  return (
    <Dialog title="Resume as a task" onClose={onClose}>
      <WordsForm
        label="Message to the agent"
        initial={RESUME_MESSAGE}
        hint="A worker continues the same conversation in the same folder. The answer appears on the task’s page."
        limit={TASK_LIMITS.text}
        button={{ label: 'Resume', icon: <Play aria-hidden size={13} /> }}
        send={send}
      />
      {command === null ? null : (
        <div className="flex flex-col gap-1 pt-4 text-xs text-ink-3">
          Or continue it yourself in a terminal:
          <CommandLine command={command} />
        </div>
      )}
    </Dialog>
  )
}
