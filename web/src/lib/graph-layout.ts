/**
 * A layered layout: what is needed stands to the left of what needs it. Each connected part is laid out by itself; the parts are packed into
 * rows. Circles are cut where a walk meets them.
 */

export const NODE_WIDTH = 188
export const NODE_HEIGHT = 34
const GAP_X = 76
const GAP_Y = 10
const GAP_PARTS = 36
const SWEEPS = 6
const STEP = NODE_HEIGHT + GAP_Y

export interface LayoutEdge {
  from: string
  to: string
  /** It only relates two nodes, and says nothing of their order. */
  isLoose: boolean
}

/** Left upper corner. */
export interface Place {
  x: number
  y: number
  layer: number
  /** Of the connected part that it is in. */
  part: number
}

export interface Layout {
  places: ReadonlyMap<string, Place>
  /** Of edges over several layers, by `edgeKey`: where they go through the layers between, so as to cross no node: middles of columns, from the left. */
  bends: ReadonlyMap<string, readonly { x: number; y: number }[]>
  width: number
  height: number
}

export const edgeKey = ({ from, to }: Pick<LayoutEdge, 'from' | 'to'>): string => `${from} ${to}`

/** @param ids  in the order that ties are decided by */
export function layoutGraph(ids: readonly string[], edges: readonly LayoutEdge[]): Layout {
  const parts = connectedParts(ids, edges)
    .map((part) => layoutPart(part.ids, part.edges))
    .sort((a, b) => b.ids.length - a.ids.length)
  return pack(parts)
}

interface Part {
  ids: string[]
  x: Map<string, number>
  y: Map<string, number>
  layer: Map<string, number>
  bends: Map<string, string[]>
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
  const layer = layersOf(
    ids,
    edges.filter(({ isLoose }) => !isLoose),
  )
  const { short, bends } = withBends(edges, layer)
  const rows: string[][] = []
  for (const [id, at] of layer) {
    const row = rows[at] ?? []
    rows[at] = row
    row.push(id)
  }
  const near = nearOf(short)
  order(rows, near)
  const y = heights(rows, near)
  const top = Math.min(...ids.map((id) => y.get(id) ?? 0))
  for (const [id, at] of y) y.set(id, at - top)
  return {
    ids: [...ids],
    x: new Map([...layer].map(([id, at]) => [id, at * (NODE_WIDTH + GAP_X)])),
    y,
    layer,
    bends,
    width: rows.length * (NODE_WIDTH + GAP_X) - GAP_X,
    height: Math.max(...ids.map((id) => y.get(id) ?? 0)) + NODE_HEIGHT,
  }
}

/** Edges over several layers become rows of short ones, through places that are kept free for them; those stand in `layer`, too. */
function withBends(edges: readonly LayoutEdge[], layer: Map<string, number>) {
  const bends = new Map<string, string[]>()
  const short = edges.flatMap((edge, index): LayoutEdge[] => {
    const { from, to, isLoose } = edge
    const ends = [layer.get(from) ?? 0, layer.get(to) ?? 0] as const
    const [start, end] = [Math.min(...ends), Math.max(...ends)]
    const key = edgeKey(edge)
    if (end - start < 2 || bends.has(key)) return [edge]
    // No id holds a control character.
    const through = Array.from({ length: end - start - 1 }, (_, at) => `\u0000${index} ${start + at + 1}`)
    for (const [at, id] of through.entries()) layer.set(id, start + at + 1)
    bends.set(key, through)
    const stops = ends[0] < ends[1] ? [from, ...through, to] : [to, ...through, from]
    return stops.slice(1).map((stop, at) => ({ from: stops[at] ?? from, to: stop, isLoose }))
  })
  return { short, bends }
}

function nearOf(edges: readonly LayoutEdge[]): Map<string, string[]> {
  const near = new Map<string, string[]>()
  for (const { from, to } of edges) {
    add(near, from, to)
    add(near, to, from)
  }
  return near
}

function add(lists: Map<string, string[]>, key: string, value: string): void {
  const list = lists.get(key)
  if (list === undefined) lists.set(key, [value])
  else list.push(value)
}

/** Each node's layer: one behind the last that it needs; what needs nothing stands just before what needs it. */
function layersOf(ids: readonly string[], edges: readonly LayoutEdge[]): Map<string, number> {
  const next = new Map<string, string[]>()
  for (const { from, to } of edges) add(next, from, to)
  const sorted = withoutCircles(ids, next)
  const rank = new Map(sorted.map((id, at) => [id, at]))
  const isForward = (from: string, to: string) => (rank.get(from) ?? 0) < (rank.get(to) ?? 0)
  const layer = new Map<string, number>()
  for (const id of sorted) {
    const own = layer.get(id) ?? 0
    layer.set(id, own)
    for (const to of next.get(id) ?? []) if (isForward(id, to)) layer.set(to, Math.max(layer.get(to) ?? 0, own + 1))
  }
  const isNeedy = new Set(edges.filter(({ from, to }) => isForward(from, to)).map(({ to }) => to))
  for (const id of ids) {
    if (isNeedy.has(id)) continue
    const behind = (next.get(id) ?? []).filter((to) => isForward(id, to)).map((to) => layer.get(to) ?? 0)
    if (behind.length > 0) layer.set(id, Math.max(0, Math.min(...behind) - 1))
  }
  return layer
}

