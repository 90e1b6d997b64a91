import { agentAt } from '#domain/subagent/agent-past'
import type { RowPage } from '../rows/row-types'

/** The newest rows as they were at a moment, in milliseconds: a call whose answer came later has none, and its sub-agents are at work. */
export function rowsAt(page: RowPage, at: number): RowPage {
  const answered = new Set(page.rows.flatMap(({ kind, call }) => (kind === 'answer' && call !== null ? [call.id] : [])))
  const rows = page.rows.map((row) => {
    const { kind, call, launched } = row
    const isOpen = kind === 'tool' && call !== null && !answered.has(call.id)
    return {
      ...row,
      call: isOpen ? { ...call, isAnswered: false, isError: null } : call,
      launched: launched.flatMap((agent) => agentAt(agent, at) ?? []),
    }
  })
  return { ...page, rows }
}
