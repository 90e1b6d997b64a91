import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import type { TaskId } from '../../../../src/domain/ids'
import { client } from '../../lib/api'
import { type KeyBinding, useKeys } from '../../lib/keys'
import { drop, keep, readKept } from '../../lib/task-draft'
import { type TaskMail, withMessages } from '../../lib/task-queries'
import { Button } from '../ui/button'
import { ErrorLine } from '../ui/error-card'
import { TextArea } from '../ui/field'
import { KeyHint } from '../ui/key-hint'
import { Tick } from '../ui/tick'
import { isDialogOpen } from './dialog-open'

/** The element that holds the field. */
const MESSAGE_FIELD = 'message-to-task'

/** Puts the cursor into it. */
export const focusMessage = (): void => document.getElementById(MESSAGE_FIELD)?.querySelector('textarea')?.focus()

/** Says something to a task. What the server makes of it stands in the list below at once. */
export function SendMessage({ id, isLive }: { id: TaskId; isLive: boolean }) {
  const draft = `lodeline.message ${id}`
  const [text, setText] = useState(() => readKept(draft) ?? '')
  const [wantsReply, setWantsReply] = useState(false)
  const sending = useRef<{ request: string; key: string } | null>(null)
  const queries = useQueryClient()
  const send = useMutation({
    mutationFn: () => {
      const request = { to: id, text, ...(wantsReply && { wantsReply }) }
      const words = JSON.stringify(request)
      if (sending.current?.request !== words) sending.current = { request: words, key: crypto.randomUUID() }
      return client.messages.send(request, { idempotencyKey: sending.current.key })
    },
    onSuccess: ({ message }) => {
      queries.setQueryData<TaskMail>(
        ['messages', id],
        (mail) => mail && { ...mail, messages: withMessages(mail.messages, [message]) },
      )
      sending.current = null
      type('')
      setWantsReply(false)
    },
  })
  const type = (next: string) => {
    setText(next)
    if (next === '') drop(draft)
    else keep(draft, next)
  }
  const isEmpty = text.trim() === ''
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur()
    if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    if (!isEmpty && !send.isPending) send.mutate()
  }
  useKeys(
    useMemo(
      (): KeyBinding[] => [
        {
          keys: 'm',
          label: 'write a message to it',
          group: 'This task',
          run: () => (isDialogOpen() ? false : focusMessage()),
        },
      ],
      [],
    ),
  )
  return (
    <div id={MESSAGE_FIELD} className="flex flex-col gap-1.5 pb-2">
      <TextArea
        label="Message to the task"
        isLabelHidden
        placeholder="Say something to it"
        rows={isEmpty ? 1 : 3}
        value={text}
        onChange={(event) => type(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {isEmpty && send.error === null ? null : (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <Button
            look="main"
            icon={<Send aria-hidden size={13} />}
            isBusy={send.isPending}
            disabled={isEmpty}
            onClick={() => send.mutate()}
          >
            {send.isPending ? 'Sending' : 'Send'} <KeyHint keys="Mod+Enter" />
          </Button>
          <Tick label="I want an answer" is={wantsReply} onIs={setWantsReply} isSmall />
          <span className="text-xs text-ink-3">
            {isLive
              ? 'It is at work, and gets this beside its next step.'
              : 'Nobody is at work on it: this waits at its address until somebody is.'}
          </span>
          <ErrorLine error={send.error} />
        </div>
      )}
    </div>
  )
}
