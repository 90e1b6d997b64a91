import { useNewestSession } from '../../components/nothing-recorded'
import { Empty } from '../../components/ui/empty'
import { CommandLine } from '../../components/ui/id-chip'

/** Shown if nothing is running. @param isQuiet  nothing needs anybody and nothing finished lately, so the record may be empty */
export function NothingRuns({ isQuiet }: { isQuiet: boolean }) {
  const newest = useNewestSession(isQuiet)
  if (isQuiet && newest === undefined) return null
  return isQuiet && newest === null ? <FirstSteps /> : <Empty title="No agents are running." />
}

/** First steps for an empty record. */
function FirstSteps() {
  const steps = [
    ['Work with your agent as usual. What it does appears here:', 'claude'],
    ['Remind your agents of their goals and to-dos after a restart:', 'lode setup claude'],
    ['Give an agent a task:', "lode task create 'Describe this repository in three sentences'"],
  ] as const
  return (
    <ol className="flex flex-col gap-3 px-4 py-4">
      {steps.map(([what, command], at) => (
        <li key={command} className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="text-sm text-ink-2">
            {at + 1}. {what}
          </span>
          <CommandLine command={command} />
        </li>
      ))}
    </ol>
  )
}
