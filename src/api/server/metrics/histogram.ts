import type { Labels, Sample } from './open-metrics'

/**
 * The samples of one series of a histogram.
 *
 * @param counts  by the first bound that each kept; the last place is for those above all
 */
export function histogramSamples(
  bounds: readonly number[],
  { labels, counts, sum }: { labels: Labels; counts: readonly number[]; sum: number },
): Sample[] {
  let count = 0
  const buckets = counts.map((each, at) => {
    count += each
    const bound = bounds[at]
    // The format asks for whole numbers as floats here.
    const le = bound === undefined ? '+Inf' : Number.isInteger(bound) ? `${bound}.0` : String(bound)
    return { suffix: '_bucket', labels: { ...labels, le }, value: count }
  })
  return [...buckets, { suffix: '_count', labels, value: count }, { suffix: '_sum', labels, value: sum }]
}
