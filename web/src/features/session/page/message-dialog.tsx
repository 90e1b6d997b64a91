import { useQueryClient } from '@tanstack/react-query'
import { Send } from 'lucide-react'
import { MESSAGE_LIMITS } from '#domain/message/message'
import { Dialog } from '../../../components/ui/dialog'
import { ErrorLine } from '../../../components/ui/error-card'
import { WordsForm } from '../../../components/words-form'
import { client } from '../../../lib/api'
import { MessageList } from '../list/message-list'
import { type SessionDetail, useSessionMessages } from './use-session-data'

interface MessageDialogProps {
  session: NonNullable<SessionDetail['session']>
  address: string
  worker: SessionDetail['worker']
  onClose(): void
}

/** Sends a message to the session, and shows the earlier ones with their delivery state. */
export function MessageDialog({ session, address, worker, onClose }: MessageDialogProps) {
  const queries = useQueryClient()
  const messages = useSessionMessages(session.id, { address, worker })
  const send = async (text: string, idempotencyKey: string) => {
    await client.messages.send({ to: address, text }, { idempotencyKey })
    await queries.invalidateQueries({ queryKey: ['messages'] })
  }
  return (
    <Dialog title="Message to the session" onClose={onClose}>
      <WordsForm
        label="Text"
        hint={
          session.status === 'running'
            ? 'The agent receives it at its next step.'
            : 'It waits until somebody continues the conversation.'
        }
        limit={MESSAGE_LIMITS.text}
        button={{ label: 'Send', icon: <Send aria-hidden size={13} /> }}
        send={send}
      />
      <div aria-live="polite" className="pt-3">
        <MessageList messages={messages.data ?? []} />
        <ErrorLine error={messages.error} />
      </div>
    </Dialog>
  )
}
