import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { HeldLine } from '../../components/held-line'
import { Link } from '../../components/link'
import { May } from '../../components/may'
import { Button } from '../../components/ui/button'
import { Dialog } from '../../components/ui/dialog'
import { Loading } from '../../components/ui/empty'
import { ErrorCard, ErrorLine } from '../../components/ui/error-card'
import { IdChip } from '../../components/ui/id-chip'
import { Status } from '../../components/ui/status'
import { When } from '../../components/ui/when'
import { client } from '../../lib/api'
import { taskPath } from '../../lib/links'
import { errorOf, hold, useHeld } from '../../lib/live/held-moves'
import { consentMove } from '../../lib/person-moves'
import { visibleText } from '../../lib/visible-text'
import { Choices } from '../task/form/choices'
import { DelegateForm } from './delegate-form'
import { atWork, type InboxRequest, type InboxTask } from './inbox-words'
import { ReplyForm } from './reply-form'
import { RequestThread } from './request-thread'

/** A request from outside: its text, its tasks and replies, and its actions. */
export function RequestDialog({ id, onClose }: { id: string; onClose(): void }) {
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['inbox', id],
    queryFn: ({ signal }) => client.inbox.get(id, { signal }),
  })
  const tell = (message: InboxRequest) => queries.setQueryData(['inbox', id], { message })
  const close = useMutation({
    mutationFn: () => client.inbox.close(id),
    onSuccess: ({ message }) => {
      tell(message)
      onClose()
    },
  })
  const request = data?.message
  return (
    <Dialog
      title={request === undefined ? 'Request' : `Request from ${visibleText(request.sender.slice(0, 100))}`}
      onClose={onClose}
      isWide
      foot={
        request === undefined || request.status === 'closed' ? null : (
          <>
            <ErrorLine error={close.error} />
            <Button
              act="inbox.close"
              icon={<Check aria-hidden size={14} />}
              isBusy={close.isPending}
              onClick={() => close.mutate()}
            >
              Close request
            </Button>
          </>
        )
      }
    >
      {error === null ? null : <ErrorCard error={error} onRetry={() => void refetch()} />}
      {request === undefined ? (
        error === null ? (
          <Loading what="Reading the request" />
        ) : null
      ) : (
        <div data-testid="inbox-request" className="flex flex-col gap-3">
          <Facts request={request} />
          <RequestThread request={request} />
          {request.status === 'closed' ? (
            <p className="text-sm text-ink-3">This request is closed.</p>
          ) : (
            <May act="inbox.reply">
              <Moves request={request} onDone={tell} />
            </May>
          )}
        </div>
      )}
    </Dialog>
  )
}

function Facts({ request }: { request: InboxRequest }) {
  const { status, source, receivedAt, threadKey, id } = request
  return (
    <p className="flex flex-wrap items-baseline gap-x-2.5 gap-y-0.5 text-xs text-ink-3">
      <Status status={status} />
      <span>via {visibleText(source)}</span>
      <When at={receivedAt} />
      {threadKey === null ? null : <span>thread {visibleText(threadKey)}</span>}
      <IdChip id={id} />
    </p>
  )
}

/** A task of the request that begins when the person consents. */
function Consent({ task: { taskId, title } }: { task: InboxTask }) {
  const held = useHeld(`consent:${taskId}`)
  const isDone = held !== null && held.kind !== 'failed' && held.kind !== 'undone'
  return (
    <div className="flex flex-col gap-2">
      <p className="text-sm text-ink-2">
        <Link to={taskPath(taskId)} className="text-accent underline">
          {taskId}
        </Link>{' '}
        waits for your consent. It was made of a stranger's text: read it first.
      </p>
      <ErrorLine error={errorOf(held)} />
      <div className="flex flex-wrap items-center gap-2">
        <Button
          act="tasks.deploy"
          look="main"
          icon={<Check aria-hidden size={14} />}
          isBusy={isDone}
          onClick={() => hold(consentMove(taskId, title))}
        >
          Consent
        </Button>
        <HeldLine held={held} />
      </div>
    </div>
  )
}

type Move = 'delegate' | 'reply'
const MOVES: readonly (readonly [Move, string])[] = [
  ['delegate', 'delegate'],
  ['reply', 'reply'],
]

function Moves({ request, onDone }: { request: InboxRequest; onDone(message: InboxRequest): void }) {
  const working = atWork(request)
  const [move, setMove] = useState<Move>(
    working?.status === 'backlog' || (working === null && request.status === 'new') ? 'delegate' : 'reply',
  )
  const frame = (children: ReactNode) => (
    <div className="flex flex-col gap-3 border-t border-line pt-3">
      <div className="self-start max-sm:self-stretch">
        <Choices label="Action" choices={MOVES} chosen={move} onChoose={(next) => setMove(next ?? 'delegate')} />
      </div>
      {children}
    </div>
  )
  if (move === 'reply') return frame(<ReplyForm request={request} onDone={onDone} />)
  if (working === null) return frame(<DelegateForm request={request} onDone={onDone} />)
  if (working.status === 'backlog') return frame(<Consent task={working} />)
  return frame(
    <p className="text-sm text-ink-2">
      <Link to={taskPath(working.taskId)} className="text-accent underline">
        {working.taskId}
      </Link>{' '}
      is working on this request. You can delegate it again when that task has ended.
    </p>,
  )
}
