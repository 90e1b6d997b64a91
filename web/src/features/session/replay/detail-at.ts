import type { Answers } from '#api/contract/operations/index'
import type { Subagent } from '#api/contract/wire'
import { agentAt } from '#domain/subagent/agent-past'
import { type TodoPast, todosAt } from '#domain/todo/todo-past'

type SessionDetail = Answers['sessions']['place']

/** What stands beside the conversation, as it was at a moment. @param at  milliseconds */
export function detailAt(detail: SessionDetail, todos: readonly TodoPast[], at: number): SessionDetail {
  const agents = (all: readonly Subagent[]) => all.flatMap((agent) => agentAt(agent, at) ?? [])
  const [subagents, backgroundTasks] = [agents(detail.subagents), agents(detail.backgroundTasks)]
  return {
    ...detail,
    subagents,
    backgroundTasks,
    agentCount: subagents.length + backgroundTasks.length,
    todos: todosAt(todos, at),
  }
}
