import { SEGMENT_KINDS, type SegmentKind, type TimelineSegment } from '../../domain/conversation/conversation'

/** A stretch of time in milliseconds; both ends count for the one before and after. */
export interface Span {
  from: number
  to: number
  kind: SegmentKind
}

/** What counts where several overlap, strongest last. */
const STRENGTH: readonly SegmentKind[] = ['idle', 'working', 'tool', 'waiting']
/** Segments of a lane. */
const SEGMENT_LIMIT = 500

export interface FoldedSegments {
  segments: TimelineSegment[]
  spentMs: Record<SegmentKind, number>
}

/** One lane from `from` to `to` without gaps: it is idle where nothing is recorded; where several things are, the strongest counts. */
export function foldSegments(spans: readonly Span[], from: number, to: number): FoldedSegments {
  const exact = sweep(spans, from, to)
  const spentMs: Record<SegmentKind, number> = { working: 0, waiting: 0, idle: 0, tool: 0 }
  for (const { from: start, to: end, kind } of exact) spentMs[kind] += end - start
  const shown = exact.length > SEGMENT_LIMIT ? coarser(exact, (to - from) / SEGMENT_LIMIT) : exact
  return { segments: shown.map((span) => ({ kind: span.kind, from: iso(span.from), to: iso(span.to) })), spentMs }
}

const iso = (at: number): string => new Date(at).toISOString()

function sweep(spans: readonly Span[], from: number, to: number): Span[] {
  const edges: { at: number; strength: number; by: 1 | -1 }[] = []
  for (const span of spans) {
    const [start, end] = [Math.max(from, span.from), Math.min(to, span.to)]
    if (end <= start) continue
    const strength = STRENGTH.indexOf(span.kind)
    edges.push({ at: start, strength, by: 1 }, { at: end, strength, by: -1 })
  }
  edges.sort((a, b) => a.at - b.at)
  const open = SEGMENT_KINDS.map(() => 0)
  const found: Span[] = []
  const close = (until: number) => {
    const begin = found.at(-1)?.to ?? from
    if (until <= begin) return
    const kind =
      STRENGTH[
        Math.max(
          0,
          open.findLastIndex((count) => count > 0),
        )
      ] ?? 'idle'
    const last = found.at(-1)
    if (last?.kind === kind) last.to = until
    else found.push({ from: begin, to: until, kind })
  }
  for (const { at, strength, by } of edges) {
    close(at)
    open[strength] = (open[strength] ?? 0) + by
  }
  close(to)
  return found
}

/** Puts together what is shorter than `leastMs`; each such stretch is what most of it was. */
function coarser(spans: readonly Span[], leastMs: number): Span[] {
  const shown: Span[] = []
  let pending: Span[] = []
  const flush = () => {
    const [first] = pending
    const last = pending.at(-1)
    if (first === undefined || last === undefined) return
    const spent = STRENGTH.map((kind) =>
      pending.reduce((sum, span) => (span.kind === kind ? sum + span.to - span.from : sum), 0),
    )
    const kind = STRENGTH[spent.indexOf(Math.max(...spent))] ?? 'idle'
    const before = shown.at(-1)
    if (before?.kind === kind) before.to = last.to
    else shown.push({ from: first.from, to: last.to, kind })
    pending = []
  }
  for (const span of spans) {
    pending.push(span)
    if (span.to - (pending[0]?.from ?? span.from) >= leastMs) flush()
  }
  flush()
  return shown
}
