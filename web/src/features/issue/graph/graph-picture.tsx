import { Maximize, Minus, Plus } from 'lucide-react'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { IconButton } from '../../../components/ui/button'
import { type KeyBinding, useKeys } from '../../../lib/keys/keys'
import { CurrentEdges, EdgeLegend, EdgeMarkers, edgeWords, GraphEdges } from './graph-edges'
import { type Layout, type LayoutEdge, layoutGraph, NODE_HEIGHT, NODE_WIDTH } from './graph-layout'
import { GraphNode } from './graph-node'
import type { IssueGraph } from './issue-graph'
import { type PanZoom, usePanZoom } from './use-pan-zoom'

interface GraphPictureProps {
  graph: IssueGraph
  /** The address of the shown graph. When it changes, the picture is fitted into the frame again. */
  choice: string
  focus: string | undefined
  onCurrent(id: string | undefined): void
  onOpen(id: string): void
  onFocus(id: string | undefined): void
}

/** Distance of one move by key, in pixels. */
const PAN_STEP_PX = 80
/** Factor of one zoom step. */
const ZOOM_FACTOR = 1.3

/** The graph as a picture, to pan, zoom and walk through by keys. */
export function GraphPicture({ graph, choice, focus, onCurrent, onOpen, onFocus }: GraphPictureProps) {
  const frame = useRef<HTMLDivElement>(null)
  const picture = useRef<SVGSVGElement>(null)
  const { nodes, edges } = graph
  // Depends on nodes and edges only: a layout takes up to a second, and changed titles do not need one.
  const shape = JSON.stringify([
    nodes.map(({ id }) => id),
    edges.map(({ from, to, kind }): LayoutEdge => ({ from, to, isLoose: kind === 'related' })),
  ])
  const layout = useMemo(() => layoutGraph(...(JSON.parse(shape) as [string[], LayoutEdge[]])), [shape])
  const view = usePanZoom(frame, picture, layout)
  const [chosen, setChosen] = useState<string | undefined>(focus)
  const current = chosen !== undefined && layout.places.has(chosen) ? chosen : (focus ?? nodes[0]?.id)
  useEffect(() => onCurrent(current), [current, onCurrent])
  // biome-ignore lint/correctness/useExhaustiveDependencies: a live change keeps the position; another choice does not
  useEffect(() => view.begin(boxOf(layout, current)), [view, choice])
  const own = useMemo(() => edges.filter(({ from, to }) => from === current || to === current), [edges, current])
  const words = useMemo(() => wordsOf(graph), [graph])

  const node = useGraphKeys({ graph, layout, view, current, focus, setChosen, onOpen, onFocus })
  const onPoint = useCallback(
    (id: string) => {
      if (!view.wasDrag()) setChosen(id)
    },
    [view],
  )
  const nodeRef = useCallback(
    (element: SVGGElement | null) => {
      node.current = element
    },
    [node],
  )

  return (
    <div className="relative min-h-0 flex-1">
      <div
        ref={frame}
        role="group"
        aria-label={`Graph of ${nodes.length} issues and ${edges.length} links. The table has the same content.`}
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
      <ZoomButtons view={view} />
      <div className="pointer-events-none absolute bottom-2 left-2 rounded border border-line bg-panel px-2 py-1">
        <EdgeLegend />
      </div>
    </div>
  )
}

const ZoomButtons = ({ view }: { view: PanZoom }) => (
  <div className="absolute top-2 right-2 flex flex-col rounded border border-line bg-panel">
    <IconButton label="Zoom in (+)" onClick={() => view.zoom(ZOOM_FACTOR)}>
      <Plus aria-hidden size={14} />
    </IconButton>
    <IconButton label="Zoom out (-)" onClick={() => view.zoom(1 / ZOOM_FACTOR)}>
      <Minus aria-hidden size={14} />
    </IconButton>
    <IconButton label="Show everything (0)" onClick={() => view.fit()}>
      <Maximize aria-hidden size={13} />
    </IconButton>
  </div>
)

interface GraphKeysInput {
  graph: IssueGraph
  layout: Layout
  view: PanZoom
  /** ID of the current issue. */
  current: string | undefined
  focus: string | undefined
  setChosen(id: string): void
  onOpen(id: string): void
  onFocus(id: string | undefined): void
}

/** Binds the shortcuts that walk, pan and zoom. @returns a ref for the current node, which takes the focus after a step */
function useGraphKeys({ graph, layout, view, current, focus, setChosen, onOpen, onFocus }: GraphKeysInput) {
  const node = useRef<SVGGElement | null>(null)
  const isByKey = useRef(false)
  useEffect(() => {
    if (!isByKey.current || current === undefined) return
    isByKey.current = false
    node.current?.focus({ preventScroll: true })
    const box = boxOf(layout, current)
    if (box !== undefined) view.reveal(box)
  }, [current, layout, view])

  const latest = useRef({ current, layout, edges: graph.edges, focus })
  latest.current = { current, layout, edges: graph.edges, focus }
  const bindings = useMemo((): KeyBinding[] => {
    const group = 'Graph'
    const to = (id: string | undefined) => {
      if (id === undefined) return true
      isByKey.current = true
      setChosen(id)
      return true
    }
    const step = (way: Way, x: number, y: number) => (event: KeyboardEvent) => {
      if (event.shiftKey) view.pan(x * PAN_STEP_PX, y * PAN_STEP_PX)
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
      bind('j', 'issue below', step('down', 0, -1)),
      bind('k', 'issue above', step('up', 0, 1)),
      bind('h', 'go to a blocker', step('left', 1, 0)),
      bind('l', 'go to a blocked issue', step('right', -1, 0)),
      bind('ArrowDown', 'issue below; with Shift, move the picture', step('down', 0, -1)),
      bind('ArrowUp', 'issue above; with Shift, move the picture', step('up', 0, 1)),
      bind('ArrowLeft', 'go to a blocker', step('left', 1, 0)),
      bind('ArrowRight', 'go to a blocked issue', step('right', -1, 0)),
      bind('+', 'zoom in', zoom(ZOOM_FACTOR)),
      bind('=', 'zoom in', zoom(ZOOM_FACTOR)),
      bind('-', 'zoom out', zoom(1 / ZOOM_FACTOR)),
      bind('0', 'show everything', () => view.fit()),
      bind('f', 'show only issues near this one, or all', () =>
        onFocus(latest.current.focus === undefined ? latest.current.current : undefined),
      ),
      bind('Enter', 'open the issue', open),
    ]
  }, [view, setChosen, onOpen, onFocus])
  useKeys(bindings)
  return node
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

/** The next node in a direction: left and right along the nearest edge; up and down within the layer, otherwise to the next part. */
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

/** Describes the edges of each issue. */
function wordsOf({ edges }: IssueGraph): Map<string, string> {
  const words = new Map<string, string[]>()
  for (const { from, to, kind } of edges) words.set(to, [...(words.get(to) ?? []), `${edgeWords(kind)} ${from}`])
  return new Map([...words].map(([id, said]) => [id, `It ${said.slice(0, 10).join(', ')}`]))
}
