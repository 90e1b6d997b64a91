import { CornerDownRight, GitFork, Languages, type LucideIcon, Shrink } from 'lucide-react'
import type { ReactNode } from 'react'
import type { EventId } from '#domain/ids'
import { Link } from '../../../components/link'
import { IdChip } from '../../../components/ui/id-chip'
import { When } from '../../../components/ui/when'
import { sessionPath } from '../../../lib/links'
import { useSession } from '../page/session-context'
import type { Mark } from './row-types'

/** A separator for something that happened to the session. */
export function MarkLine({ icon: Icon, at, children }: { icon: LucideIcon; at: string | null; children: ReactNode }) {
  return (
    <div className="flex items-center gap-3 px-4 py-1.5 text-xs text-ink-2 max-md:px-3">
      <span className="h-px flex-1 bg-line-strong" />
      <span className="inline-flex min-w-0 flex-wrap items-center justify-center gap-x-1.5">
        <Icon aria-hidden size={13} />
        {children}
        {at === null ? null : <When at={at} className="text-ink-3" />}
      </span>
      <span className="h-px flex-1 bg-line-strong" />
    </div>
  )
}

const MARKS = {
  fork: { icon: GitFork, from: 'Forked here from', to: 'Forked here to' },
  resume: { icon: CornerDownRight, from: 'Continued from', to: 'Continued in' },
  translation: {
    icon: Languages,
    from: 'Translated above from another agent CLI:',
    to: 'Translated for another agent CLI, and continued in',
  },
} as const

/** Marks a fork or a continuation in another session. */
export function SessionMark({ mark }: { mark: Mark }) {
  const { icon, from, to } = MARKS[mark.kind]
  return (
    <MarkLine icon={icon} at={mark.at}>
      {mark.isOrigin ? from : to}
      <Link to={sessionPath(mark.sessionId)} className="text-accent underline">
        another session
      </Link>
      <IdChip id={mark.sessionId} />
    </MarkLine>
  )
}

/** Marks a compaction. */
export function CompactionLine({ event, at }: { event: EventId; at: string | null }) {
  const { fork } = useSession()
  return (
    <MarkLine icon={Shrink} at={at}>
      Compacted: the model continues from the summary
      {fork === null ? null : (
        <button type="button" onClick={() => fork({ event, isCompaction: true })} className="text-accent underline">
          Continue from before
        </button>
      )}
    </MarkLine>
  )
}
