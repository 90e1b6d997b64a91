import { useQuery } from '@tanstack/react-query'
import { MAX_CHANGES } from '#api/contract/protocol'
import type { SessionId } from '#domain/ids'
import { pathsIn } from '#domain/session/compare'
import type { Session } from '#domain/session/session'
import { Link } from '../../components/link'
import { Loading } from '../../components/ui/empty'
import { ErrorCard } from '../../components/ui/error-card'
import { When } from '../../components/ui/when'
import { client } from '../../lib/api'
import { counted } from '../../lib/format'
import { sessionPath } from '../../lib/links'
import { visibleText } from '../../lib/visible-text'
import { type FileChange, inOrder } from '../session/page/session-changes'
import { Patch } from '../session/patch/patch'

interface CompareFileProps {
  /** As the comparison has it: below the folder of each. */
  path: string
  first: Session
  second: Session
  /** When the part ends that both share, ISO 8601; `null` = they share none. */
  sharedUntil: string | null
}

/** What two sessions did to one file, in two columns. What both have in common is only counted. */
export function CompareFile({ path, first, second, sharedUntil }: CompareFileProps) {
  const [one, other] = [useFileChanges(first, path), useFileChanges(second, path)]
  const failed = [one, other].find(({ error }) => error !== null)
  if (failed !== undefined) return <ErrorCard error={failed.error} onRetry={() => void failed.refetch()} />
  if (one.data === undefined || other.data === undefined) return <Loading what="Reading the changes" />
  const common = commonOf(one.data.changes, other.data.changes, sharedUntil)
  return (
    <>
      {common.size === 0 ? null : (
        <p className="pl-4 text-ink-3">{counted(common.size, 'change')} in the common part</p>
      )}
      <div className="grid grid-cols-2 gap-x-4 pl-4 max-md:grid-cols-1 max-md:pl-0">
        {[
          { session: first, ...one.data },
          { session: second, ...other.data },
        ].map(({ session, changes, isCut }) => (
          <Column
            key={session.id}
            session={session}
            changes={changes.filter(({ change }) => !common.has(change.toolUseId))}
            isCut={isCut}
          />
        ))}
      </div>
    </>
  )
}

/** Calls that both have: of the part that they share, which is recorded of one of them alone, or of both. */
function commonOf(
  first: readonly FileChange[],
  second: readonly FileChange[],
  sharedUntil: string | null,
): Set<string> {
  const [one, other] = [first, second].map((all) => new Set<string>(all.map(({ change }) => change.toolUseId)))
  const isCommon = ({ change: { toolUseId, at } }: FileChange): boolean =>
    (one?.has(toolUseId) === true && other?.has(toolUseId) === true) ||
    (sharedUntil !== null && at !== null && Date.parse(at) <= Date.parse(sharedUntil))
  return new Set([...first, ...second].filter(isCommon).map(({ change }) => change.toolUseId))
}

/** Under each name that the file may have in the session. */
const useFileChanges = ({ id, cwd }: Session, path: string) =>
  useQuery({
    queryKey: ['session', id, 'changes', path],
    queryFn: async ({ signal }) => {
      const names = pathsIn(cwd, path)
      const pages = await Promise.all(
        names.map((name) => client.sessions.changes(id, { path: name, limit: MAX_CHANGES }, { signal })),
      )
      return {
        // A call may have changed other files as well.
        changes: inOrder(pages.flatMap(({ changes }) => changes)).filter((one) => names.includes(one.path)),
        isCut: pages.some(({ nextCursor }) => nextCursor !== null),
      }
    },
  })

interface ColumnProps {
  session: Session
  changes: readonly FileChange[]
  isCut: boolean
}

function Column({ session: { id, title }, changes, isCut }: ColumnProps) {
  return (
    <section aria-label={visibleText(title ?? id)} className="min-w-0 pb-2">
      <h4 className="truncate text-ink-3 md:hidden">{visibleText(title ?? id)}</h4>
      {changes.length === 0 ? <p className="text-ink-3">No change of its own</p> : null}
      {changes.map(({ path, change: { toolUseId, at, eventId }, hunks }) => (
        <div key={toolUseId}>
          <p className="flex gap-2 text-2xs text-ink-3">
            {at === null ? null : <When at={at} />}
            {eventId === null ? null : <InConversation id={id} event={eventId} />}
          </p>
          {hunks === null ? (
            <p className="text-ink-3">It was written. What changed is not recorded.</p>
          ) : (
            <Patch path={path.slice(path.lastIndexOf('/') + 1)} hunks={hunks} />
          )}
        </div>
      ))}
      {isCut ? <p className="text-ink-3">Only the first {MAX_CHANGES} changes are shown.</p> : null}
    </section>
  )
}

const InConversation = ({ id, event }: { id: SessionId; event: string }) => (
  <Link to={`${sessionPath(id)}?at=${event}`} className="text-accent hover:underline">
    in the conversation
  </Link>
)
