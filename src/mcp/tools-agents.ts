import { AGENT_KINDS } from '../domain/agent'
import { MINUTE_MS } from '../domain/time-units'
import type { ToolHost } from './host'
import { agentLine, fileLine, taskLine, taskText } from './present'
import { choice, defineTool, list, optional, text, whole } from './tool'

const AGENTS = ['operator', 'lead', 'worker'] as const

/** An operator speaks for an agent by naming it; an agent's own token says who it is. */
const asAgent = (agentId: string | undefined, host: ToolHost) => {
  const id = agentId ?? host.joined ?? undefined
  return id === undefined ? {} : { agentId: id }
}
const AGENT_ID = 'Agent to act for; not needed after join in this process'

/** Agents in one answer. */
const SHOWN = 200

export const listAgents = defineTool({
  name: 'list-agents',
  description:
    'Lists agents that tasks can be given to: workers with what they can do and how busy they are, and specialists, whose instructions go with a task to any worker.',
  callers: ['operator', 'lead', 'worker', 'attempt'],
  isReadOnly: true,
  input: { dir: optional(text('Project whose agent files count too; of a run its own')) },
  async run({ dir }, { client }) {
    const { agents, files } = await client.agents.list(dir === undefined ? {} : { dir })
    const lines = [...agents.slice(0, SHOWN).map(agentLine), ...files.slice(0, SHOWN).map(fileLine)]
    if (agents.length > SHOWN) lines.push(`and ${agents.length - SHOWN} more agents`)
    return lines.length === 0 ? 'No agent has joined yet.' : lines.join('\n')
  },
})

export const joinAgents = defineTool({
  name: 'join',
  description: 'Registers you as an agent that tasks can be given to, or finds you again by your name.',
  callers: ['operator'],
  input: {
    name: text('Unique; the same again later is the same agent'),
    kind: optional(choice(AGENT_KINDS, 'Default worker')),
    capabilities: optional(list('What you can do, for tasks that require it')),
  },
  async run({ name, kind = 'worker', capabilities = [] }, { host, client }) {
    // The token of the answer is for programs: a model needs none and should not see one.
    const { agent } = await client.agents.join({
      name,
      kind,
      capabilities,
      concurrency: 1,
      isFormerGone: false,
      ...host.place,
    })
    host.joined = agent.id
    return `You are ${agentLine(agent)}. Give agentId ${agent.id} where a tool asks for it.`
  },
})

export const claimTask = defineTool({
  name: 'claim-task',
  description:
    'Takes a task to work on it yourself: the one named, or the next. Finish it with finish-task within its lease.',
  callers: AGENTS,
  input: {
    id: optional(text('Task id; without it the next one that you may take')),
    leaseMinutes: optional(whole('How long it is yours, 1-60, default 30')),
    agentId: optional(text(AGENT_ID)),
  },
  async run({ id, leaseMinutes = 30, agentId }, { host, client }) {
    const leaseMs = Math.min(Math.max(leaseMinutes, 1), 60) * MINUTE_MS
    const input = { leaseMs, ...asAgent(agentId, host) }
    const { assignment } = await (id === undefined ? client.tasks.claimNext(input) : client.tasks.claim(id, input))
    if (assignment === null) return 'There is no task that you may take now.'
    return taskText(await client.tasks.get(assignment.task.id))
  },
})

export const acceptTask = defineTool({
  name: 'accept-task',
  description: 'Accepts a task that was offered to you; it is then yours to claim.',
  callers: AGENTS,
  input: { id: text('Task id'), agentId: optional(text(AGENT_ID)) },
  async run({ id, agentId }, { host, client }) {
    const { task } = await client.tasks.accept(id, asAgent(agentId, host))
    return `Accepted: ${taskLine(task)}`
  },
})

export const rejectTask = defineTool({
  name: 'reject-task',
  description: 'Rejects a task that was offered or assigned to you; you are not given it again.',
  callers: AGENTS,
  input: { id: text('Task id'), reason: optional(text('For the record')), agentId: optional(text(AGENT_ID)) },
  async run({ id, reason, agentId }, { host, client }) {
    const { task } = await client.tasks.reject(id, {
      ...asAgent(agentId, host),
      ...(reason !== undefined && { reason }),
    })
    return `Rejected: ${taskLine(task)}`
  },
})
