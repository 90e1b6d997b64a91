import { taskCostInWords } from '../../lib/cost-words'
import { dollars } from '../../lib/format'
import type { RecordedCost } from '../../lib/task-costs'

interface TaskCostProps {
  recorded: RecordedCost | null | undefined
  /** US dollars that its runs reported, to be told where they are another sum. */
  reported: number | null
}

/** What a task cost by what is recorded of it; nothing where nothing is. */
export function TaskCost({ recorded, reported }: TaskCostProps) {
  if (recorded === null || recorded === undefined) return null
  return (
    <span data-testid="task-cost" title={taskCostInWords(recorded, reported) ?? undefined}>
      {dollars(recorded.costUsd)}
    </span>
  )
}
