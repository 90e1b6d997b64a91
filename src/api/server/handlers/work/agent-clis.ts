import type { AgentCli, AgentCliFacts } from '../../../../domain/harness/agent-cli'
import { agentClis } from '../../../contract/operations/agent-clis'
import { handle } from '../../handler'

export const listAgentClis = handle(agentClis.list, async (_call, { store, services }) => {
  const [counts, agents] = await Promise.all([store.sessions.countByAgent(), store.tasks.agents()])
  const online = new Set(
    agents.flatMap(({ status, clis }) => (status === 'online' ? (clis ?? []).map(({ name }) => name) : [])),
  )
  const known = services.agentLines.clis()
  // Another program has recorded them.
  const unknown = Object.keys(counts).filter((name) => known.every((cli) => cli.name !== name))
  const all: AgentCliFacts[] = [
    ...known,
    ...unknown.map((name) => ({ name, title: name, canRun: false, continuesIn: [] })),
  ]
  return {
    agentClis: all
      .map((cli): AgentCli => ({ ...cli, isRecorded: (counts[cli.name] ?? 0) > 0, isAtWorker: online.has(cli.name) }))
      .sort((a, b) => (counts[b.name] ?? 0) - (counts[a.name] ?? 0)),
  }
})
