import { type RefObject, useCallback, useMemo, useState } from 'react'
import type { OperationName } from '#api/contract/operations/index'
import { Link } from '../../components/link'
import { AgentLine } from '../../components/ui/agent-text'
import { ErrorLine } from '../../components/ui/error-card'
import { IdChip } from '../../components/ui/id-chip'
import { Status } from '../../components/ui/status'
import { When } from '../../components/ui/when'
import { useRestsFor } from '../../lib/keys/key-rest'
import { type KeyBinding, useKeys } from '../../lib/keys/keys'
import { issuePath, sessionPath, taskPath } from '../../lib/links'
import { takeBack } from '../../lib/live/held-moves'
import { withLocalTimes } from '../../lib/time'
import { projectName, visibleText } from '../../lib/visible-text'
import { ResumeDialog } from '../session/page/resume-dialog'
import { isConsentable, isResumable, NeedActions } from './need-actions'
import { NeedText } from './need-text'
import type { Need } from './needs'
import { keyOf, useNeedMoves } from './use-need-moves'

interface NeedRowProps {
  need: Need
  isCurrent: boolean
  row: RefObject<HTMLElement | null> | null
  onFocus(): void
}

/** One need: what it is, its text, and its actions. */
export function NeedRow({ need, isCurrent, row, onFocus }: NeedRowProps) {
  const moves = useNeedMoves(need)
  const isResting = useRestsFor(need.id)
  const [isResuming, setResuming] = useState(false)
  const resume = useCallback(() => setResuming(true), [])
  return (
    <li
      ref={row as RefObject<HTMLLIElement | null>}
      tabIndex={isCurrent ? 0 : -1}
      onFocus={onFocus}
      data-testid="need-row"
      data-need={need.kind}
      data-keys={isResting ? 'resting' : undefined}
      aria-current={isCurrent ? 'true' : undefined}
      className={`flex flex-col gap-1.5 border-b border-line px-3 py-2.5 last:border-b-0 focus-visible:outline-offset-[-2px] ${isCurrent ? 'row-current' : ''}`}
    >
      <div className="flex flex-wrap items-baseline gap-x-2.5 gap-y-0.5">
        <Status status={need.kind} evidence={need.evidence} />
        <Link to={pathOf(need)} className="min-w-0 flex-1 basis-48 text-sm font-medium">
          <AgentLine text={need.title} />
        </Link>
        <span className="flex flex-wrap items-baseline gap-x-2 text-xs text-ink-3">
          {need.project === null ? null : <span>{projectName(need.project)}</span>}
          {need.taskId === null ? null : <IdChip id={need.taskId} />}
          {need.taskId === null && need.sessionId !== null ? <IdChip id={need.sessionId} /> : null}
          <When at={need.since} />
        </span>
      </div>
      <NeedText need={need} />
      {need.question === null ? (
        <p className="text-xs text-ink-3">{visibleText(withLocalTimes(need.evidence))}</p>
      ) : null}
      <NeedActions need={need} moves={moves} isResting={isResting} onResume={resume} />
      <ErrorLine error={moves.error} />
      {isCurrent ? <NeedKeys need={need} moves={moves} onResume={resume} /> : null}
      {isResuming && need.sessionId !== null ? (
        <ResumeDialog sessionId={need.sessionId} command={need.command} onClose={() => setResuming(false)} />
      ) : null}
    </li>
  )
}

/** Path that a need links to: its request, task, session or issue; the fleet for several tasks. */
export function pathOf(need: Need): string {
  if (need.inboxId !== null) return `/?request=${encodeURIComponent(need.inboxId)}`
  if (need.taskId !== null) return taskPath(need.taskId)
  // Several tasks.
  if (need.kind === 'untaken') return '/fleet'
  if (need.sessionId !== null)
    return (
      sessionPath(need.sessionId) + (need.subagentId === null ? '' : `?agent=${encodeURIComponent(need.subagentId)}`)
    )
  return need.issueId === null ? '/' : issuePath(need.issueId)
}

interface NeedKeysProps {
  need: Need
  moves: ReturnType<typeof useNeedMoves>
  onResume(): void
}

/** Binds the shortcuts that act on the current need. */
function NeedKeys({ need, moves, onResume }: NeedKeysProps) {
  const { move } = moves
  const { canDismiss, kind, question, taskId } = need
  const key = keyOf(need)
  const canResume = isResumable(need)
  const canConsent = isConsentable(need)
  const bindings = useMemo((): KeyBinding[] => {
    const group = 'Needs you'
    const bind = (act: OperationName, keys: string, label: string, applies: boolean, run: () => void): KeyBinding => ({
      act,
      keys,
      label,
      group,
      changes: true,
      run: () => (applies ? run() : false),
    })
    return [
      bind(
        canConsent ? 'tasks.deploy' : 'questions.answer',
        'a',
        'allow, or consent to a task',
        canConsent || question !== null,
        () => move({ kind: canConsent ? 'consent' : 'allow' }),
      ),
      bind('questions.answer', 'd', 'deny', question !== null, () => move({ kind: 'deny' })),
      bind(
        canResume ? 'sessions.resume' : 'tasks.retry',
        'r',
        'retry a failed task, or resume a lost session',
        canResume || (kind === 'failure' && taskId !== null),
        () => (canResume ? onResume() : move({ kind: 'retry' })),
      ),
      bind('needs.dismiss', 'x', 'dismiss', canDismiss, () => move({ kind: 'dismiss' })),
      // Undoes the move of this need, even if it is not the latest.
      {
        keys: 'z',
        label: 'undo the last change that was not sent yet',
        group,
        run: ({ repeat }) => repeat || takeBack(key),
      },
    ]
  }, [move, onResume, canDismiss, canResume, canConsent, kind, question, taskId, key])
  useKeys(bindings)
  return null
}
