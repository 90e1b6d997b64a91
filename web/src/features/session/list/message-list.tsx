import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import type { Answers } from '#api/contract/operations/index'
import { AgentText } from '../../../components/ui/agent-text'
import { IconButton } from '../../../components/ui/button'
import { ErrorLine } from '../../../components/ui/error-card'
import { Status } from '../../../components/ui/status'
import { When } from '../../../components/ui/when'
import { client } from '../../../lib/api'
import { visibleText } from '../../../lib/visible-text'

export type Message = Answers['messages']['list']['messages'][number]

/** Characters of a message that are shown. */
const SHOWN_CHARACTERS = 400

/** Messages with their delivery state. */
export function MessageList({ messages }: { messages: readonly Message[] }) {
  return (
    <ul className="flex flex-col">
      {messages.map((message) => (
        <MessageItem key={message.id} message={message} />
      ))}
    </ul>
  )
}

function MessageItem({ message }: { message: Message }) {
  const queries = useQueryClient()
  const withdraw = useMutation({
    mutationFn: () => client.messages.withdraw(message.id),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['messages'] }),
  })
  const at = message.consumedAt ?? message.deliveredAt ?? message.queuedAt ?? message.createdAt
  const text = message.text.slice(0, SHOWN_CHARACTERS)
  return (
    <li className="flex flex-col gap-0.5 border-t border-line py-1.5 text-sm">
      <span className="flex items-center gap-2 text-xs text-ink-3">
        <Status
          // No carrier has taken it yet: people call that queued.
          status={message.status === 'produced' ? 'queued' : message.status}
          evidence={message.evidence ?? (message.route === null ? 'waiting for a route' : `via ${message.route}`)}
        />
        <When at={at} />
        <span className="truncate">from {visibleText(message.from.name)}</span>
        {message.status === 'produced' ? (
          <span className="ml-auto">
            <IconButton
              act="messages.withdraw"
              label="Withdraw this message"
              onClick={() => withdraw.mutate()}
              disabled={withdraw.isPending}
            >
              <Undo2 aria-hidden size={13} />
            </IconButton>
          </span>
        ) : null}
      </span>
      <AgentText text={message.text.length > SHOWN_CHARACTERS ? `${text} …` : text} />
      {message.status === 'produced' ? <WhyWaiting id={message.id} /> : null}
      <ErrorLine error={withdraw.error} />
    </li>
  )
}

/** Why the message is not delivered yet, and what the person can do. */
function WhyWaiting({ id }: { id: Message['id'] }) {
  const { data } = useQuery({ queryKey: ['messages', 'wait', id], queryFn: () => client.messages.get(id) })
  return data?.waits ? <p className="text-xs text-ink-3">{data.waits}</p> : null
}
