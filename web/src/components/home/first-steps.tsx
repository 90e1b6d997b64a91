import { CommandLine } from '../ui/id-chip'

/** What to do first, in an empty record. */
export function FirstSteps() {
  const steps = [
    ['Record what your agents did so far, and do from now on', 'lode up'],
    ['Have your agents told their goal and their to-dos again', 'lode setup claude'],
    ['Give an agent something to do', "lode task create 'Describe this repository in three sentences'"],
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
