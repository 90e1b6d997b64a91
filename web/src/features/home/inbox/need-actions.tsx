import { AlarmClock, Check, CheckCheck, Eye, Play, RotateCcw, X } from 'lucide-react'
import { useState } from 'react'
import type { OperationName } from '#api/contract/operations/index'
import { Button } from '../../../components/ui/button'
import { TextField } from '../../../components/ui/field'
import { KeyHint } from '../../../components/ui/key-hint'
import { relativeTime, useNow } from '../../../lib/time'
import type { Need } from '../needs'
import { canDo, isResumable, type useNeedState } from './need-moves'
import type { InboxActs } from './use-inbox'

interface NeedActionsProps {
  need: Need
  state: Pick<ReturnType<typeof useNeedState>, 'isDone'>
  /** The need has just appeared under the shortcuts and the pointer, so they are paused. */
  isResting: boolean
  acts: InboxActs
}

/** Actions on a need, without leaving the list. */
export function NeedActions({ need, state, isResting, acts }: NeedActionsProps) {
  // A pressed button stays in place, so that a double click hits nothing else.
  const isBusy = state.isDone || isResting
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {need.question === null ? null : <Answers need={need} isDone={state.isDone} isBusy={isBusy} acts={acts} />}
      {canDo(need, 'consent') ? (
        <Act
          act="tasks.deploy"
          look="main"
          icon={Check}
          keys="a"
          isBusy={isBusy}
          onClick={() => acts.act([need], { kind: 'consent' })}
        >
          Consent
        </Act>
      ) : null}
      {canDo(need, 'retry') ? (
        <Act
          act="tasks.retry"
          look="main"
          icon={RotateCcw}
          keys="r"
          isBusy={isBusy}
          onClick={() => acts.act([need], { kind: 'retry' })}
        >
          Retry
        </Act>
      ) : null}
      {isResumable(need) ? (
        <Act act="sessions.resume" look="main" icon={Play} keys="r" isBusy={false} onClick={() => acts.resume(need)}>
          Resume
        </Act>
      ) : null}
      {canDo(need, 'read') ? (
        <Act act="subagents.markRead" icon={Eye} isBusy={isBusy} onClick={() => acts.act([need], { kind: 'read' })}>
          Mark as read
        </Act>
      ) : null}
      {need.snoozedUntil === null ? (
        <PutAside needs={[need]} isBusy={isBusy} acts={acts} />
      ) : (
        <Act
          act="needs.snooze"
          icon={AlarmClock}
          keys="s"
          isBusy={isBusy}
          onClick={() => acts.act([need], { kind: 'snooze', until: new Date().toISOString() })}
        >
          Wake now
        </Act>
      )}
    </div>
  )
}

/** Actions on needs with one cause. @param count  of all of them, of which `needs` may be only the first */
export function GroupActions({
  needs,
  count,
  isResting,
  acts,
}: Pick<NeedActionsProps, 'isResting' | 'acts'> & { needs: readonly Need[]; count: number }) {
  const many = needs.length < count ? `${needs.length} of ${count}` : `all ${count}`
  const isQuestion = needs[0]?.question !== null
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      {isQuestion ? (
        <>
          <Act
            act="questions.answer"
            look="main"
            icon={Check}
            keys="a"
            isBusy={isResting}
            onClick={() => acts.act(needs, { kind: 'allow' })}
          >
            Allow {many}
          </Act>
          <Act
            act="questions.answer"
            look="danger"
            icon={X}
            keys="d"
            isBusy={isResting}
            onClick={() => acts.act(needs, { kind: 'deny' })}
          >
            Deny {many}
          </Act>
          <Always need={needs[0]} isBusy={isResting} acts={acts} />
        </>
      ) : null}
      <PutAside needs={needs} isBusy={isResting} acts={acts} />
    </div>
  )
}

/** Takes needs off the list, for good or for a while. */
function PutAside({ needs, isBusy, acts }: { needs: readonly Need[]; isBusy: boolean; acts: InboxActs }) {
  if (!needs.some((need) => canDo(need, 'dismiss'))) return null
  return (
    <>
      <Act
        act="needs.snooze"
        look="quiet"
        icon={AlarmClock}
        keys="s"
        isBusy={isBusy}
        onClick={() => acts.snooze(needs)}
      >
        Snooze
      </Act>
      <Act
        act="needs.dismiss"
        look="quiet"
        icon={X}
        keys="x"
        isBusy={isBusy}
        onClick={() => acts.act(needs, { kind: 'dismiss' })}
      >
        Dismiss
      </Act>
    </>
  )
}

/** Allow such calls from now on, where a rule can. */
function Always({ need, isBusy, acts }: { need: Need | undefined; isBusy: boolean; acts: InboxActs }) {
  if (need === undefined || (need.question?.alwaysRules.length ?? 0) === 0) return null
  return (
    <Act act="questions.alwaysAllow" icon={CheckCheck} keys="A" isBusy={isBusy} onClick={() => acts.always([need])}>
      Always allow …
    </Act>
  )
}

interface ActProps {
  act: OperationName
  look?: 'main' | 'danger' | 'quiet' | 'plain'
  icon: typeof Check
  keys?: string
  isBusy: boolean
  onClick(): void
  children: React.ReactNode
}

function Act({ act, look = 'plain', icon: Icon, keys, isBusy, onClick, children }: ActProps) {
  return (
    <Button act={act} look={look} icon={<Icon aria-hidden size={13} />} isBusy={isBusy} onClick={onClick}>
      {children} {keys === undefined ? null : <KeyHint keys={keys} />}
    </Button>
  )
}

/** Allow or deny, with an optional message to the agent, and what happens if nobody answers. */
function Answers({ need, isDone, isBusy, acts }: { need: Need; isDone: boolean; isBusy: boolean; acts: InboxActs }) {
  const [message, setMessage] = useState('')
  const [hasWords, setHasWords] = useState(false)
  const now = useNow()
  const { question } = need
  if (question === null) return null
  const say = (kind: 'allow' | 'deny') => acts.act([need], { kind, message: message.trim() })
  return (
    <>
      <Act act="questions.answer" look="main" icon={Check} keys="a" isBusy={isBusy} onClick={() => say('allow')}>
        Allow
      </Act>
      <Act act="questions.answer" look="danger" icon={X} keys="d" isBusy={isBusy} onClick={() => say('deny')}>
        Deny
      </Act>
      {isDone ? null : <Always need={need} isBusy={isBusy} acts={acts} />}
      {isDone ? null : hasWords ? (
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
      {isDone ? null : (
        <span className="text-xs text-ink-3">
          {question.default === 'allow' ? 'Allowed' : 'Denied'} automatically {relativeTime(question.deadline, now)}
        </span>
      )}
    </>
  )
}
