import { AGENT_LIMITS, type AgentDescription } from '../../../domain/agent'
import { AppError } from '../../../domain/errors'
import type { AgentRow } from '../../../domain/task/task-store'
import { mayLead } from '../../unit/rights'
import { newAgentId } from '../../unit/secrets'
import type { Unit } from '../../unit/unit'
import { checkCapabilities, checkText, checkWord } from '../check-fields'
import { checkAgentName } from './join-agent'

/**
 * Describes an agent: its runs get instructions and a model of their own. One that is not there is made; no process speaks for it, and
 * any worker may run what it is given. What a description says never gives a run more rights.
 *
 * @throws `invalid` `too_large` · `conflict` it is a lead · `forbidden`
 */
export async function describeAgent(unit: Unit, given: string, input: AgentDescription): Promise<AgentRow> {
  mayLead(unit, 'describe an agent')
  const name = checkAgentName(given)
  const patch = checked(input)
  const known = await unit.tasks.agentByName(name)
  if (known?.kind === 'lead')
    throw new AppError('conflict', `${name} is the name of a lead.`, { hint: 'Choose another name.' })
  const agent = known === undefined ? await add(unit, name, patch) : await change(unit, known, patch)
  await unit.feed('agent.updated', { agentId: agent.id, name, what: 'described' })
  return agent
}

type Checked = Partial<Pick<AgentRow, 'instructions' | 'model' | 'description' | 'capabilities'>>

function checked({ instructions, model, description, capabilities }: AgentDescription): Checked {
  return {
    ...(instructions !== undefined && {
      instructions: checkText('instructions', instructions, AGENT_LIMITS.instructions),
    }),
    ...(model !== undefined && { model: model === null ? null : checkWord('model', model) }),
    ...(description !== undefined && {
      description: description === null ? null : checkText('description', description, AGENT_LIMITS.description),
    }),
    ...(capabilities !== undefined && { capabilities: checkCapabilities(capabilities, 'capabilities') }),
  }
}

async function add(unit: Unit, name: string, patch: Checked): Promise<AgentRow> {
  const row = {
    id: newAgentId(unit.random),
    name,
    kind: 'worker' as const,
    hostname: null,
    hostName: null,
    capabilities: [],
    concurrency: 1,
    bootId: null,
    limitedUntil: null,
    tokenHash: null,
    version: null,
    lastSeenAt: null,
    instructions: '',
    model: null,
    description: null,
    hostKeyHash: null,
    maxPermissionMode: null,
    clis: null,
    cliLimits: {},
    fallsOver: false,
    machine: null,
    drainingSince: null,
    restartAskedAt: null,
    removedAt: null,
    account: null,
    ...patch,
  }
  return { ...row, key: await unit.tasks.insertAgent(row), createdAt: unit.now }
}

async function change(unit: Unit, known: AgentRow, patch: Checked): Promise<AgentRow> {
  const whole = { ...patch, instructions: patch.instructions ?? known.instructions ?? '' }
  await unit.tasks.updateAgent(known.key, whole)
  return { ...known, ...whole }
}
