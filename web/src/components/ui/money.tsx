import { dollars, dollarsInWords } from '../../lib/format'

interface MoneyProps {
  cost: { costUsd: number | null; isEstimate: boolean }
  /** Tooltip. Default: the cost in words. */
  title?: string | undefined
  testId?: string
}

/** What something cost. An estimate is marked by `~`, which screen readers get in words. */
export function Money({ cost: { costUsd, isEstimate }, title, testId }: MoneyProps) {
  if (costUsd === null || !isEstimate)
    return (
      <span data-testid={testId} title={title}>
        {dollars(costUsd, false)}
      </span>
    )
  const words = dollarsInWords(costUsd, true)
  return (
    <span data-testid={testId} title={title ?? words}>
      <span aria-hidden>{dollars(costUsd, true)}</span>
      <span className="sr-only">{words}</span>
    </span>
  )
}
