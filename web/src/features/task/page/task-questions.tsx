import { Check, X } from 'lucide-react'
import { useCallback, useId, useMemo, useState } from 'react'
import type { Question } from '#domain/task/task'
import { DangerList } from '../../../components/danger'
import { HeldLine } from '../../../components/held-line'
import { May } from '../../../components/may'
import { AgentLine, AgentText } from '../../../components/ui/agent-text'
import { Button } from '../../../components/ui/button'
import { ErrorLine } from '../../../components/ui/error-card'
import { TextField } from '../../../components/ui/field'
import { IdChip } from '../../../components/ui/id-chip'
import { KeyHint } from '../../../components/ui/key-hint'
import { Status } from '../../../components/ui/status'
import { When } from '../../../components/ui/when'
import { callFields, callLine } from '../../../lib/call-words'
import { useRestsFor, useRestWhenReplaced } from '../../../lib/keys/key-rest'
import { type KeyBinding, useKeys } from '../../../lib/keys/keys'
import { errorOf, hold, useHeld } from '../../../lib/live/held-moves'
import { whoIs } from '../../../lib/me'
import { answerMove } from '../../../lib/person-moves'
import { relativeTime, useNow } from '../../../lib/time'
import { visibleText } from '../../../lib/visible-text'
import { isDialogOpen } from '../form/dialog-open'
import { Folded } from './folded'
import { Section } from './section'

/** Questions of its runs: open ones with their input and buttons, others on one line. */
export function TaskQuestions({ questions }: { questions: readonly Question[] }) {
  const open = questions.filter(({ status }) => status === 'open')
  const others = questions.filter(({ status }) => status !== 'open')
  useRestWhenReplaced(open[0]?.id, false)
  if (questions.length === 0) return null
  return (
    <Section title={open.length > 0 ? 'Needs you' : 'Questions'} count={open.length > 0 ? open.length : others.length}>
      <ul aria-live="polite" className="flex flex-col gap-2">
        {open.map((question, at) => (
          <OpenQuestion key={question.id} question={question} hasKeys={at === 0} />
        ))}
      </ul>
      {others.length === 0 ? null : (
        <ul className={`flex flex-col ${open.length > 0 ? 'mt-2' : ''}`}>
          {others.map((question) => (
            <PastQuestion key={question.id} question={question} />
          ))}
        </ul>
      )}
    </Section>
  )
}

function OpenQuestion({ question, hasKeys }: { question: Question; hasKeys: boolean }) {
  const [words, setWords] = useState('')
  const heading = useId()
  const now = useNow()
  const held = useHeld(question.id)
  const isResting = useRestsFor(question.id)
  // Until the feed reports the answer, the question must not be answered again.
  const isDone = held !== null && held.kind !== 'failed' && held.kind !== 'undone'
  const isBusy = isDone || isResting
  const [isAsked, setAsked] = useState(false)
  const answer = useCallback(
    (behavior: 'allow' | 'deny', isSure = false) => {
      const isDangerous = behavior === 'allow' && question.dangers.length > 0
      setAsked(isDangerous && !isSure)
      if (!isDangerous || isSure)
        hold(answerMove(question, `${question.toolName}: ${question.description ?? question.taskId}`, behavior, words))
    },
    [question, words],
  )
  return (
    <li
      aria-labelledby={heading}
      data-question={question.id}
      data-keys={isResting ? 'resting' : undefined}
      className="flex flex-col gap-2 rounded border border-line p-2.5 tint-need"
    >
      <div className="flex flex-wrap items-baseline gap-x-2">
        <h3 id={heading} className="text-sm font-semibold">
          Allow the call of <AgentText text={question.toolName} />?
        </h3>
        <IdChip id={question.id} />
        <span className="text-xs text-ink-2">
          asked <When at={question.askedAt} />; {question.default === 'allow' ? 'allowed' : 'denied'} automatically{' '}
          {relativeTime(question.deadline, now)}
        </span>
      </div>
      {question.description === null ? null : (
        <p className="text-sm">
          <AgentText text={question.description} />
        </p>
      )}
      <QuestionInput question={question} />
      <DangerList dangers={question.dangers} />
      <May act="questions.answer">
        <TextField
          label="Message to the agent with the answer"
          isLabelHidden
          placeholder="Message to the agent (optional)"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
      </May>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          act="questions.answer"
          look="main"
          icon={<Check aria-hidden size={13} />}
          isBusy={isBusy}
          onClick={() => answer('allow')}
        >
          Allow {hasKeys ? <KeyHint keys="a" /> : null}
        </Button>
        <Button
          act="questions.answer"
          look="danger"
          icon={<X aria-hidden size={13} />}
          isBusy={isBusy}
          onClick={() => answer('deny')}
        >
          Deny {hasKeys ? <KeyHint keys="d" /> : null}
        </Button>
        {isAsked ? (
          <span role="alert" data-testid="second-key" className="inline-flex items-center gap-2 text-xs">
            This call is dangerous.
            <Button act="questions.answer" look="danger" isBusy={isBusy} onClick={() => answer('allow', true)}>
              Allow anyway {hasKeys ? <KeyHint keys="y" /> : null}
            </Button>
          </span>
        ) : null}
        <HeldLine held={held} />
        <ErrorLine error={errorOf(held)} />
      </div>
      {hasKeys ? <AnswerKeys answer={answer} isDone={isDone} isAsked={isAsked} /> : null}
    </li>
  )
}

