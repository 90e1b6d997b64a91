/** From when on messages of a session are a task's. Milliseconds. */
export interface TaskSpan {
  task: number
  from: number
}

/** Adds a session's next attempt. What came before the first of them is its own too: it goes on from there. */
export function addSpan(spans: TaskSpan[], task: number, startedAt: number): void {
  if (spans.length === 0) spans.push({ task, from: Number.NEGATIVE_INFINITY })
  else if (spans.at(-1)?.task !== task) spans.push({ task, from: startedAt })
}

/** The task that has a message; its time may be unknown. */
export function taskAt(spans: readonly TaskSpan[], at: number | null): number | undefined {
  return (spans.findLast(({ from }) => at !== null && from <= at) ?? spans[0])?.task
}
