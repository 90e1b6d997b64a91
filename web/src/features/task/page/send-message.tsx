import { useMutation, useQueryClient } from '@tanstack/react-query'
import { OctagonPause, Send } from 'lucide-react'
import { type KeyboardEvent, useMemo, useRef, useState } from 'react'
import type { TaskId } from '#domain/ids'
import { Button } from '../../../components/ui/button'
import { ErrorLine } from '../../../components/ui/error-card'
import { TextArea } from '../../../components/ui/field'
import { KeyHint } from '../../../components/ui/key-hint'
import { Tick } from '../../../components/ui/tick'
import { client } from '../../../lib/api'
import { type KeyBinding, useKeys } from '../../../lib/keys/keys'
import { InterruptDialog } from '../../session/live/interrupt-dialog'
import { isDialogOpen } from '../form/dialog-open'
import { drop, keep, readKept } from '../form/task-draft'
import { type TaskMail, withMessages } from '../task-queries'

/** ID of the element around the field. */
const MESSAGE_FIELD = 'message-to-task'

/** Focuses the field. */
export const focusMessage = (): void => document.getElementById(MESSAGE_FIELD)?.querySelector('textarea')?.focus()

/** Sends a message to a task. It appears in the list below at once. */
export function SendMessage({ id, isLive }: { id: TaskId; isLive: boolean }) {
  const draft = `lodeline.message ${id}`
  const [text, setText] = useState(() => readKept(draft) ?? '')
  const [isInterrupting, setInterrupting] = useState(false)
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
          act: 'messages.send',
          label: 'write a message to the task',
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
        placeholder="Write a message to the task"
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
          {isLive ? (
            <Button
              act="tasks.input"
              icon={<OctagonPause aria-hidden size={13} />}
              title="Ends the turn; the agent goes on with your words"
              onClick={() => setInterrupting(true)}
            >
              Interrupt …
            </Button>
          ) : null}
          {isInterrupting ? <InterruptDialog task={id} initial={text} onClose={() => setInterrupting(false)} /> : null}
          <Tick label="Ask for a reply" is={wantsReply} onIs={setWantsReply} isSmall />
          <span className="text-xs text-ink-3">
            {isLive
              ? 'The task is running. Its agent receives this at its next step.'
              : 'The task is not running. This message waits until it is.'}
          </span>
          <ErrorLine error={send.error} />
        </div>
      )}
    </div>
  )
}