/** An order in which edges lead forward, but those that close a circle. Without recursion: chains of thousands are real. */
function withoutCircles(ids: readonly string[], next: ReadonlyMap<string, string[]>): string[] {
  const seen = new Set<string>()
  const done: string[] = []
  const hasSource = new Set([...next.values()].flat())
  for (const start of [...ids.filter((id) => !hasSource.has(id)), ...ids]) {
    if (seen.has(start)) continue
    seen.add(start)
    const walk = [{ id: start, at: 0 }]
    for (let top = walk.at(-1); top !== undefined; top = walk.at(-1)) {
      const to = next.get(top.id)?.[top.at++]
      if (to === undefined) {
        done.push(top.id)
        walk.pop()
      } else if (!seen.has(to)) {
        seen.add(to)
        walk.push({ id: to, at: 0 })
      }
    }
  }
  return done.reverse()
}

/** Puts each node near the middle of its neighbours, layer after layer, there and back: few edges cross then. */
function order(rows: readonly string[][], near: ReadonlyMap<string, string[]>): void {
  const at = new Map<string, number>()
  const note = (row: readonly string[]) => {
    for (const [index, id] of row.entries()) at.set(id, index / Math.max(1, row.length - 1))
  }
  for (const row of rows) note(row)
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (const row of sweep % 2 === 0 ? rows : rows.toReversed()) {
      const wanted = new Map(row.map((id) => [id, mean((near.get(id) ?? []).map((other) => at.get(other) ?? 0))]))
      row.sort((a, b) => (wanted.get(a) ?? at.get(a) ?? 0) - (wanted.get(b) ?? at.get(b) ?? 0))
      note(row)
    }
}

/** Heights that follow the neighbours, with each row's order and distances kept. */
function heights(rows: readonly string[][], near: ReadonlyMap<string, string[]>): Map<string, number> {
  const y = new Map<string, number>()
  for (const row of rows) for (const [index, id] of row.entries()) y.set(id, (index - row.length / 2) * STEP)
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (const row of sweep % 2 === 0 ? rows : rows.toReversed()) {
      const wanted = row.map((id) => mean((near.get(id) ?? []).map((other) => y.get(other) ?? 0)) ?? y.get(id) ?? 0)
      for (const [index, at] of spread(wanted).entries()) y.set(row[index] ?? '', at)
    }
  return y
}

/** The nearest positions to those wanted that are `STEP` apart and in order: neighbours that collide share their mean. */
export function spread(wanted: readonly number[]): number[] {
  const blocks: { sum: number; count: number }[] = []
  for (const [index, value] of wanted.entries()) {
    blocks.push({ sum: value - index * STEP, count: 1 })
    for (;;) {
      const [last, before] = [blocks.at(-1), blocks.at(-2)]
      if (last === undefined || before === undefined || before.sum / before.count <= last.sum / last.count) break
      blocks.pop()
      before.sum += last.sum
      before.count += last.count
    }
  }
  let index = 0
  return blocks.flatMap(({ sum, count }) => Array.from({ length: count }, () => sum / count + index++ * STEP))
}

const mean = (values: readonly number[]): number | undefined =>
  values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length

/** Rows of parts, about as wide as a screen is to its height. */
function pack(parts: readonly Part[]): Layout {
  const area = parts.reduce((sum, { width, height }) => sum + (width + GAP_PARTS) * (height + GAP_PARTS), 0)
  const limit = Math.max(...parts.map(({ width }) => width), Math.sqrt(area * 1.7))
  const places = new Map<string, Place>()
  const bends = new Map<string, { x: number; y: number }[]>()
  let [left, top, rowHeight, width] = [0, 0, 0, 0]
  for (const [index, part] of parts.entries()) {
    if (left > 0 && left + part.width > limit) {
      top += rowHeight + GAP_PARTS
      left = 0
      rowHeight = 0
    }
    const placeOf = (id: string) => ({ x: left + (part.x.get(id) ?? 0), y: top + (part.y.get(id) ?? 0) })
    for (const id of part.ids) places.set(id, { ...placeOf(id), layer: part.layer.get(id) ?? 0, part: index })
    for (const [key, through] of part.bends) {
      const middles = through.map(placeOf).map(({ x, y }) => ({ x: x + NODE_WIDTH / 2, y: y + NODE_HEIGHT / 2 }))
      bends.set(key, middles)
    }
    width = Math.max(width, left + part.width)
    left += part.width + GAP_PARTS
    rowHeight = Math.max(rowHeight, part.height)
  }
  return { places, bends, width, height: top + rowHeight }
}
