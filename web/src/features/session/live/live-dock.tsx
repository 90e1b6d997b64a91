import { useMutation } from '@tanstack/react-query'
import { CircleStop, OctagonPause, Play, Send } from 'lucide-react'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { MESSAGE_LIMITS } from '#domain/message/message'
import { Button } from '../../../components/ui/button'
import { ErrorLine } from '../../../components/ui/error-card'
import { TextArea } from '../../../components/ui/field'
import { client } from '../../../lib/api'
import { drop, keep, readKept } from '../../task/form/task-draft'
import type { KnownSession, SessionDetail } from '../page/use-session-data'
import { InterruptDialog } from './interrupt-dialog'
import { StopDialog } from './stop-dialog'
import { usePausedTask } from './use-paused-task'

interface LiveDockProps {
  session: KnownSession
  address: string
  worker: SessionDetail['worker']
}

/** Speaks to a working agent, and ends its turn or its run. */
export function LiveDock({ session, address, worker }: LiveDockProps) {
  const draft = `lodeline.session-message ${address}`
  const [text, setText] = useState(() => readKept(draft) ?? '')
  const [dialog, setDialog] = useState<'interrupt' | 'stop' | null>(null)
  const [stopped, setStopped] = useState<string | null>(null)
  const sending = useRef<{ text: string; key: string } | null>(null)
  const type = (next: string) => {
    setText(next)
    if (next === '') drop(draft)
    else keep(draft, next)
  }
  const send = useMutation({
    mutationFn: () => {
      // The same text that is tried again is one message.
      if (sending.current?.text !== text) sending.current = { text, key: crypto.randomUUID() }
      return client.messages.send({ to: address, text: text.trim() }, { idempotencyKey: sending.current.key })
    },
    onSuccess: () => {
      sending.current = null
      type('')
    },
  })
  const resume = useMutation({
    mutationFn: (task: string) => client.tasks.resume(task),
    onSuccess: () => setStopped(null),
  })
  const task = worker?.isLive ? worker.taskId : null
  const paused = usePausedTask(session.id, worker, stopped)
  const isSendable = text.trim() !== '' && text.length <= MESSAGE_LIMITS.text
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && event.target instanceof HTMLElement) event.target.blur()
    if (event.key !== 'Enter' || event.repeat || !(event.metaKey || event.ctrlKey)) return
    event.preventDefault()
    if (isSendable && !send.isPending) send.mutate()
  }
  if (task === null && paused !== null)
    return (
      <Dock>
        <p role="status" className="min-w-0 flex-1 text-sm text-ink-2">
          Stopped. Task {paused} is paused.
        </p>
        <ErrorLine error={resume.error} />
        <Button
          act="tasks.resume"
          look="main"
          icon={<Play aria-hidden size={13} />}
          isBusy={resume.isPending}
          onClick={() => resume.mutate(paused)}
        >
          Resume
        </Button>
      </Dock>
    )
  if (task === null && !['running', 'waiting', 'stuck'].includes(session.status)) return null
  return (
    <Dock>
      <div className="min-w-48 flex-1">
        <TextArea
          label="Message to the session"
          isLabelHidden
          placeholder="Message to the session"
          rows={text.includes('\n') || text.length > 80 ? 3 : 1}
          value={text}
          onChange={(event) => type(event.target.value)}
          onKeyDown={onKeyDown}
        />
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          act="messages.send"
          look="main"
          icon={<Send aria-hidden size={13} />}
          isBusy={send.isPending}
          disabled={!isSendable}
          title="The agent reads it at its next step (Ctrl+Enter)"
          onClick={() => send.mutate()}
        >
          Send
        </Button>
        {task === null ? null : (
          <>
            <Button
              act="tasks.input"
              icon={<OctagonPause aria-hidden size={13} />}
              title="Ends the turn; the agent goes on with your words"
              onClick={() => setDialog('interrupt')}
            >
              Interrupt …
            </Button>
            <Button
              act="tasks.pause"
              look="danger"
              icon={<CircleStop aria-hidden size={13} />}
              title="Pauses the task; Resume continues it"
              onClick={() => setDialog('stop')}
            >
              Stop …
            </Button>
          </>
        )}
      </div>
      <ErrorLine error={send.error} />
      <output aria-live="polite" className="sr-only">
        {send.isSuccess ? 'The message was sent.' : ''}
      </output>
      {dialog === 'interrupt' && task !== null ? (
        <InterruptDialog task={task} initial={text} onClose={() => setDialog(null)} />
      ) : null}
      {dialog === 'stop' && task !== null ? (
        <StopDialog
          task={task}
          onStopped={() => {
            setStopped(task)
            setDialog(null)
          }}
          onClose={() => setDialog(null)}
        />
      ) : null}
    </Dock>
  )
}

const Dock = ({ children }: { children: ReactNode }) => (
  <section
    aria-label="Speak to the agent"
    className="flex shrink-0 flex-wrap items-center gap-2 border-t border-line bg-panel px-4 py-2 max-md:px-3"
  >
    {children}
  </section>
)
