import { Check, Eye, Play, RotateCcw, X } from 'lucide-react'
import { useState } from 'react'
import type { Need } from '../../lib/needs'
import { relativeTime, useNow } from '../../lib/time'
import { HeldLine } from '../held-line'
import { Button } from '../ui/button'
import { TextField } from '../ui/field'
import { CommandLine } from '../ui/id-chip'
import { KeyHint } from '../ui/key-hint'
import type { NeedMoves } from './use-need-moves'

/** Whether a task may go on with its conversation: that of a lost task is gone on with by its own next attempt. */
export const isResumable = ({ kind, taskId, sessionId }: Need): boolean =>
  kind === 'lost' && taskId === null && sessionId !== null

interface NeedActionsProps {
  need: Need
  moves: NeedMoves
  /** It has just come under the keys, and the pointer. */
  isResting: boolean
  onResume(): void
}

/** What can be done about a need without leaving the list. */
export function NeedActions({ need, moves, isResting, onResume }: NeedActionsProps) {
  // What was pressed stays where it is: the second of two quick presses falls on nothing else.
  const isBusy = moves.isDone || isResting
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {need.question === null ? null : <Answers need={need} moves={moves} isBusy={isBusy} />}
      {need.kind === 'failure' && need.taskId !== null ? (
        <Button
          look="main"
          icon={<RotateCcw aria-hidden size={13} />}
          isBusy={isBusy}
          onClick={() => moves.move({ kind: 'retry' })}
        >
          Try again
        </Button>
      ) : null}
      {isResumable(need) ? (
        <Button look="main" icon={<Play aria-hidden size={13} />} onClick={onResume}>
          Resume
        </Button>
      ) : null}
      {need.kind === 'unread' && need.subagentId !== null ? (
        <Button icon={<Eye aria-hidden size={13} />} isBusy={isBusy} onClick={() => moves.move({ kind: 'read' })}>
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

/** Allow or deny, with words to the agent if the person wants; and what happens when nobody answers. */
function Answers({ need, moves, isBusy }: Pick<NeedActionsProps, 'need' | 'moves'> & { isBusy: boolean }) {
  const [message, setMessage] = useState('')
  const [hasWords, setHasWords] = useState(false)
  const now = useNow()
  const { question } = need
  if (question === null) return null
  const say = (kind: 'allow' | 'deny') => moves.move({ kind, message: message.trim() })
  return (
    <>
      <Button look="main" icon={<Check aria-hidden size={13} />} isBusy={isBusy} onClick={() => say('allow')}>
        Allow <KeyHint keys="a" />
      </Button>
      <Button look="danger" icon={<X aria-hidden size={13} />} isBusy={isBusy} onClick={() => say('deny')}>
        Deny <KeyHint keys="d" />
      </Button>
      {moves.isDone ? null : hasWords ? (
        <div className="min-w-48 flex-1">
          <TextField
            label="What the agent is told with the answer"
            isLabelHidden
            placeholder="What the agent is told with it"
            value={message}
            autoFocus
            onChange={(event) => setMessage(event.target.value)}
          />
        </div>
      ) : (
        <Button look="quiet" onClick={() => setHasWords(true)}>
          Add words
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
