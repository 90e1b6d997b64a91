import type { AgentId, AgentKey } from '../../../domain/ids'
import type { AgentRow } from '../../../domain/task/task-store'

/**
 * Rows of agents that a unit has read: the rights, the route and the answer of one request ask for the same one. Not held, so that they are
 * what they were when the unit read them first. A unit that writes an agent's row reads it again.
 */
export class ReadAgents {
  private readonly byId = new Map<AgentId, AgentRow>()
  private readonly byKey = new Map<AgentKey, AgentRow>()

  /** Another unit begins. */
  clear(): void {
    this.byId.clear()
    this.byKey.clear()
  }

  withId(id: AgentId): AgentRow | undefined {
    return this.byId.get(id)
  }

  withKey(key: AgentKey): AgentRow | undefined {
    return this.byKey.get(key)
  }

  /** Takes note of a row that was read. */
  read<Row extends AgentRow | undefined>(row: Row): Row {
    if (row !== undefined) {
      this.byId.set(row.id, row)
      this.byKey.set(row.key, row)
    }
    return row
  }

  written(key: AgentKey): void {
    const row = this.byKey.get(key)
    if (row !== undefined) this.byId.delete(row.id)
    this.byKey.delete(key)
  }
}
