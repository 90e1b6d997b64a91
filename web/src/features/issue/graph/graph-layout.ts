/**
 * A layered layout by dagre: an issue is to the left of those that it blocks. Each connected part is laid out separately; the parts are packed
 * into rows. Lengths are in units of the picture, which are pixels at a zoom of 1.
 */
import { type EdgeLabel, Graph, type GraphLabel, layout, type NodeLabel } from '@dagrejs/dagre'

/** Size of a node. */
export const NODE_WIDTH = 188
export const NODE_HEIGHT = 34
/** Space between columns, between the nodes of a column, and between parts. */
const COLUMN_GAP = 76
const NODE_GAP = 10
const PART_GAP = 36
/** Nodes up to which dagre minimizes edge lengths, which takes 0.1 s for 200 nodes. The faster algorithm takes 1 s for 1,000. */
const MAX_EXACT_NODES = 300

export interface LayoutEdge {
  from: string
  to: string
  /** Whether it relates two nodes without ordering them. */
  isLoose: boolean
}

/** The position of a node: its upper left corner. */
export interface Place {
  x: number
  y: number
  layer: number
  /** Index of its connected part. */
  part: number
}

export interface Layout {
  places: ReadonlyMap<string, Place>
  /** Points that an edge over several layers passes so as to cross no node, by `edgeKey`: centres of columns, from the left. */
  bends: ReadonlyMap<string, readonly { x: number; y: number }[]>
  width: number
  height: number
}

/** Key of an edge in `Layout.bends`. */
export const edgeKey = ({ from, to }: Pick<LayoutEdge, 'from' | 'to'>): string => `${from} ${to}`

/** Lays out a graph. @param ids  nodes; their order breaks ties */
export function layoutGraph(ids: readonly string[], edges: readonly LayoutEdge[]): Layout {
  const parts = connectedParts(ids, edges)
    .map((part) => layoutPart(part.ids, part.edges))
    .sort((a, b) => b.ids.length - a.ids.length)
  return pack(parts)
}

interface Part {
  ids: string[]
  /** Positions relative to the part's upper left corner. */
  places: Map<string, { x: number; y: number }>
  layer: Map<string, number>
  bends: Map<string, { x: number; y: number }[]>
  width: number
  height: number
}

function connectedParts(ids: readonly string[], edges: readonly LayoutEdge[]) {
  const root = new Map(ids.map((id) => [id, id]))
  const find = (id: string): string => {
    let at = id
    for (let up = root.get(at) ?? at; up !== at; up = root.get(at) ?? at) {
      root.set(at, root.get(up) ?? up)
      at = up
    }
    return at
  }
  for (const { from, to } of edges) root.set(find(from), find(to))
  const parts = new Map<string, { ids: string[]; edges: LayoutEdge[] }>()
  const partOf = (id: string) => {
    const key = find(id)
    const known = parts.get(key)
    if (known !== undefined) return known
    const made = { ids: [], edges: [] }
    parts.set(key, made)
    return made
  }
  for (const id of ids) partOf(id).ids.push(id)
  for (const edge of edges) partOf(edge.from).edges.push(edge)
  return [...parts.values()]
}

function layoutPart(ids: readonly string[], edges: readonly LayoutEdge[]): Part {
  const firm = edges.filter(({ isLoose, from, to }) => !isLoose && from !== to)
  const loose = edges.filter(({ isLoose, from, to }) => isLoose && from !== to)
  const alone = drawn(ids, firm)
  // A loose edge must not decide the order: it takes the direction that the firm edges give.
  const led = loose.flatMap((edge): LayoutEdge[] => {
    const [from, to] = [alone.node(edge.from).x ?? 0, alone.node(edge.to).x ?? 0]
    if (from === to) return []
    return [from < to ? edge : { ...edge, from: edge.to, to: edge.from }]
  })
  const graph = led.length === 0 ? alone : drawn(ids, [...firm, ...led])
  const columns = [...new Set(ids.map((id) => graph.node(id).x ?? 0))].sort((a, b) => a - b)
  const [left, top] = [columns[0] ?? 0, Math.min(...ids.map((id) => graph.node(id).y ?? 0))]
  const corner = ({ x = 0, y = 0 }: { x?: number; y?: number }) => ({ x: x - left, y: y - top })
  const places = new Map(ids.map((id) => [id, corner(graph.node(id))]))
  const bends = new Map<string, { x: number; y: number }[]>()
  for (const edge of edges) {
    const points = (graph.edge(edge.from, edge.to) ?? graph.edge(edge.to, edge.from))?.points ?? []
    // dagre also adds points in the gaps, for edge labels. Only those in columns are needed.
    const through = points
      .slice(1, -1)
      .filter(({ x }) => columns.includes(x))
      .map(corner)
      .sort((a, b) => a.x - b.x)
    if (through.length > 0) bends.set(edgeKey(edge), through)
  }
  return {
    ids: [...ids],
    places,
    layer: new Map(ids.map((id) => [id, columns.indexOf(graph.node(id).x ?? 0)])),
    bends,
    width: (columns.at(-1) ?? 0) - left + NODE_WIDTH,
    height: Math.max(...[...places.values(), ...[...bends.values()].flat()].map(({ y }) => y)) + NODE_HEIGHT,
  }
}

/** dagre's graph after its layout. Its positions are centres of nodes. */
function drawn(ids: readonly string[], edges: readonly LayoutEdge[]) {
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>()
  graph.setGraph({
    rankdir: 'LR',
    nodesep: NODE_GAP,
    edgesep: NODE_GAP,
    ranksep: COLUMN_GAP,
    ranker: ids.length > MAX_EXACT_NODES ? 'tight-tree' : 'network-simplex',
  })
  for (const id of ids) graph.setNode(id, { width: NODE_WIDTH, height: NODE_HEIGHT })
  // Firm edges come first, and win if both kinds join two nodes.
  for (const { from, to, isLoose } of edges)
    if (!graph.hasEdge(from, to)) graph.setEdge(from, to, { weight: isLoose ? 0 : 1 })
  layout(graph)
  return graph
}

/** Packs parts into rows, with about the aspect ratio of a screen. */
function pack(parts: readonly Part[]): Layout {
  const area = parts.reduce((sum, { width, height }) => sum + (width + PART_GAP) * (height + PART_GAP), 0)
  const limit = Math.max(...parts.map(({ width }) => width), Math.sqrt(area * 1.7))
  const places = new Map<string, Place>()
  const bends = new Map<string, { x: number; y: number }[]>()
  let [left, top, rowHeight, width] = [0, 0, 0, 0]
  for (const [index, part] of parts.entries()) {
    if (left > 0 && left + part.width > limit) {
      top += rowHeight + PART_GAP
      left = 0
      rowHeight = 0
    }
    const shifted = ({ x, y }: { x: number; y: number }) => ({ x: left + x, y: top + y })
    for (const id of part.ids)
      places.set(id, { ...shifted(part.places.get(id) ?? { x: 0, y: 0 }), layer: part.layer.get(id) ?? 0, part: index })
    for (const [key, through] of part.bends) {
      const middles = through.map(shifted).map(({ x, y }) => ({ x: x + NODE_WIDTH / 2, y: y + NODE_HEIGHT / 2 }))
      bends.set(key, middles)
    }
    width = Math.max(width, left + part.width)
    left += part.width + PART_GAP
    rowHeight = Math.max(rowHeight, part.height)
  }
  return { places, bends, width, height: top + rowHeight }
}
