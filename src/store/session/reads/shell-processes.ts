/** Background shells that a look at their processes may tell something of. Text: the columns that show life are those of hooks. */
import { sessionId, subagentId } from '../../../domain/ids'
import { bareStatus } from '../../../domain/session/session-status'
import type { OpenShell, ShellProcess, ShellReads } from '../../../domain/session/shell'
import { GONE } from '../../../domain/subagent/subagent-run'
import { isSessionOver } from '../../../domain/subagent/subagent-status'
import { type Program, rows } from '../../sql/program'
import { programDriver } from '../../sql/program-driver'
import type { ReadContext } from '../../sql/read-context'
import { SHELL_JOIN } from '../run-state'
import { SIGNALS, type SignalColumns, signalsOf } from '../session-signals'

interface Row extends SignalColumns {
  session_native_id: string
  native_id: string
  output_file: string | null
  shell_process_id: number | null
  process_started: string | null
  state: ShellProcess['state'] | null
  end_status: string | null
}

/** As the index `subagents_open_shells` has it, word for word. */
const IS_OPEN = `a.kind = 'shell' and (a.end_status is null or a.end_evidence = '${GONE}')`

const COLUMNS = `s.native_id as session_native_id, a.native_id, a.output_file, p.process_id as shell_process_id, p.process_started,
  p.state, a.end_status, ${SIGNALS}`
const FROM = `from subagents a join sessions s on s.id = a.session_id join hosts h on h.id = s.host_id ${SHELL_JOIN}`

function* openShells(host: string, now: number, limit: number, over: readonly string[]): Program<OpenShell[]> {
  const alive = yield* rows<Row>(
    `select ${COLUMNS} ${FROM} where p.state = 'alive' and ${IS_OPEN} and h.name = ? limit ?`,
    host,
    limit,
  )
  const unseen = yield* rows<Row>(
    `select ${COLUMNS} ${FROM} where ${IS_OPEN} and p.state is null and a.hook_end_status is null and h.name = ?
       and (a.end_status is not null or s.activity = 'ended' or coalesce(s.process_state, 'gone') = 'gone'
         ${over.length > 0 ? `or s.native_id in (${over.map(() => '?').join(', ')})` : ''}) limit ?`,
    host,
    ...over,
    limit,
  )
  // An end by the CLI's word at a resume is about the former CLI, whatever becomes of the session since.
  const due = unseen.filter(
    (row) => row.end_status !== null || over.includes(row.session_native_id) || isOver(row, now),
  )
  return [...alive, ...due].map(toShell)
}

/** By its process, or by its silence where none is known. */
function isOver(row: Row, now: number): boolean {
  const signals = signalsOf(row)
  return isSessionOver(signals) !== undefined || ['ended', 'lost'].includes(bareStatus(signals, now))
}

function toShell(row: Row): OpenShell {
  const { shell_process_id: pid, process_started: startedAt } = row
  return {
    sessionId: sessionId(row.session_native_id),
    task: subagentId(row.native_id),
    outputFile: row.output_file,
    process: pid === null || startedAt === null ? null : { pid: Number(pid), startedAt },
  }
}

export function shellReads({ db }: ReadContext): ShellReads {
  return { open: (host, now, limit, over = []) => programDriver(db)(openShells(host, now, limit, over)) }
}
