import type { AgentName } from '../../domain/ids'
import type { NeedDraft, Scene } from './scene'
import type { FinishedDraft } from './show-finished'
import type { RunningDraft } from './show-running'

/**
 * Whether something is of the agent CLI that is asked for; `undefined` = all are. A session tells its own, also where a task had several.
 * Requests from outside are of none, and so is a budget that names none.
 */
export function ofAgent(scene: Scene, agent: AgentName | undefined) {
  if (agent === undefined) return { need: () => true, running: () => true, finished: () => true }
  const sessionCli = (need: NeedDraft): AgentName | undefined =>
    need.session === null ? undefined : scene.session(need.session.id)?.agentCli
  const cliOf = (need: NeedDraft): AgentName | null | undefined => {
    if (need.kind === 'unread') return need.run.agentCli
    if (need.kind === 'message') return need.message.session?.agentCli
    if (need.kind === 'budget') return need.budget.agentCli
    return sessionCli(need) ?? (need.kind === 'untaken' ? need.group.first : need.task)?.agentCli
  }
  return {
    need: (need: NeedDraft): boolean => cliOf(need) === agent,
    running: ({ session, task }: RunningDraft): boolean => (session ?? task)?.agentCli === agent,
    finished: (draft: FinishedDraft): boolean =>
      (draft.kind === 'task' ? draft.task : draft.kind === 'session' ? draft.session : draft.run).agentCli === agent,
  }
}
