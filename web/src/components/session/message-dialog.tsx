import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { MESSAGE_LIMITS } from '../../../../src/domain/message'
import { client } from '../../lib/api'
import { Button } from '../ui/button'
import { Dialog } from '../ui/dialog'
import { ErrorLine } from '../ui/error-card'
import { TextArea } from '../ui/field'
import { MessageList } from './message-list'
import { type SessionDetail, useSessionMessages } from './use-session-data'

interface MessageDialogProps {
  session: NonNullable<SessionDetail['session']>
  address: string
  onClose(): void
}

/** Says something to the session, and shows what became of what was said before. */
export function MessageDialog({ session, address, onClose }: MessageDialogProps) {
  const [text, setText] = useState('')
  const queries = useQueryClient()
  const messages = useSessionMessages(session.id, address)
  const send = useMutation({
    mutationFn: () => client.messages.send({ to: address, text }),
    onSuccess: () => {
      setText('')
      return queries.invalidateQueries({ queryKey: ['messages'] })
    },
  })
  const isSendable = text.trim() !== '' && text.length <= MESSAGE_LIMITS.text
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (isSendable && !send.isPending) send.mutate()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) submit(event)
  }
  return (
    <Dialog title="Message to the session" onClose={onClose}>
      <form onSubmit={submit} className="flex flex-col gap-3">
        <TextArea
          label="Text"
          value={text}
          rows={4}
          autoFocus
          onChange={(event) => setText(event.target.value)}
          onKeyDown={onKeyDown}
          hint={
            session.status === 'running'
              ? 'The agent gets it at its next step.'
              : 'It waits until the agent works again, or somebody goes on with the conversation.'
          }
          problem={text.length > MESSAGE_LIMITS.text ? `At most ${MESSAGE_LIMITS.text} characters.` : null}
        />
        <div className="flex items-center gap-3">
          <Button
            type="submit"
            look="main"
            icon={<Send aria-hidden size={13} />}
            isBusy={send.isPending}
            disabled={!isSendable}
          >
            Send
          </Button>
          <ErrorLine error={send.error} />
        </div>
      </form>
      <div aria-live="polite" className="pt-3">
        <MessageList messages={messages.data?.messages ?? []} />
        <ErrorLine error={messages.error} />
      </div>
    </Dialog>
  )
}
