import { Money } from '../../../components/ui/money'
import { taskCostInWords } from '../../costs/cost-words'
import type { RecordedCost } from '../task-costs'

interface TaskCostProps {
  recorded: RecordedCost | null | undefined
  /** US dollars that its runs reported, shown if they differ. */
  reported: number | null
}

/** The recorded cost of a task; nothing if none is recorded. */
export function TaskCost({ recorded, reported }: TaskCostProps) {
  if (recorded === null || recorded === undefined) return null
  return <Money cost={recorded} title={taskCostInWords(recorded, reported) ?? undefined} testId="task-cost" />
}
