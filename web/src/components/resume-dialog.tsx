import { useMutation } from '@tanstack/react-query'
import { Play } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { client } from '../lib/api'
import { taskPath, useGo } from '../lib/links'
import { Button } from './ui/button'
import { Dialog } from './ui/dialog'
import { ErrorLine } from './ui/error-card'
import { TextArea } from './ui/field'
import { CommandLine } from './ui/id-chip'

/** What an agent is told that was cut short, unless the person says something else. */
const GO_ON =
  'You were interrupted in the middle of your work. Look at what is done already, then go on from there until it is finished.'

interface ResumeDialogProps {
  sessionId: string
  /** What a person types to go on in a terminal; `null` = it is not known. */
  command: string | null
  onClose(): void
}

/** Goes on with a conversation that nobody is in: a task resumes it, and a worker takes that. */
export function ResumeDialog({ sessionId, command, onClose }: ResumeDialogProps) {
  const [text, setText] = useState(GO_ON)
  const go = useGo()
  const resume = useMutation({
    mutationFn: () => client.sessions.resume(sessionId, { asTask: true, text: text.trim() }),
    onSuccess: ({ task }) => {
      onClose()
      if (task !== null) go(taskPath(task.id))
    },
  })
  const isSendable = text.trim() !== ''
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isSendable && !resume.isPending) resume.mutate()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event)
  }
  return (
    <Dialog title="Resume as a task" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextArea
          label="What the agent is told"
          value={text}
          rows={4}
          autoFocus
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          hint="A worker goes on in the same conversation and folder."
        />
        <div className="flex flex-wrap items-center gap-3">
          <Button
            type="submit"
            look="main"
            icon={<Play aria-hidden size={13} />}
            isBusy={resume.isPending}
            disabled={!isSendable}
          >
            Resume
          </Button>
          <ErrorLine error={resume.error} />
        </div>
      </form>
      {command === null ? null : (
        <div className="flex flex-wrap items-center gap-2 pt-3 text-xs text-ink-3">
          Or in a terminal: <CommandLine command={command} />
        </div>
      )}
    </Dialog>
  )
}
