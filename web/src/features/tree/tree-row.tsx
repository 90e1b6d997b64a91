import {
  Bot,
  ChevronRight,
  CircleCheckBig,
  FolderGit2,
  ListChecks,
  type LucideIcon,
  MessagesSquare,
  Radio,
  SquareTerminal,
  Wrench,
} from 'lucide-react'
import type { CSSProperties } from 'react'
import type { TreeKind } from '#domain/overview/tree-entry'
import { AgentLine } from '../../components/ui/agent-text'
import { CliName } from '../../components/ui/cli-name'
import { Money } from '../../components/ui/money'
import { Status } from '../../components/ui/status'
import { When } from '../../components/ui/when'
import { shortCount, withoutAgents } from '../../lib/format'
import { useNow } from '../../lib/time'
import type { TreeEntry } from './tree-rows'

const ICONS: Record<TreeKind, LucideIcon> = {
  project: FolderGit2,
  task: ListChecks,
  session: MessagesSquare,
  subagent: Bot,
  shell: SquareTerminal,
  monitor: Radio,
  tool: Wrench,
  todo: CircleCheckBig,
}

/** Grid columns of a wide page: name, status, running, blocked, needs, tokens, cost, age. */
export const TREE_COLUMN_CLASSES =
  'rows:grid rows:grid-cols-[minmax(0,1fr)_7.5rem_3.5rem_3.5rem_3.5rem_4.5rem_4.5rem_5.5rem] rows:items-center rows:gap-x-2'

/** Activity within this time is highlighted. Milliseconds. */
const FRESH_MS = 4_000

interface RowFaceProps {
  entry: TreeEntry
  depth: number
  isOpen: boolean
  onToggle(): void
}

/** The content of a row of the tree. */
export function RowFace({ entry, depth, isOpen, onToggle }: RowFaceProps) {
  const Icon = ICONS[entry.kind]
  const { rollup } = entry
  const isLeaf = entry.childCount === 0
  // On wide pages only the name is indented; on narrow ones both lines are.
  const indent = { '--indent': `${(depth - 1) * 16}px` } as CSSProperties
  return (
    <div
      style={indent}
      className={`flex min-w-0 flex-wrap items-center gap-x-2 pr-2 max-rows:ps-(--indent) rows:pl-2 ${TREE_COLUMN_CLASSES}`}
    >
      <div className="flex min-w-0 items-center gap-1.5 max-rows:w-full rows:ps-(--indent)">
        <button
          type="button"
          tabIndex={-1}
          aria-hidden={isLeaf || undefined}
          aria-label={isOpen ? 'Collapse' : 'Expand'}
          onClick={(event) => {
            event.stopPropagation()
            onToggle()
          }}
          className={`inline-flex size-5 shrink-0 items-center justify-center rounded-sm text-ink-3 hover:bg-hover ${isLeaf ? 'invisible' : ''}`}
        >
          <ChevronRight aria-hidden size={14} className={isOpen ? 'rotate-90' : ''} />
        </button>
        <Icon aria-hidden size={14} className="shrink-0 text-ink-3" />
        <span className="sr-only">{entry.kind}</span>
        <AgentLine
          text={entry.label}
          className={`min-w-0 text-sm ${entry.kind === 'project' ? 'font-semibold' : ''}`}
        />
        <CliName name={entry.agentCli} className="text-2xs text-ink-3" />
        {entry.detail === null ? null : (
          <AgentLine text={entry.detail} className="min-w-16 flex-1 basis-8 text-xs text-ink-3" />
        )}
      </div>
      <div className="flex flex-wrap items-center gap-x-2 max-rows:w-full max-rows:pl-7 rows:contents">
        <span className="max-rows:empty:hidden">
          {entry.status === null ? null : <Status status={entry.status} evidence={entry.statusEvidence} />}
        </span>
        <Count value={rollup?.running} word="running" tone="text-run" />
        <Count value={rollup?.blocked} word="blocked" tone="text-wait" />
        <Count value={rollup?.needs} word={rollup?.needs === 1 ? 'needs you' : 'need you'} tone="text-need" />
        <span className="text-xs text-ink-3 max-rows:empty:hidden rows:text-right">
          {rollup === null ? null : <Tokens rollup={rollup} />}
        </span>
        <span className="text-xs text-ink-3 max-rows:empty:hidden rows:text-right">
          {rollup === null || rollup.tokens === 0 ? null : <Money cost={rollup} />}
        </span>
        <Age at={rollup?.lastEventAt ?? entry.endedAt ?? entry.startedAt} />
      </div>
    </div>
  )
}

/** Recorded tokens; `+` marks that the usage of some sub-agents is unknown. */
function Tokens({ rollup: { tokens, unknownAgents } }: { rollup: NonNullable<TreeEntry['rollup']> }) {
  if (unknownAgents === 0 && tokens === 0) return null
  const title = unknownAgents === 0 ? undefined : withoutAgents(unknownAgents)
  return (
    <span title={title}>
      {tokens === 0 ? 'unknown' : `${shortCount(tokens)}${unknownAgents === 0 ? '' : '+'}`}
      <span className="rows:sr-only"> tokens{title === undefined ? '' : `, ${title}`}</span>
    </span>
  )
}

function Count({ value, word, tone }: { value: number | undefined; word: string; tone: string }) {
  if (value === undefined || value === 0) return <span className="max-rows:hidden" />
  return (
    <span title={`${value} ${word}`} className={`text-xs font-medium rows:text-right ${tone}`}>
      {shortCount(value)}
      <span className="rows:sr-only"> {word}</span>
    </span>
  )
}

function Age({ at }: { at: string | null }) {
  const now = useNow()
  if (at === null) return <span />
  const isFresh = now - Date.parse(at) < FRESH_MS
  return <When at={at} className={`text-xs rows:text-right ${isFresh ? 'font-semibold text-run' : 'text-ink-3'}`} />
}
