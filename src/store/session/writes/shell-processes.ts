/** What the processes of background shells tell: decisions and looks, kept apart from what is derived from journals. */
import type { SessionKey, SubagentId } from '../../../domain/ids'
import type { ShellProcess, ShellState } from '../../../domain/session/shell'
import type { Program } from '../../sql/program'
import { asInserted } from '../../sql/row-statements'
import { statement } from '../../sql/statement'

interface Look {
  session: SessionKey
  task: SubagentId
  pid: number | null
  startedAt: string | null
  state: ShellState
  at: number
}
const SET = statement<Look>()((db, param) =>
  db
    .insertInto('shell_processes')
    .values({
      session_id: param('session'),
      native_id: param('task'),
      process_id: param('pid'),
      process_started: param('startedAt'),
      state: param('state'),
      at: param('at'),
    })
    .onConflict((conflict) =>
      conflict
        .columns(['session_id', 'native_id'])
        .doUpdateSet((eb) => ({
          ...asInserted('shell_processes', ['state', 'at']),
          process_id: eb.fn.coalesce('excluded.process_id', 'shell_processes.process_id'),
          process_started: eb.fn.coalesce('excluded.process_started', 'shell_processes.process_started'),
        }))
        .where('shell_processes.state', '!=', 'stopped'),
    ),
)

/** What a person did stays, whatever a look gives later. */
export function* setShell(
  session: SessionKey,
  { task, state, process, at }: Omit<ShellProcess, 'sessionId'>,
): Program<void> {
  yield* SET.run({ session, task, state, at, pid: process?.pid ?? null, startedAt: process?.startedAt ?? null })
}
