import { Maximize, Minus, Plus } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { type Layout, layoutGraph, NODE_HEIGHT, NODE_WIDTH } from '../../lib/graph-layout'
import type { IssueGraph } from '../../lib/issue-graph'
import { type KeyBinding, useKeys } from '../../lib/keys'
import { IconButton } from '../ui/button'
import { CurrentEdges, EdgeLegend, EdgeMarkers, edgeWords, GraphEdges } from './graph-edges'
import { GraphNode } from './graph-node'
import { usePanZoom } from './use-pan-zoom'

interface GraphPictureProps {
  graph: IssueGraph
  /** What of the address chose it: another choice is fitted into the frame anew. */
  choice: string
  focus: string | undefined
  onCurrent(id: string | undefined): void
  onOpen(id: string): void
  onFocus(id: string | undefined): void
}

const PAN = 80
const ZOOM = 1.3

/** The graph as a picture, to be moved and walked through. */
export function GraphPicture({ graph, choice, focus, onCurrent, onOpen, onFocus }: GraphPictureProps) {
  const frame = useRef<HTMLDivElement>(null)
  const picture = useRef<SVGSVGElement>(null)
  const { nodes, edges } = graph
  const layout = useMemo(
    () =>
      layoutGraph(
        nodes.map(({ id }) => id),
        edges.map(({ from, to, kind }) => ({ from, to, isLoose: kind === 'related' })),
      ),
    [nodes, edges],
  )
  const view = usePanZoom(frame, picture, layout)
  const [chosen, setChosen] = useState<string | undefined>(focus)
  const current = chosen !== undefined && layout.places.has(chosen) ? chosen : (focus ?? nodes[0]?.id)
  useEffect(() => onCurrent(current), [current, onCurrent])
  // biome-ignore lint/correctness/useExhaustiveDependencies: what lives on keeps its place; another choice does not
  useEffect(() => view.begin(boxOf(layout, current)), [view, choice])
  const own = useMemo(() => edges.filter(({ from, to }) => from === current || to === current), [edges, current])
  const words = useMemo(() => wordsOf(graph), [graph])

  const node = useRef<SVGGElement | null>(null)
  const isByKey = useRef(false)
  useEffect(() => {
    if (!isByKey.current || current === undefined) return
    isByKey.current = false
    node.current?.focus({ preventScroll: true })
    const box = boxOf(layout, current)
    if (box !== undefined) view.reveal(box)
  }, [current, layout, view])

  const latest = useRef({ current, layout, edges, focus })
  latest.current = { current, layout, edges, focus }
  const bindings = useMemo((): KeyBinding[] => {
    const group = 'Graph'
    const to = (id: string | undefined) => {
      if (id === undefined) return true
      isByKey.current = true
      setChosen(id)
      return true
    }
    const step = (way: Way, x: number, y: number) => (event: KeyboardEvent) => {
      if (event.shiftKey) view.pan(x * PAN, y * PAN)
      else to(nextNode(way, latest.current))
      return true
    }
    const zoom = (factor: number) => () => view.zoom(factor)
    const bind = (keys: string, label: string, run: KeyBinding['run']): KeyBinding => ({ keys, label, group, run })
    const open = (event: KeyboardEvent) => {
      const { target } = event
      if (target instanceof Element && target.closest('a,button') !== null) return false
      const { current: id } = latest.current
      if (id === undefined) return false
      onOpen(id)
      return true
    }
    return [
      bind('j', 'below', step('down', 0, -1)),
      bind('k', 'above', step('up', 0, 1)),
      bind('h', 'to what it needs', step('left', 1, 0)),
      bind('l', 'to what needs it', step('right', -1, 0)),
      bind('ArrowDown', 'below; with Shift it moves the picture', step('down', 0, -1)),
      bind('ArrowUp', 'above; with Shift it moves the picture', step('up', 0, 1)),
      bind('ArrowLeft', 'to what it needs', step('left', 1, 0)),
      bind('ArrowRight', 'to what needs it', step('right', -1, 0)),
      bind('+', 'nearer', zoom(ZOOM)),
      bind('=', 'nearer', zoom(ZOOM)),
      bind('-', 'farther', zoom(1 / ZOOM)),
      bind('0', 'all of it', () => view.fit()),
      bind('f', 'only what is near this issue, or all again', () =>
        onFocus(latest.current.focus === undefined ? latest.current.current : undefined),
      ),
      bind('Enter', 'open', open),
    ]
  }, [view, onOpen, onFocus])
  useKeys(bindings)

  const onPoint = useCallback(
    (id: string) => {
      if (!view.wasDrag()) setChosen(id)
    },
    [view],
  )
  const nodeRef = useCallback((element: SVGGElement | null) => {
    node.current = element
  }, [])

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={frame}
        role="group"
        aria-label={`Graph of ${nodes.length} issues and ${edges.length} relations. The table says the same in words.`}
        data-testid="issue-graph"
        className="absolute inset-0 cursor-grab touch-none overflow-hidden bg-canvas select-none active:cursor-grabbing"
      >
        <svg
          ref={picture}
          width={layout.width}
          height={layout.height}
          role="presentation"
          className="absolute top-0 left-0 origin-top-left overflow-visible"
        >
          <EdgeMarkers />
          <GraphEdges edges={edges} layout={layout} />
          <CurrentEdges edges={own} layout={layout} />
          {nodes.map((issue) => {
            const place = layout.places.get(issue.id)
            return place === undefined ? null : (
              <GraphNode
                key={issue.id}
                ref={issue.id === current ? nodeRef : null}
                issue={issue}
                place={place}
                isCurrent={issue.id === current}
                words={words.get(issue.id) ?? ''}
                onPoint={onPoint}
                onOpen={onOpen}
              />
            )
          })}
        </svg>
      </div>
      <div className="absolute top-2 right-2 flex flex-col rounded border border-line bg-panel">
        <IconButton label="Nearer (+)" onClick={() => view.zoom(ZOOM)}>
          <Plus aria-hidden size={14} />
        </IconButton>
        <IconButton label="Farther (-)" onClick={() => view.zoom(1 / ZOOM)}>
          <Minus aria-hidden size={14} />
        </IconButton>
        <IconButton label="All of it (0)" onClick={() => view.fit()}>
          <Maximize aria-hidden size={13} />
        </IconButton>
      </div>
      <div className="pointer-events-none absolute bottom-2 left-2 rounded border border-line bg-panel px-2 py-1">
        <EdgeLegend />
      </div>
    </div>
  )
}

