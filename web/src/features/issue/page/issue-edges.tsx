import { X } from 'lucide-react'
import { isBlockingType } from '#domain/issue/issue-edges'
import { Link } from '../../../components/link'
import { AgentLine } from '../../../components/ui/agent-text'
import { IconButton } from '../../../components/ui/button'
import { IdChip } from '../../../components/ui/id-chip'
import { Status } from '../../../components/ui/status'
import { issuePathIn } from '../../../lib/links'
import { visibleText } from '../../../lib/visible-text'
import { isOver, type ListedIssue } from '../issue-query'

/** An issue at the other end of a link. `issue`: null if it is not in this tracker. */
interface Linked {
  id: string
  type: string
  issue: ListedIssue | null
}

interface Edge extends Linked {
  /** Whether the other issue owns the link. */
  isTheirs: boolean
}

/** Groups the links of an issue: parent, blockers, blocked issues, related issues. Empty groups are omitted. */
export function groupsOf(
  dependencies: readonly Linked[],
  dependents: readonly Linked[],
  childIds: ReadonlySet<string>,
) {
  const own = dependencies.map((edge): Edge => ({ ...edge, isTheirs: false }))
  const theirs = dependents
    .filter(({ id, type }) => !(type === 'parent-child' && childIds.has(id)))
    .map((edge): Edge => ({ ...edge, isTheirs: true }))
  const isHolding = ({ type }: Edge) => type !== 'parent-child' && isBlockingType(type)
  const isLoose = ({ type }: Edge) => !isBlockingType(type)
  const groups = [
    { title: 'Parent', edges: own.filter(({ type }) => type === 'parent-child') },
    { title: 'Blocked by', edges: own.filter(isHolding) },
    { title: 'Blocks', edges: theirs.filter((edge) => !isLoose(edge)) },
    { title: 'Related', edges: [...own, ...theirs].filter(isLoose) },
  ]
  return groups.filter(({ edges }) => edges.length > 0)
}

/** Types that the title of the group implies. */
const IMPLIED_TYPES = new Set(['blocks', 'parent-child', 'related'])

interface EdgesProps {
  title: string
  edges: readonly Edge[]
  project: string | undefined
  isBusy: boolean
  onRemove(edge: Edge): void
}

/** A group of links. */
export function Edges({ title, edges, project, isBusy, onRemove }: EdgesProps) {
  return (
    <section aria-label={title}>
      <h3 className="pb-0.5 text-xs font-semibold text-ink-3">{title}</h3>
      <ul className="max-h-80 overflow-y-auto">
        {edges.map((edge) => (
          <li key={`${edge.id} ${edge.type}`} className="flex min-h-7 items-center gap-1.5 text-sm max-md:min-h-9">
            <EdgeName edge={edge} project={project} />
            <IconButton
              act="issues.removeDependency"
              label={`Remove: ${title.toLowerCase()} ${edge.id}`}
              disabled={isBusy}
              onClick={() => onRemove(edge)}
              className="ml-auto !size-6 max-md:!size-9"
            >
              <X aria-hidden size={12} />
            </IconButton>
          </li>
        ))}
      </ul>
    </section>
  )
}

function EdgeName({ edge: { id, type, issue }, project }: { edge: Edge; project: string | undefined }) {
  return (
    <>
      {issue === null ? (
        <span className="text-xs text-ink-3">not found</span>
      ) : (
        <Status status={issue.status} isSmall />
      )}
      <IdChip id={id} />
      {issue === null ? null : (
        <Link to={issuePathIn(id, project)} className={`min-w-0 flex-1 ${isOver(issue) ? 'text-ink-3' : ''}`}>
          <AgentLine text={issue.title} />
        </Link>
      )}
      {IMPLIED_TYPES.has(type) ? null : (
        <span className="ml-auto shrink-0 text-2xs text-ink-3">{visibleText(type)}</span>
      )}
    </>
  )
}
