import { useMutation } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import type { TaskId } from '#domain/ids'
import { addressKind, type Message } from '#domain/message/message'
import { MESSAGE_MOVES_FROM } from '#domain/message/message-machine'
import { Link } from '../../../components/link'
import { May } from '../../../components/may'
import { AgentText } from '../../../components/ui/agent-text'
import { IconButton } from '../../../components/ui/button'
import { ErrorLine } from '../../../components/ui/error-card'
import { CommandLine, IdChip } from '../../../components/ui/id-chip'
import { Status } from '../../../components/ui/status'
import { When } from '../../../components/ui/when'
import { client } from '../../../lib/api'
import { sessionPath, taskPath } from '../../../lib/links'
import { exactTime } from '../../../lib/time'
import { visibleText } from '../../../lib/visible-text'
import { useTaskMail } from '../task-queries'
import { Folded } from './folded'
import { Section } from './section'
import { SendMessage } from './send-message'

/** Messages to, from and about the task with their delivery state, and a field for a new one. */
export function TaskMessages({ id, isLive }: { id: TaskId; isLive: boolean }) {
  const { data, error } = useTaskMail(id)
  return (
    <Section title="Messages" {...(data !== undefined && { count: data.messages.length })}>
      <May act="messages.send">
        <SendMessage id={id} isLive={isLive} />
      </May>
      <ErrorLine error={error} />
      <ul aria-label="Messages" className="flex flex-col">
        {data?.messages.map((message) => (
          <MessageItem key={message.id} message={message} own={id} />
        ))}
      </ul>
      {data?.isCut === true ? (
        <div className="flex flex-wrap items-center gap-2 pt-1 text-xs text-ink-3">
          To see older messages, run: <CommandLine command={`lode message list --to ${id} --all`} />
        </div>
      ) : null}
    </Section>
  )
}

function MessageItem({ message, own }: { message: Message; own: TaskId }) {
  const isTo = (message.to as string) === own
  const { from } = message
  const canWithdraw = MESSAGE_MOVES_FROM.withdraw.includes(message.status)
  const withdraw = useMutation({ mutationFn: () => client.messages.withdraw(message.id) })
  return (
    <li data-message={message.id} className="flex flex-col gap-0.5 border-t border-line py-2 last:pb-0">
      <div className="flex flex-wrap items-center gap-x-2 text-xs [&_a]:leading-6 [&_button]:min-h-6">
        <Status
          status={message.status}
          evidence={message.evidence ?? (message.status === 'produced' ? 'waiting for a route to its receiver' : null)}
        />
        {message.route === null ? null : <span className="text-ink-3">via {message.route}</span>}
        {message.kind === 'message' ? null : <b className="font-semibold">{message.kind}</b>}
        <span className="flex min-w-0 max-w-full items-baseline gap-1 text-ink-2">
          {isTo ? 'from ' : 'to '}
          {isTo ? <Party address={from.address} name={from.name} /> : <Party address={message.to} name={null} />}
          {isTo || (from.address as string | null) === own ? null : (
            <>
              {' from '}
              <Party address={from.address} name={from.name} />
            </>
          )}
        </span>
        {message.wantsReply ? <span className="text-need">reply requested</span> : null}
        {message.replyTo === null ? null : (
          <span className="flex items-baseline text-ink-3">
            reply to <IdChip id={message.replyTo} />
          </span>
        )}
        <span className="ml-auto flex items-center gap-1">
          <IdChip id={message.id} />
          {canWithdraw ? (
            <IconButton
              act="messages.withdraw"
              label="Withdraw this message"
              disabled={withdraw.isPending || withdraw.isSuccess}
              onClick={() => withdraw.mutate()}
            >
              <Undo2 aria-hidden size={13} />
            </IconButton>
          ) : null}
        </span>
      </div>
      <div className="text-sm">
        <Folded text={message.text} lines={8} characters={1_000}>
          {(shown) => <AgentText text={shown} />}
        </Folded>
      </div>
      {message.isCut || message.fullAt !== null ? (
        <div className="flex flex-wrap items-center gap-2 text-xs text-ink-3">
          {message.isCut ? 'This message was cut.' : ''}
          {message.fullAt === null ? null : <CommandLine command={visibleText(message.fullAt)} />}
        </div>
      ) : null}
      <Way message={message} />
      <ErrorLine error={withdraw.error} />
    </li>
  )
}

/** The delivery steps so far with their times, and the evidence. */
function Way({ message }: { message: Message }) {
  const { createdAt, queuedAt, deliveredAt, consumedAt, evidence } = message
  const steps: [string, string | null][] = [
    ['sent', createdAt],
    ['queued', queuedAt],
    ['delivered', deliveredAt],
    ['consumed', consumedAt],
  ]
  return (
    <p className="flex flex-wrap gap-x-1.5 text-2xs text-ink-3">
      {steps.map(([name, at], n) =>
        at === null ? null : (
          <span key={name} title={exactTime(at)}>
            {n === 0 ? '' : '› '}
            {name} <When at={at} />
          </span>
        ),
      )}
      {evidence === null ? null : (
        <span className="min-w-0">
          · <AgentText text={evidence} />
        </span>
      )}
    </p>
  )
}

function Party({ address, name }: { address: Message['to'] | null; name: string | null }) {
  const shown = visibleText(name === null || name === '' ? (address ?? 'somebody') : name.slice(0, 80))
  if (address === null) return <span>{shown}</span>
  const kind = addressKind(address)
  if (kind === 'agent') return <span>{shown}</span>
  return (
    <Link to={kind === 'task' ? taskPath(address) : sessionPath(address)} className="max-w-56 truncate">
      {shown}
    </Link>
  )
}
