import { memo, type Ref } from 'react'
import { priorityName } from '#domain/issue/issue-priority'
import { ownValue } from '#domain/own-value'
import { statusTone, statusWord } from '../../../components/ui/status'
import { visibleText } from '../../../lib/visible-text'
import { NODE_HEIGHT, NODE_WIDTH, type Place } from './graph-layout'
import type { GraphIssue } from './issue-graph'

/** Signs of statuses. The icons of lists would be too small here, and colour alone is not enough. */
const STATUS_SIGNS: Record<string, string> = {
  open: '○',
  in_progress: '▶',
  blocked: '⊘',
  closed: '✓',
  deferred: '‖',
}

interface GraphNodeProps {
  issue: GraphIssue
  place: Place
  isCurrent: boolean
  /** Description of its edges, for screen readers. */
  words: string
  onPoint(id: string): void
  onOpen(id: string): void
  ref: Ref<SVGGElement> | null
}

/** An issue in the picture. */
export const GraphNode = memo(function GraphNode({
  issue,
  place,
  isCurrent,
  words,
  onPoint,
  onOpen,
  ref,
}: GraphNodeProps) {
  const status = issue.isBlocked && issue.status === 'open' ? 'blocked' : issue.status
  const title = visibleText(issue.title)
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: a symbol of a picture; the table has links
    <g
      ref={ref}
      role="graphics-symbol"
      aria-roledescription="issue"
      tabIndex={isCurrent ? 0 : -1}
      aria-current={isCurrent || undefined}
      aria-label={`${issue.id}, ${title}, ${statusWord(status)}, ${priorityName(issue.priority)}. ${words}`}
      data-node={issue.id}
      transform={`translate(${place.x} ${place.y})`}
      onClick={() => onPoint(issue.id)}
      onDoubleClick={() => onOpen(issue.id)}
      className="cursor-pointer outline-none [&:focus-visible>rect]:stroke-focus [&:focus-visible>rect]:stroke-[3px]"
    >
      <rect
        width={NODE_WIDTH}
        height={NODE_HEIGHT}
        rx={6}
        className={`${isCurrent ? 'fill-hover stroke-accent stroke-2' : 'fill-panel stroke-line-strong'} ${statusTone(status)} [[data-far]_&]:fill-current [[data-far]_&]:[fill-opacity:.3]`}
      />
      <text x={9} y={14} aria-hidden className={`fill-current text-2xs ${statusTone(status)}`}>
        {ownValue(STATUS_SIGNS, status) ?? '•'}
      </text>
      <g className="[[data-far]_&]:hidden" aria-hidden>
        <text x={23} y={14} className="fill-ink-3 font-mono text-[10px]">
          {cut(issue.id, 16)}
        </text>
        <text x={NODE_WIDTH - 8} y={14} textAnchor="end" className="fill-ink-3 text-[10px]">
          {priorityName(issue.priority)} {cut(visibleText(issue.issueType), 9)}
        </text>
        <text
          x={9}
          y={27}
          className={`text-[11px] ${issue.closedAt === null ? 'fill-ink' : 'fill-ink-3'} ${isCurrent ? 'font-semibold' : ''}`}
        >
          {cut(title, isCurrent ? 27 : 29)}
        </text>
      </g>
      <title>{title.slice(0, 300)}</title>
    </g>
  )
})

const cut = (text: string, length: number): string => (text.length > length ? `${text.slice(0, length - 1)}…` : text)
