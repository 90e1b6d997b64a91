import { useMutation } from '@tanstack/react-query'
import { Undo2 } from 'lucide-react'
import type { TaskId } from '../../../../src/domain/ids'
import { addressKind, type Message } from '../../../../src/domain/message'
import { MESSAGE_MOVES_FROM } from '../../../../src/domain/message-machine'
import { client } from '../../lib/api'
import { sessionPath, taskPath } from '../../lib/links'
import { useTaskMail } from '../../lib/task-queries'
import { exactTime } from '../../lib/time'
import { visibleText } from '../../lib/visible-text'
import { Link } from '../link'
import { AgentText } from '../ui/agent-text'
import { IconButton } from '../ui/button'
import { ErrorLine } from '../ui/error-card'
import { CommandLine, IdChip } from '../ui/id-chip'
import { Status } from '../ui/status'
import { When } from '../ui/when'
import { Folded } from './folded'
import { Section } from './section'
import { SendMessage } from './send-message'

/** Messages to the task, from it and about it, each with where it is on its way; and a field for one more. */
export function TaskMessages({ id, isLive }: { id: TaskId; isLive: boolean }) {
  const { data, error } = useTaskMail(id)
  return (
    <Section title="Messages" {...(data !== undefined && { count: data.messages.length })}>
      <SendMessage id={id} isLive={isLive} />
      <ErrorLine error={error} />
      <ul aria-label="Messages" className="flex flex-col">
        {data?.messages.map((message) => (
          <MessageItem key={message.id} message={message} own={id} />
        ))}
      </ul>
      {data?.isCut === true ? (
        <div className="flex flex-wrap items-center gap-2 pt-1 text-xs text-ink-3">
          There are older ones. <CommandLine command={`lode message list --to ${id} --all`} />
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
          evidence={message.evidence ?? (message.status === 'produced' ? 'it waits for a way to its receiver' : null)}
        />
        {message.route === null ? null : <span className="text-ink-3">by {message.route}</span>}
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
        {message.wantsReply ? <span className="text-need">wants an answer</span> : null}
        {message.replyTo === null ? null : (
          <span className="flex items-baseline text-ink-3">
            answers <IdChip id={message.replyTo} />
          </span>
        )}
        <span className="ml-auto flex items-center gap-1">
          <IdChip id={message.id} />
          {canWithdraw ? (
            <IconButton
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
          {message.isCut ? 'It was longer when it was given.' : ''}
          {message.fullAt === null ? null : <CommandLine command={visibleText(message.fullAt)} />}
        </div>
      ) : null}
      <Way message={message} />
      <ErrorLine error={withdraw.error} />
    </li>
  )
}

/** The steps that it has behind it, with their times, and what says so. */
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
