import { AppError } from '../domain/errors'
import type { AgentHarness } from '../domain/harness/agent-harness'
import type { HarnessHooks } from '../domain/harness/harness-hooks'
import type { AgentName } from '../domain/ids'
import { claudeCodeHarness } from './claude-code/agent-harness'
import { codexHarness } from './codex/agent-harness'

/** The agent CLIs that this program knows. The first one is asked where nothing names one: it begins new tasks, and its hooks are read. */
const known: AgentHarness[] = [claudeCodeHarness, codexHarness]

const modules: string[] = []

export const harnesses = (): readonly AgentHarness[] => known

export function defaultHarness(): AgentHarness {
  const [first] = known
  if (first === undefined) throw new AppError('internal', 'No agent CLI is known.')
  return first
}

/** `undefined` = a record of another program names it: this one keeps its bytes and understands none of them. */
export const findHarness = (agent: AgentName): AgentHarness | undefined => known.find(({ name }) => name === agent)

/** The hooks that call `lode hook`: of the agent CLI that they name, else of the first that has any. `null` = there are none. */
export async function hooksOf(agent?: AgentName): Promise<HarnessHooks | null> {
  const harness = agent === undefined ? known.find(({ hooks }) => hooks !== null) : findHarness(agent)
  return (await harness?.hooks?.()) ?? null
}

/** @throws `not_found` this program has no harness of that name */
export function harnessNamed(agent: AgentName): AgentHarness {
  const found = findHarness(agent)
  if (found !== undefined) return found
  throw new AppError('not_found', `This program does not support the agent CLI ${JSON.stringify(agent)}.`, {
    hint: `It supports ${known.map(({ name }) => name).join(', ')}. Update Lodeline.`,
  })
}

/**
 * Enters a harness that stands outside of this folder, before all others.
 *
 * @param module  the absolute path of the module that calls this: each thread of ours loads it first, and so enters the harness too
 */
export function enterHarness(harness: AgentHarness, module: string): void {
  known.unshift(harness)
  modules.push(module)
}

/** Modules that threads load before anything else; see `enterHarness`. */
export const harnessModules = (): readonly string[] => modules
