import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import type { ResponseOf } from '../../../../src/api/contract/responses'
import { client } from '../../lib/api'
import { visibleText } from '../../lib/visible-text'
import { AgentText } from '../ui/agent-text'
import { IconButton } from '../ui/button'
import { ErrorLine } from '../ui/error-card'
import { Status } from '../ui/status'
import { When } from '../ui/when'

export type Message = ResponseOf<'messages.list'>['messages'][number]

const SHOWN_CHARACTERS = 400

/** Messages with where each is on its way. */
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
          // Nobody took it up yet: for a person it is queued.
          status={message.status === 'produced' ? 'queued' : message.status}
          evidence={message.evidence ?? (message.route === null ? 'it waits for a way' : `by ${message.route}`)}
        />
        <When at={at} />
        <span className="truncate">from {visibleText(message.from.name)}</span>
        {message.status === 'produced' ? (
          <span className="ml-auto">
            <IconButton label="Take it back" onClick={() => withdraw.mutate()} disabled={withdraw.isPending}>
              <Undo2 aria-hidden size={13} />
            </IconButton>
          </span>
        ) : null}
      </span>
      <AgentText text={message.text.length > SHOWN_CHARACTERS ? `${text} …` : text} />
      <ErrorLine error={withdraw.error} />
    </li>
  )
}
