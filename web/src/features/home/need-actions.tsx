import { Check, Eye, Play, RotateCcw, X } from 'lucide-react'
import { useState } from 'react'
import { HeldLine } from '../../components/held-line'
import { Button } from '../../components/ui/button'
import { TextField } from '../../components/ui/field'
import { CommandLine } from '../../components/ui/id-chip'
import { KeyHint } from '../../components/ui/key-hint'
import { relativeTime, useNow } from '../../lib/time'
import type { Need } from './needs'
import type { NeedMoves } from './use-need-moves'

/** Whether a new task can resume the conversation. A lost task is resumed by its own next attempt instead. */
export const isResumable = ({ kind, taskId, sessionId }: Need): boolean =>
  kind === 'lost' && taskId === null && sessionId !== null

/** Whether a task made of a request from outside waits for the person's consent. */
export const isConsentable = ({ kind, taskId }: Need): boolean => kind === 'request' && taskId !== null

interface NeedActionsProps {
  need: Need
  moves: NeedMoves
  /** The need has just appeared under the shortcuts and the pointer, so they are paused. */
  isResting: boolean
  onResume(): void
}

/** Actions on a need, without leaving the list. */
export function NeedActions({ need, moves, isResting, onResume }: NeedActionsProps) {
  // A pressed button stays in place, so that a double click hits nothing else.
  const isBusy = moves.isDone || isResting
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {need.question === null ? null : <Answers need={need} moves={moves} isBusy={isBusy} />}
      {isConsentable(need) ? (
        <Button
          act="tasks.deploy"
          look="main"
          icon={<Check aria-hidden size={13} />}
          isBusy={isBusy}
          onClick={() => moves.move({ kind: 'consent' })}
        >
          Consent <KeyHint keys="a" />
        </Button>
      ) : null}
      {need.kind === 'failure' && need.taskId !== null ? (
        <Button
          act="tasks.retry"
          look="main"
          icon={<RotateCcw aria-hidden size={13} />}
          isBusy={isBusy}
          onClick={() => moves.move({ kind: 'retry' })}
        >
          Retry <KeyHint keys="r" />
        </Button>
      ) : null}
      {isResumable(need) ? (
        <Button act="sessions.resume" look="main" icon={<Play aria-hidden size={13} />} onClick={onResume}>
          Resume <KeyHint keys="r" />
        </Button>
      ) : null}
      {need.kind === 'unread' && need.subagentId !== null ? (
        <Button
          act="subagents.markRead"
          icon={<Eye aria-hidden size={13} />}
          isBusy={isBusy}
          onClick={() => moves.move({ kind: 'read' })}
        >
          Mark as read
        </Button>
      ) : null}
      {need.command === null ? null : (
        <span className="min-w-0 max-md:order-last max-md:w-full">
          <CommandLine command={need.command} />
        </span>
      )}
      {need.canDismiss ? (
        <Button
          act="needs.dismiss"
          look="quiet"
          icon={<X aria-hidden size={13} />}
          isBusy={isBusy}
          onClick={() => moves.move({ kind: 'dismiss' })}
        >
          Dismiss
        </Button>
      ) : null}
      <HeldLine held={moves.held} />
    </div>
  )
}

/** Allow or deny, with an optional message to the agent, and what happens if nobody answers. */
function Answers({ need, moves, isBusy }: Pick<NeedActionsProps, 'need' | 'moves'> & { isBusy: boolean }) {
  const [message, setMessage] = useState('')
  const [hasWords, setHasWords] = useState(false)
  const now = useNow()
  const { question } = need
  if (question === null) return null
  const say = (kind: 'allow' | 'deny') => moves.move({ kind, message: message.trim() })
  return (
    <>
      <Button
        act="questions.answer"
        look="main"
        icon={<Check aria-hidden size={13} />}
        isBusy={isBusy}
        onClick={() => say('allow')}
      >
        Allow <KeyHint keys="a" />
      </Button>
      <Button
        act="questions.answer"
        look="danger"
        icon={<X aria-hidden size={13} />}
        isBusy={isBusy}
        onClick={() => say('deny')}
      >
        Deny <KeyHint keys="d" />
      </Button>
      {moves.isDone ? null : hasWords ? (
        <div className="min-w-48 flex-1">
          <TextField
            label="Message to the agent with the answer"
            isLabelHidden
            placeholder="Message to the agent"
            value={message}
            autoFocus
            onChange={(event) => setMessage(event.target.value)}
          />
        </div>
      ) : (
        <Button act="questions.answer" look="quiet" onClick={() => setHasWords(true)}>
          Add a message
        </Button>
      )}
      {moves.isDone ? null : (
        <span className="text-xs text-ink-3">
          {question.default === 'allow' ? 'allowed' : 'denied'} if nobody answers {relativeTime(question.deadline, now)}
        </span>
      )}
    </>
  )
}
