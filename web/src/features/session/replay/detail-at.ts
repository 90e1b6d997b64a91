import type { Subagent } from '#api/contract/wire'
import { agentAt } from '#domain/subagent/agent-past'
import { type TodoPast, todosAt } from '#domain/todo/todo-past'
import type { SessionDetail } from '../page/use-session-data'

/** What stands beside the conversation, as it was at a moment. @param at  milliseconds */
export function detailAt(detail: SessionDetail, todos: readonly TodoPast[], at: number): SessionDetail {
  const agents = (all: readonly Subagent[]) => all.flatMap((agent) => agentAt(agent, at) ?? [])
  return {
    ...detail,
    subagents: agents(detail.subagents),
    backgroundTasks: agents(detail.backgroundTasks),
    todos: todosAt(todos, at),
  }
}
