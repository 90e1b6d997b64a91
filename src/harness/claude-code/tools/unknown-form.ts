import type { KindObservation, Observation } from '../../../domain/record/observation'
import type { JsonRecord } from '../../json-lines/json-value'
import { endStatusOf } from '../notification'

/** Answers of launches that no reader knows, as `lode doctor` reports them. What they do say is recorded all the same. */
export const UNKNOWN_AGENT: KindObservation = { kind: 'kind', name: 'answer/agent', isKnown: false }
export const UNKNOWN_TASK: KindObservation = { kind: 'kind', name: 'answer/background', isKnown: false }

/**
 * Reports a structured answer that looks like that of a launch, and is of no form that is known.
 *
 * @param found  what a reader made of it
 */
export function unknownForm(answer: JsonRecord, found: Observation | undefined): Observation[] {
  const { status, agentId, isAsync, prompt, backgroundTaskId } = answer
  if (found === undefined) {
    if (isAsync === true || status === 'async_launched') return [UNKNOWN_AGENT]
    if (agentId !== undefined && prompt !== undefined) return [UNKNOWN_AGENT]
    return backgroundTaskId !== undefined && backgroundTaskId !== null ? [UNKNOWN_TASK] : []
  }
  const isLaunch = found.kind === 'subagent' && found.run?.trigger === 'launch'
  return isLaunch && !isKnownStatus(answer) ? [UNKNOWN_AGENT] : []
}

/** Whether the answer of a launch says in known words where the agent is. */
export const isKnownStatus = ({ status, isAsync }: JsonRecord): boolean =>
  isAsync === true || status === 'async_launched' || status === 'teammate_spawned' || endStatusOf(status) !== undefined
