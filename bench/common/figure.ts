/** One figure of the benchmark, as the report shows it. */
export interface FigureResult {
  /** The name of the file that measured it. */
  name: string
  /** What must be reached, in words. */
  target: string
  /** Whether all of its targets were reached; `null` = it has none, it only tells. */
  ok: boolean | null
  /** What was measured, by what it is; units are part of the names (`p50Ms`, `megabytesPerSecond`). */
  values: Record<string, unknown>
  /** What the machine can do at most, measured in the same run. */
  limit: Record<string, unknown>
  seconds: number
}

/** What a figure measures with. */
export interface Bench {
  /** The executable, compiled from the source as it stands. */
  lode: string
  /** An executable of a former commit, to measure beside it. */
  before?: string | undefined
  /** A folder of the figure's own with a short path; removed after it. */
  folder: string
  /** A folder of the person's, where what takes long to fill is left for the next run. */
  kept?: string | undefined
  /** Reports progress to a person who waits. */
  note(text: string): void
}

/** A file of this folder that measures one figure. */
export interface Figure {
  name: string
  target: string
  measure(bench: Bench): Promise<Pick<FigureResult, 'ok' | 'values' | 'limit'>>
}