interface AnswerKeysProps {
  answer(behavior: 'allow' | 'deny', isSure?: boolean): void
  isDone: boolean
  /** A second key is asked for. */
  isAsked: boolean
}

function AnswerKeys({ answer, isDone, isAsked }: AnswerKeysProps) {
  useKeys(
    useMemo((): KeyBinding[] => {
      const bind = (keys: string, label: string, behavior: 'allow' | 'deny', isSure = false): KeyBinding => ({
        keys,
        label,
        group: 'This task',
        act: 'questions.answer',
        changes: true,
        run: () => (isDone || isDialogOpen() ? false : answer(behavior, isSure)),
      })
      return [
        bind('a', 'allow the first question', 'allow'),
        bind('d', 'deny the first question', 'deny'),
        ...(isAsked ? [bind('y', 'allow it although it is dangerous', 'allow', true)] : []),
      ]
    }, [answer, isDone, isAsked]),
  )
  return null
}

/** The input of the call, each field with its lines. */
function QuestionInput({ question: { input, isCut, description } }: { question: Question }) {
  // A cut input is no valid JSON, and arrives as text.
  const fields =
    typeof input === 'string'
      ? [{ name: 'input', text: input }]
      : // The description is shown above.
        callFields(input).filter(({ name, text }) => name !== 'description' || text !== description)
  return (
    <dl className="flex flex-col gap-1.5">
      {fields.map(({ name, text }) => (
        <div key={name} className="min-w-0">
          <dt className="text-2xs text-ink-3">{name}</dt>
          <dd className="rounded bg-sunken px-2 py-1 font-mono text-xs">
            <Folded text={text}>{(shown) => <AgentText text={shown} />}</Folded>
          </dd>
        </div>
      ))}
      {isCut ? <dd className="text-xs text-ink-2">The input was cut because it is too long to keep here.</dd> : null}
    </dl>
  )
}

function PastQuestion({ question }: { question: Question }) {
  const { answer, answeredBy, status } = question
  return (
    <li className="flex min-h-7 flex-wrap items-center gap-x-2 text-xs text-ink-2">
      <Status status={status} evidence={answeredBy === null ? null : `by ${visibleText(whoIs(answeredBy))}`} />
      {answer === null ? null : (
        <b className="font-semibold text-ink">{answer.behavior === 'allow' ? 'allowed' : 'denied'}</b>
      )}
      <span className="font-mono">
        <AgentText text={question.toolName} />
      </span>
      <span className="min-w-0 flex-1 basis-40 font-mono">
        <AgentLine text={typeof question.input === 'string' ? question.input : callLine(question.input)} />
      </span>
      {answer?.message ? <AgentText text={`“${answer.message}”`} /> : null}
      {answeredBy === null ? null : <span className="text-ink-3">by {visibleText(whoIs(answeredBy))}</span>}
      <span className="text-ink-3">
        <When at={question.answeredAt ?? question.askedAt} />
      </span>
    </li>
  )
}
