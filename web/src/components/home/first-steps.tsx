import { useQuery } from '@tanstack/react-query'
import { client } from '../../lib/api'
import { Empty } from '../ui/empty'
import { CommandLine } from '../ui/id-chip'

/** What stands where nothing runs. @param isQuiet  nothing needs anybody and nothing finished lately: the record may be empty */
export function NothingRuns({ isQuiet }: { isQuiet: boolean }) {
  const sessions = useQuery({
    queryKey: ['overview', 'any-session'],
    queryFn: ({ signal }) => client.sessions.list({ limit: 1 }, { signal }),
    enabled: isQuiet,
  })
  if (isQuiet && sessions.data === undefined && sessions.error === null) return null
  const isEmpty = isQuiet && sessions.data?.sessions.length === 0
  return isEmpty ? <FirstSteps /> : <Empty title="No agent is at work." />
}

/** What to do first, in an empty record. */
function FirstSteps() {
  const steps = [
    ['Work with your agent as always: what it does appears here', 'claude'],
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
