import { useMutation } from '@tanstack/react-query'
import { ListPlus } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { client } from '../../lib/api'
import { earlierTask, type InboxRequest } from '../../lib/inbox-words'
import { visibleText } from '../../lib/visible-text'
import { Button } from '../ui/button'
import { ErrorLine } from '../ui/error-card'
import { TextArea, TextField } from '../ui/field'

interface DelegateFormProps {
  request: InboxRequest
  onDone(message: InboxRequest): void
}

/** Makes a task of a request. What the agent is to do are the person's own words; the request goes with them, quoted. */
export function DelegateForm({ request, onDone }: DelegateFormProps) {
  const [task, setTask] = useState('')
  const [dir, setDir] = useState('')
  const [goesOn, setGoesOn] = useState<boolean | null>(null)
  const earlier = earlierTask(request)
  const isChosen = earlier === null || goesOn !== null
  // Who goes on in an earlier conversation is in its folder.
  const hasPlace = goesOn === true || dir.trim() !== ''
  // Sent again after a lost answer it is the same task.
  const key = useRef<{ words: string; key: string } | null>(null)
  const delegate = useMutation({
    mutationFn: () => {
      const input = {
        task,
        ...(dir.trim() !== '' && { dir: dir.trim() }),
        ...(earlier !== null && { parentTaskId: goesOn === true ? earlier.taskId : null }),
      }
      const words = JSON.stringify(input)
      if (key.current?.words !== words) key.current = { words, key: crypto.randomUUID() }
      return client.inbox.delegate(request.id, input, { idempotencyKey: key.current.key })
    },
    onSuccess: ({ message }) => onDone(message),
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (task.trim() !== '' && isChosen && hasPlace) delegate.mutate()
  }
  return (
    <form onSubmit={submit} className="flex flex-col gap-2.5">
      <TextArea
        label="What is to be done"
        rows={3}
        value={task}
        onChange={(event) => setTask(event.target.value)}
        hint="Your words are the task. The request stands below them as a quote, and grants nothing."
      />
      <TextField
        label="Folder"
        placeholder={goesOn === true ? "the earlier task's" : '/home/you/project'}
        value={dir}
        onChange={(event) => setDir(event.target.value)}
        className="font-mono"
      />
      {earlier === null ? null : (
        <fieldset className="flex flex-col gap-1 text-sm">
          <legend className="pb-1 text-xs font-medium text-ink-2">
            {visibleText(earlier.title)} worked in this thread before
          </legend>
          <Choice name="go on in its conversation" isOn={goesOn === true} onChoose={() => setGoesOn(true)} />
          <Choice name="begin anew" isOn={goesOn === false} onChoose={() => setGoesOn(false)} />
        </fieldset>
      )}
      <ErrorLine error={delegate.error} />
      <div>
        <Button
          type="submit"
          look="main"
          icon={<ListPlus aria-hidden size={14} />}
          isBusy={delegate.isPending}
          disabled={task.trim() === '' || !isChosen || !hasPlace}
        >
          Make a task of it
        </Button>
      </div>
    </form>
  )
}

const Choice = ({ name, isOn, onChoose }: { name: string; isOn: boolean; onChoose(): void }) => (
  <label className="flex items-center gap-2 max-md:min-h-9">
    <input type="radio" name="continuity" checked={isOn} onChange={onChoose} className="accent-accent" />
    {name}
  </label>
)
