import { useMutation } from '@tanstack/react-query'
import { ListPlus } from 'lucide-react'
import { type FormEvent, useRef, useState } from 'react'
import { Button } from '../../components/ui/button'
import { ErrorLine } from '../../components/ui/error-card'
import { TextArea, TextField } from '../../components/ui/field'
import { client } from '../../lib/api'
import { visibleText } from '../../lib/visible-text'
import { earlierTask, type InboxRequest } from './inbox-words'

interface DelegateFormProps {
  request: InboxRequest
  onDone(message: InboxRequest): void
}

/** Creates a task from a request. The person writes the instructions; the request is quoted below them. */
export function DelegateForm({ request, onDone }: DelegateFormProps) {
  const [task, setTask] = useState('')
  const [dir, setDir] = useState('')
  const [goesOn, setGoesOn] = useState<boolean | null>(null)
  const earlier = earlierTask(request)
  const isChosen = earlier === null || goesOn !== null
  // A continued conversation stays in its folder.
  const hasPlace = goesOn === true || dir.trim() !== ''
  // A retry after a lost response creates no second task.
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
        label="Instructions"
        rows={3}
        value={task}
        onChange={(event) => setTask(event.target.value)}
        hint="The agent follows these instructions. The request is quoted below them and gives no permissions."
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
            “{visibleText(earlier.title)}” worked on this thread before
          </legend>
          <Choice name="Continue its conversation" isOn={goesOn === true} onChoose={() => setGoesOn(true)} />
          <Choice name="Start a new conversation" isOn={goesOn === false} onChoose={() => setGoesOn(false)} />
        </fieldset>
      )}
      <ErrorLine error={delegate.error} />
      <div>
        <Button
          act="inbox.delegate"
          type="submit"
          look="main"
          icon={<ListPlus aria-hidden size={14} />}
          isBusy={delegate.isPending}
          disabled={task.trim() === '' || !isChosen || !hasPlace}
        >
          Create task
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
