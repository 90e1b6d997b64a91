import { useState } from 'react'
import type { Attempt, AttemptConversation } from '#domain/task/task'
import { Link } from '../../../components/link'
import { AgentText } from '../../../components/ui/agent-text'
import { Button } from '../../../components/ui/button'
import { IdChip } from '../../../components/ui/id-chip'
import { Status } from '../../../components/ui/status'
import { Took, When } from '../../../components/ui/when'
import { counted, dollars, shortCount, tokensInWords, tokensOf } from '../../../lib/format'
import { sessionPath } from '../../../lib/links'
import { visibleText } from '../../../lib/visible-text'
import { RUNG_WORDS, whyNotWords } from '../task-words'
import { Section } from './section'

/** Attempts shown at first; the newest. */
const FIRST_SHOWN = 6
/** Source of an attempt's tokens and cost. */
const REPORTED = 'reported by the agent CLI'

/** Attempts, newest first, each with the rung by which it got its conversation, and why no better rung was possible. */
export function TaskAttempts({ attempts }: { attempts: readonly Attempt[] }) {
  const [isWhole, setWhole] = useState(false)
  if (attempts.length === 0)
    return (
      <Section title="Attempts">
        <p className="text-sm text-ink-3">No worker has started it.</p>
      </Section>
    )
  const newest = [...attempts].reverse()
  return (
    <Section title="Attempts" count={attempts.length}>
      <ol reversed className="flex flex-col">
        {(isWhole ? newest : newest.slice(0, FIRST_SHOWN)).map((attempt) => (
          <AttemptItem key={attempt.id} attempt={attempt} former={formerOf(attempt, attempts)} />
        ))}
      </ol>
      {attempts.length <= FIRST_SHOWN || isWhole ? null : (
        <Button look="quiet" onClick={() => setWhole(true)}>
          Show {counted(attempts.length - FIRST_SHOWN, 'older attempt')}
        </Button>
      )}
    </Section>
  )
}

/** The newest earlier attempt that had another conversation. */
const formerOf = ({ number, conversation }: Attempt, attempts: readonly Attempt[]): Attempt | undefined =>
  conversation === null
    ? undefined
    : attempts.findLast(
        (one) =>
          one.number < number && one.conversation !== null && one.conversation.sessionId !== conversation.sessionId,
      )

function AttemptItem({ attempt, former }: { attempt: Attempt; former: Attempt | undefined }) {
  const { number, isLive, outcome, conversation, costUsd, usage } = attempt
  const host = attempt.host === null ? '' : ` on ${attempt.host}`
  return (
    <li
      data-attempt={number}
      className="flex flex-col gap-0.5 border-t border-line py-2 text-xs text-ink-2 first:border-t-0 first:pt-0 last:pb-0"
    >
      <div className="flex flex-wrap items-baseline gap-x-2 gap-y-0.5">
        <h3 className="text-sm font-semibold text-ink">Attempt {number}</h3>
        <Status status={isLive ? 'running' : (outcome ?? 'ended')} evidence={liveEvidence(attempt)} />
        <span>{visibleText(`${attempt.agentName}${host}`)}</span>
        <span className="text-ink-3">
          <When at={attempt.startedAt} />, <Took from={attempt.startedAt} to={attempt.endedAt} />
        </span>
        <span className="ml-auto flex gap-2">
          {usage === null ? null : (
            <span title={`${tokensInWords(usage)}, ${REPORTED}`}>{shortCount(tokensOf(usage))} tokens</span>
          )}
          {costUsd === null ? null : <span title={REPORTED}>{dollars(costUsd, false)}</span>}
        </span>
      </div>
      {conversation === null ? (
        <p className="text-ink-3">The conversation is not known yet.</p>
      ) : (
        <Conversation conversation={conversation} />
      )}
      {conversation === null || !former?.conversation ? null : (
        <p>
          <Link
            to={`/compare?a=${former.conversation.sessionId}&b=${conversation.sessionId}`}
            className="text-accent underline underline-offset-2"
          >
            compare with attempt {former.number}
          </Link>
        </p>
      )}
      <p>
        <span className="text-ink-3">Assignment: </span>
        <AgentText text={attempt.dispatchReason} />
      </p>
      {attempt.cwd === null ? null : (
        <p>
          <span className="text-ink-3">In </span>
          <code className="font-mono text-2xs">{visibleText(attempt.cwd)}</code>
          {attempt.branch === null ? null : (
            <>
              <span className="text-ink-3">, branch </span>
              <code className="font-mono text-2xs">{visibleText(attempt.branch)}</code>
              <span className="text-ink-3"> from </span>
              <code className="font-mono text-2xs">{visibleText((attempt.base ?? '?').slice(0, 12))}</code>
            </>
          )}
        </p>
      )}
      {attempt.failureReason === null ? null : (
        <p>
          <span className={outcome === 'failed' || outcome === 'lost' ? 'text-fail' : 'text-ink-3'}>
            {outcome === 'failed' || outcome === 'lost' ? 'Failed: ' : 'Reason: '}
          </span>
          <AgentText text={attempt.failureReason} />
          {attempt.failureClass === null ? null : (
            <code className="ml-1 font-mono text-2xs">{attempt.failureClass}</code>
          )}
        </p>
      )}
      <p className="text-ink-3 empty:hidden">{endWords(attempt)}</p>
    </li>
  )
}

