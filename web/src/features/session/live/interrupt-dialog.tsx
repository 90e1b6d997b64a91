import { OctagonPause } from 'lucide-react'
import { TASK_LIMITS } from '#domain/task/task-limits'
import { Dialog } from '../../../components/ui/dialog'
import { WordsForm } from '../../../components/words-form'
import { client } from '../../../lib/api'

/** Ends the turn of a live run: the agent goes on with these words. @param initial  what was typed already */
export function InterruptDialog({ task, initial = '', onClose }: { task: string; initial?: string; onClose(): void }) {
  return (
    <Dialog title="Interrupt the turn" onClose={onClose}>
      <WordsForm
        label="What to do instead"
        initial={initial}
        hint="The turn ends now, in the middle of what it does. Then the agent reads your words and goes on. This cannot be undone."
        limit={TASK_LIMITS.text}
        button={{ label: 'Interrupt', icon: <OctagonPause aria-hidden size={13} /> }}
        send={async (text) => {
          await client.tasks.input(task, { text, urgency: 'now' })
          onClose()
        }}
      />
    </Dialog>
  )
}
