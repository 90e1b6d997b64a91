import type { JsonRecord } from '../json-lines/json-value'
import { textOf } from '../json-lines/json-value'

/**
 * What releases without finished items told of sub-agents, each in an event of its own (2026, to 0.147), as the item that says the same
 * today. `undefined` = the event is about none.
 */
export function itemOfEvent(event: JsonRecord): JsonRecord | undefined {
  switch (event.type) {
    case 'sub_agent_activity':
      return { ...event, type: 'SubAgentActivity', id: event.event_id }
    case 'collab_agent_spawn_end': {
      const { new_thread_id: thread_id, new_agent_role: agent_role, model, prompt } = event
      const receivers = { receiver_thread_ids: [thread_id], receiver_agents: [{ thread_id, agent_role }] }
      return { ...called(event, 'spawn_agent', states(thread_id, event.status)), ...receivers, model, prompt }
    }
    case 'collab_waiting_end':
      return called(event, 'wait', event.statuses)
    case 'collab_agent_interaction_end':
    case 'collab_close_end':
    case 'collab_resume_end':
      return called(event, '', states(event.receiver_thread_id, event.status))
    default:
      return undefined
  }
}

const called = ({ call_id: id }: JsonRecord, tool: string, agents_states: unknown): JsonRecord => ({
  ...{ type: 'CollabAgentToolCall', id, tool, agents_states },
})

function states(thread: unknown, status: unknown): JsonRecord {
  const id = textOf(thread)
  return id === undefined ? {} : { [id]: status }
}