function Conversation({ conversation }: { conversation: AttemptConversation }) {
  const { rung, sessionId, resumedSessionId, forkPoint, whyNot, carried } = conversation
  return (
    <>
      <p className="flex flex-wrap items-baseline gap-x-1.5">
        <span>
          <b className="font-semibold text-ink">{rung}</b>: {RUNG_WORDS[rung]}
        </span>
        <Link to={sessionPath(sessionId)} className="text-accent underline underline-offset-2">
          session
        </Link>
        <IdChip id={sessionId} />
        {resumedSessionId === null || resumedSessionId === sessionId ? null : (
          <>
            <span className="text-ink-3">from</span>
            <Link to={sessionPath(resumedSessionId)} className="text-accent underline underline-offset-2">
              session
            </Link>
            <IdChip id={resumedSessionId} />
          </>
        )}
        {forkPoint === null ? null : (
          <>
            <span className="text-ink-3">up to</span>
            <IdChip id={forkPoint} />
          </>
        )}
      </p>
      {carried === undefined ? null : (
        <p>
          <span className="text-ink-3">carried over: </span>
          <AgentText text={carried} />
        </p>
      )}
      {whyNot.length === 0 ? null : (
        <ul className="flex flex-col">
          {whyNot.map((each) => (
            <li key={each.rung}>
              <span className="text-ink-3">not {each.rung}: </span>
              <AgentText text={whyNotWords(each)} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

function liveEvidence({ isLive, process, leaseExpiresAt }: Attempt): string | null {
  if (!isLive) return null
  const parts = [
    process === null ? 'no process reported yet' : `process ${process.pid}`,
    leaseExpiresAt === null ? null : `lease until ${new Date(leaseExpiresAt).toLocaleTimeString()}`,
  ]
  return parts.filter((part) => part !== null).join(', ')
}

function endWords({ isLive, exitCode, signal, numTurns, agentCli, cliVersion, process }: Attempt): string {
  return [
    isLive && process !== null ? `process ${process.pid}` : null,
    signal === null ? (exitCode === null ? null : `exit code ${exitCode}`) : `ended by ${visibleText(signal)}`,
    numTurns === null ? null : counted(numTurns, 'turn'),
    cliVersion === null ? null : `${visibleText(agentCli ?? 'CLI')} ${visibleText(cliVersion)}`,
  ]
    .filter((part) => part !== null)
    .join(', ')
}