function boxOf({ places }: Layout, id: string | undefined) {
  const place = id === undefined ? undefined : places.get(id)
  return place && { x: place.x, y: place.y, width: NODE_WIDTH, height: NODE_HEIGHT }
}

type Way = 'up' | 'down' | 'left' | 'right'

interface Walk {
  current: string | undefined
  layout: Layout
  edges: IssueGraph['edges']
}

/** Along an edge to the left and right, the nearest first; within the layer up and down, else to the next part. */
export function nextNode(way: Way, { current, layout, edges }: Walk): string | undefined {
  const from = current === undefined ? undefined : layout.places.get(current)
  if (from === undefined) return [...layout.places.keys()][0]
  const all = [...layout.places].filter(([id]) => id !== current)
  const nearest = (ids: [string, { x: number; y: number }][]) =>
    ids.sort(
      ([, a], [, b]) => Math.hypot(a.x - from.x, (a.y - from.y) * 2) - Math.hypot(b.x - from.x, (b.y - from.y) * 2),
    )[0]?.[0]
  if (way === 'left' || way === 'right') {
    const linked = new Set(
      edges.flatMap((edge) =>
        way === 'left' ? (edge.to === current ? [edge.from] : []) : edge.from === current ? [edge.to] : [],
      ),
    )
    return nearest(all.filter(([id]) => linked.has(id)))
  }
  const isThere = ({ y }: { y: number }) => (way === 'down' ? y > from.y : y < from.y)
  const inLayer = all.filter(([, place]) => place.part === from.part && place.x === from.x && isThere(place))
  return nearest(inLayer) ?? nearest(all.filter(([, place]) => isThere(place)))
}

/** For each issue what its edges say. */
function wordsOf({ edges }: IssueGraph): Map<string, string> {
  const words = new Map<string, string[]>()
  for (const { from, to, kind } of edges) words.set(to, [...(words.get(to) ?? []), `${edgeWords(kind)} ${from}`])
  return new Map([...words].map(([id, said]) => [id, `It ${said.slice(0, 10).join(', ')}`]))
}
