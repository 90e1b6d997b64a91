import type { AgentRow, AttemptRow, TaskRow } from '../../../domain/task/task-store'
import { AGENT, ATTEMPT, TASK } from '../../tasks/rows'
import type { TaskLinks } from '../../tasks/shown'

/** What is known of a task, with the transactions that wrote its row and that of its live attempt. */
export interface TaskFacts {
  task: TaskRow
  taskXid: string
  live: AttemptRow | undefined
  liveXid: string | null
  links: TaskLinks
}

export interface AgentFacts {
  agent: AgentRow
  xid: string
}

type Raw = Record<string, unknown>

/** @param text  of the function `task_facts` */
export function readTask(text: string): TaskFacts {
  const { task, live, ...more } = JSON.parse(text) as Omit<TaskFacts, 'task' | 'live'> & { task: Raw; live: Raw | null }
  const row = TASK.ofColumns(task)
  const attempt = live && { ...ATTEMPT.ofColumns({ ...live, token_hash: bytes(live.token_hash) }), taskId: row.id }
  return { ...more, task: row, live: attempt ?? undefined }
}

export const readAgents = (text: string): AgentFacts[] =>
  (JSON.parse(text) as { row: Raw; xid: string }[]).map(({ row, xid }) => {
    const { token_hash, host_key_hash } = row
    const raw = { ...row, token_hash: bytes(token_hash), host_key_hash: bytes(host_key_hash) }
    return { agent: AGENT.ofColumns(raw), xid }
  })

/** JSON has bytes as PostgreSQL writes them: `\x…`. */
const bytes = (text: unknown): Uint8Array | null =>
  typeof text === 'string' ? new Uint8Array(Buffer.from(text.slice(2), 'hex')) : null

export const textOfBytes = (value: Uint8Array): string => `\\x${Buffer.from(value).toString('hex')}`
