import { memo } from 'react'
import { edgeKey, type Layout, NODE_HEIGHT, NODE_WIDTH } from './graph-layout'
import type { EdgeKind, GraphEdge } from './issue-graph'

/** Line, end mark and name of each kind of edge. They differ without colour. */
const LOOKS: Record<EdgeKind, { className: string; dashes?: string; end: string; name: string }> = {
  blocks: { className: 'stroke-ink-2', end: 'edge-blocks', name: 'is blocked by' },
  parent: { className: 'stroke-ink-3', dashes: '7 4', end: 'edge-parent', name: 'is child of' },
  related: { className: 'stroke-ink-3', dashes: '1.5 4', end: 'edge-related', name: 'is related to' },
}

/** End marks of edges: a filled arrow, an empty diamond, a ring. */
export const EdgeMarkers = () => (
  <defs>
    <marker
      id="edge-blocks"
      viewBox="0 0 8 8"
      refX="7"
      refY="4"
      markerWidth="7"
      markerHeight="7"
      orient="auto-start-reverse"
    >
      <path d="M0 0.5 8 4 0 7.5z" className="fill-ink-2" />
    </marker>
    <marker
      id="edge-parent"
      viewBox="0 0 12 8"
      refX="11"
      refY="4"
      markerWidth="10"
      markerHeight="7"
      orient="auto-start-reverse"
    >
      <path d="M1 4 6 1 11 4 6 7z" className="fill-panel stroke-ink-3" />
    </marker>
    <marker
      id="edge-related"
      viewBox="0 0 8 8"
      refX="6"
      refY="4"
      markerWidth="6"
      markerHeight="6"
      orient="auto-start-reverse"
    >
      <circle cx="4" cy="4" r="2.5" className="fill-panel stroke-ink-3" />
    </marker>
    <marker
      id="edge-current"
      viewBox="0 0 8 8"
      refX="7"
      refY="4"
      markerWidth="5"
      markerHeight="5"
      orient="auto-start-reverse"
    >
      <path d="M0 0.5 8 4 0 7.5z" className="fill-accent" />
    </marker>
  </defs>
)

/** The path of an edge, drawn from left to right through the columns between. Nodes in one column are joined by an arc at their right. */
export function edgeLine(edge: GraphEdge, { places, bends }: Layout): { d: string; isReversed: boolean } {
  const [from, to] = [places.get(edge.from), places.get(edge.to)]
  if (from === undefined || to === undefined) return { d: '', isReversed: false }
  if (from.x === to.x) {
    const [x, y1, y2] = [from.x + NODE_WIDTH, from.y + NODE_HEIGHT / 2, to.y + NODE_HEIGHT / 2]
    return { d: `M${x} ${y1}C${x + 44} ${y1} ${x + 44} ${y2} ${x} ${y2}`, isReversed: false }
  }
  const isReversed = from.x > to.x
  const [left, right] = isReversed ? [to, from] : [from, to]
  // Straight past the nodes of each column, and a curve in each gap.
  const stops = (bends.get(edgeKey(edge)) ?? []).map(({ x, y }) => ({
    from: x - HALF_NODE_WIDTH,
    to: x + HALF_NODE_WIDTH,
    y,
  }))
  let at = { x: left.x + NODE_WIDTH, y: left.y + NODE_HEIGHT / 2 }
  let d = `M${at.x} ${at.y}`
  for (const stop of [...stops, { from: right.x, to: right.x, y: right.y + NODE_HEIGHT / 2 }]) {
    const bow = Math.max(30, (stop.from - at.x) / 2)
    d += `C${at.x + bow} ${at.y} ${stop.from - bow} ${stop.y} ${stop.from} ${stop.y}`
    if (stop.to > stop.from) d += `H${stop.to}`
    at = { x: stop.to, y: stop.y }
  }
  return { d, isReversed }
}

/** The end mark, at the side of the target. */
const marked = (isReversed: boolean, end: string) =>
  isReversed ? { markerStart: `url(#${end})` } : { markerEnd: `url(#${end})` }

/** Half the width of a node, in units of the picture. */
const HALF_NODE_WIDTH = NODE_WIDTH / 2

/** All edges. */
export const GraphEdges = memo(function GraphEdges({ edges, layout }: { edges: readonly GraphEdge[]; layout: Layout }) {
  return (
    <g fill="none" aria-hidden>
      {edges.map((edge) => {
        const { className, dashes, end } = LOOKS[edge.kind]
        const { d, isReversed } = edgeLine(edge, layout)
        return (
          <path
            key={`${edge.from} ${edge.to} ${edge.type}`}
            d={d}
            strokeDasharray={dashes}
            {...marked(isReversed, end)}
            className={className}
          />
        )
      })}
    </g>
  )
})

/** The edges of the current issue, drawn over the others. */
export function CurrentEdges({ edges, layout }: { edges: readonly GraphEdge[]; layout: Layout }) {
  return (
    <g fill="none" aria-hidden className="stroke-accent stroke-2">
      {edges.map((edge) => {
        const { d, isReversed } = edgeLine(edge, layout)
        return (
          <path
            key={`${edge.from} ${edge.to} ${edge.type}`}
            d={d}
            strokeDasharray={LOOKS[edge.kind].dashes}
            {...marked(isReversed, 'edge-current')}
          />
        )
      })}
    </g>
  )
}

/** Legend of the lines. */
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
        {kind === 'blocks' ? 'blocks' : kind === 'parent' ? 'is parent of' : 'is related to'}
      </li>
    ))}
  </ul>
)

/** What an edge says, from its target to its source. */
export const edgeWords = (kind: EdgeKind): string => LOOKS[kind].name
