import { useQuery } from '@tanstack/react-query'
import type { AgentCli } from '#domain/harness/agent-cli'
import { MINUTE_MS } from '#domain/time-units'
import { client } from './api'

const NONE: readonly AgentCli[] = []

/** Agent CLIs that Lodeline knows, the one with most sessions first. Empty until they are loaded. */
export function useAgentClis(): readonly AgentCli[] {
  const { data } = useQuery({
    queryKey: ['agent-clis'],
    queryFn: async ({ signal }) => (await client.agentClis.list({ signal })).agentClis,
    // Milliseconds. A further CLI, or a worker that has one, appears within a minute.
    staleTime: MINUTE_MS,
  })
  return data ?? NONE
}

/** Names of the agent CLIs of which sessions are recorded. */
export const useRecordedClis = (): readonly string[] =>
  useAgentClis().flatMap(({ name, isRecorded }) => (isRecorded ? name : []))

/** Those in which a worker can continue a session of another one. */
export const othersAtWorkers = (clis: readonly AgentCli[], own: string): readonly AgentCli[] =>
  clis.filter(({ name, canRun, isAtWorker }) => name !== own && canRun && isAtWorker)
