/** A stretch of numbers. */
export interface Span {
  from: number
  to: number
}

/** Spans in order, with those made one between which is less than `gap`. */
export function joinSpans(spans: readonly Span[], gap: number): Span[] {
  const joined: Span[] = []
  for (const span of [...spans].sort((a, b) => a.from - b.from)) {
    const last = joined.at(-1)
    if (last !== undefined && span.from - last.to < gap) last.to = Math.max(last.to, span.to)
    else joined.push({ ...span })
  }
  return joined
}

/** At most `most` spans: where there are more, the shortest gaps are closed. @param spans  in order, apart from each other */
export function withFewest(spans: readonly Span[], most: number): Span[] {
  if (spans.length <= most) return [...spans]
  const gaps = spans.slice(1).map((span, at) => span.from - (spans[at]?.to ?? span.from))
  const kept = new Set(
    gaps
      .map((gap, at) => [gap, at] as const)
      .sort((a, b) => b[0] - a[0])
      .slice(0, most - 1)
      .map(([, at]) => at + 1),
  )
  const joined: Span[] = []
  for (const [at, span] of spans.entries()) {
    const last = joined.at(-1)
    if (last === undefined || kept.has(at)) joined.push({ ...span })
    else last.to = Math.max(last.to, span.to)
  }
  return joined
}
