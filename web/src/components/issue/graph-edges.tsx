import { memo } from 'react'
import { type Layout, NODE_HEIGHT, NODE_WIDTH } from '../../lib/graph-layout'
import type { EdgeKind, GraphEdge } from '../../lib/issue-graph'

/** Line and end of each kind: they differ without colour. */
const LOOKS: Record<EdgeKind, { className: string; dashes?: string; end: string; name: string }> = {
  blocks: { className: 'stroke-ink-2', end: 'edge-blocks', name: 'needs' },
  parent: { className: 'stroke-ink-3', dashes: '7 4', end: 'edge-parent', name: 'is part of' },
  related: { className: 'stroke-line-strong', dashes: '1.5 4', end: 'edge-related', name: 'is related to' },
}

/** The ends of edges: a filled arrow, an empty diamond, a ring. */
export const EdgeMarkers = () => (
  <defs>
    <marker id="edge-blocks" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
      <path d="M0 0.5 8 4 0 7.5z" className="fill-ink-2" />
    </marker>
    <marker id="edge-parent" viewBox="0 0 12 8" refX="11" refY="4" markerWidth="10" markerHeight="7" orient="auto">
      <path d="M1 4 6 1 11 4 6 7z" className="fill-panel stroke-ink-3" />
    </marker>
    <marker id="edge-related" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="6" markerHeight="6" orient="auto">
      <circle cx="4" cy="4" r="2.5" className="fill-panel stroke-line-strong" />
    </marker>
    <marker id="edge-current" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5" orient="auto">
      <path d="M0 0.5 8 4 0 7.5z" className="fill-accent" />
    </marker>
  </defs>
)

/** Between the two sides that face each other; nodes above one another are joined by an arc at their right. */
export function edgePath({ from, to }: GraphEdge, { places }: Layout): string {
  const [a, b] = [places.get(from), places.get(to)]
  if (a === undefined || b === undefined) return ''
  const [ay, by] = [a.y + NODE_HEIGHT / 2, b.y + NODE_HEIGHT / 2]
  if (b.x > a.x) {
    const [x1, x2] = [a.x + NODE_WIDTH, b.x]
    const bend = Math.max(30, (x2 - x1) / 2)
    return `M${x1} ${ay}C${x1 + bend} ${ay} ${x2 - bend} ${by} ${x2} ${by}`
  }
  if (b.x === a.x) {
    const x = a.x + NODE_WIDTH
    return `M${x} ${ay}C${x + 44} ${ay} ${x + 44} ${by} ${x} ${by}`
  }
  const [x1, x2] = [a.x, b.x + NODE_WIDTH]
  const bend = Math.max(30, (x1 - x2) / 2)
  return `M${x1} ${ay}C${x1 - bend} ${ay} ${x2 + bend} ${by} ${x2} ${by}`
}

export const GraphEdges = memo(function GraphEdges({ edges, layout }: { edges: readonly GraphEdge[]; layout: Layout }) {
  return (
    <g fill="none" aria-hidden>
      {edges.map((edge) => {
        const { className, dashes, end } = LOOKS[edge.kind]
        return (
          <path
            key={`${edge.from} ${edge.to} ${edge.type}`}
            d={edgePath(edge, layout)}
            strokeDasharray={dashes}
            markerEnd={`url(#${end})`}
            className={className}
          />
        )
      })}
    </g>
  )
})

/** The current issue's edges, over the others. */
export function CurrentEdges({ edges, layout }: { edges: readonly GraphEdge[]; layout: Layout }) {
  return (
    <g fill="none" aria-hidden className="stroke-accent stroke-2">
      {edges.map((edge) => (
        <path
          key={`${edge.from} ${edge.to} ${edge.type}`}
          d={edgePath(edge, layout)}
          strokeDasharray={LOOKS[edge.kind].dashes}
          markerEnd="url(#edge-current)"
        />
      ))}
    </g>
  )
}

/** What the lines mean. */
export const EdgeLegend = () => (
  <ul className="flex flex-wrap gap-x-3 gap-y-0.5 text-2xs text-ink-2">
    {(['blocks', 'parent', 'related'] as const).map((kind) => (
      <li key={kind} className="flex items-center gap-1">
        <svg width="34" height="10" aria-hidden>
          <path
            d="M1 5H32"
            strokeDasharray={LOOKS[kind].dashes}
            markerEnd={`url(#${LOOKS[kind].end})`}
            className={LOOKS[kind].className}
          />
        </svg>
        {kind === 'blocks' ? 'holds up' : kind === 'parent' ? 'has as a part' : 'is related'}
      </li>
    ))}
  </ul>
)

export const edgeWords = (kind: EdgeKind): string => LOOKS[kind].name
