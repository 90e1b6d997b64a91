import { evidenceInWords } from '#domain/session/evidence-words'
import { DangerList } from '../../../components/danger'
import { Link } from '../../../components/link'
import { ErrorLine } from '../../../components/ui/error-card'
import { CommandLine, IdChip } from '../../../components/ui/id-chip'
import { Status } from '../../../components/ui/status'
import { When } from '../../../components/ui/when'
import { withLocalTimes } from '../../../lib/time'
import { projectName, visibleText } from '../../../lib/visible-text'
import type { Need } from '../needs'
import { NeedActions } from './need-actions'
import type { useNeedState } from './need-moves'
import { pathOf } from './need-path'
import { NeedText } from './need-text'
import { Peek } from './peek'
import type { Pending } from './pending'
import { PendingCard } from './pending-card'
import { RecentTurns } from './recent-turns'
import type { InboxActs } from './use-inbox'

interface NeedPeekProps {
  need: Need
  state: ReturnType<typeof useNeedState>
  isResting: boolean
  pending: Pending | null
  acts: InboxActs
}

/** The details of a need: what it asks, its actions, and how its conversation went last. */
export function NeedPeek({ need, state, isResting, pending, acts }: NeedPeekProps) {
  return (
    <Peek
      title={need.title}
      below={
        <>
          <Status status={need.kind} />
          <Link to={pathOf(need)} className="text-accent underline">
            Open
          </Link>
          {need.project === null ? null : <span>{projectName(need.project)}</span>}
          {need.taskId === null ? null : <IdChip id={need.taskId} />}
          {need.taskId === null && need.sessionId !== null ? <IdChip id={need.sessionId} /> : null}
          <When at={need.since} />
        </>
      }
    >
      {pending === null ? null : <PendingCard pending={pending} onEnd={acts.leave} />}
      <NeedText need={need} />
      {need.question === null ? (
        <p className="text-xs text-ink-3">{visibleText(evidenceInWords(withLocalTimes(need.evidence)))}</p>
      ) : pending === null ? (
        <DangerList dangers={need.question.dangers} />
      ) : null}
      {pending === null ? <NeedActions need={need} state={state} isResting={isResting} acts={acts} /> : null}
      <ErrorLine error={state.error} />
      {/* A phone has no terminal. */}
      {need.command === null ? null : (
        <div className="flex max-md:hidden">
          <CommandLine command={need.command} />
        </div>
      )}
      {need.sessionId === null || need.kind === 'request' ? null : <RecentTurns sessionId={need.sessionId} />}
    </Peek>
  )
}
