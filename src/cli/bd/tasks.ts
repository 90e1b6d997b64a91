import type { ResponseOf } from '../../api/contract/responses'
import { type Command, type CommandLoader, defineCommand, type Input, type OptionSpecs } from '../command'
import { command as exportOwn } from '../commands/todo-export'
import { command as finalizeOwn } from '../commands/todo-finalize'
import { command as linkOwn } from '../commands/todo-link'
import { command as listOwn } from '../commands/todo-list'
import { command as promoteOwn } from '../commands/todo-promote'
import { command as syncOwn } from '../commands/todo-sync'
import { command as unlinkOwn } from '../commands/todo-unlink'
import type { Context } from '../context'
import { usageError } from '../parse-args'
import { TODO_SCOPE } from '../todo-call'
import { todoRecord } from '../todo-line'
import { bdIssue, SCHEMA_VERSION } from './shapes'
import { asBd, type Shape } from './verb'

/** The commands of the published proposal for to-dos of agents beside issues, `bd tasks …`, over ours. */

const SESSION = TODO_SCOPE.session
const OUT = {
  kind: 'text',
  short: 'o',
  value: 'FILE',
  complete: 'file',
  help: 'write to FILE instead of stdout',
} as const
const BEAD = { kind: 'text', value: 'ID', help: 'the issue' } as const

type List = ResponseOf<'todos.lists'>['lists'][number]

/** One session, or several as a list. */
function lists({ lists: found }: { lists: List[] }, _context: Context, { options }: Input) {
  const shown = found.map(({ sessionId, issues, startedAt, lastSyncAt, todos }) => ({
    session_id: sessionId,
    bead_id: issues[0]?.id ?? null,
    started_at: startedAt,
    last_sync_at: lastSyncAt,
    tasks: todos.map(todoRecord),
  }))
  const { bead, active } = options as { bead?: string; active?: boolean }
  const [only] = shown
  return only !== undefined && shown.length === 1 && bead === undefined && active !== true ? only : shown
}

const linked = ({ sessionId, issue, isNew }: ResponseOf<'sessions.linkIssue'> & { sessionId: string }) => ({
  session_id: sessionId,
  bead_id: issue.id,
  status: isNew ? 'linked' : 'unchanged',
  ...SCHEMA_VERSION,
})
const unlinked = ({ sessionId, issueIds }: { sessionId: string; issueIds: string[] }) => ({
  session_id: sessionId,
  bead_ids: issueIds,
  status: 'unlinked',
  ...SCHEMA_VERSION,
})
const synced = ({ sessionId, syncedCount, leftOutCount, changed }: ResponseOf<'sessions.syncTodos'>) => ({
  session_id: sessionId,
  synced: syncedCount,
  left_out: leftOutCount,
  changed,
  ...SCHEMA_VERSION,
})
const finalized = ({ sessionId, ...ended }: ResponseOf<'sessions.finalizeTodos'> & { sessionId: string }) => ({
  session_id: sessionId,
  left_open: ended.leftOpen,
  completed: ended.completed,
  ...SCHEMA_VERSION,
})
const exported = ({ path, todoCount, text }: { path: string | null; todoCount: number; text?: string }) => ({
  path,
  count: todoCount,
  ...(text !== undefined && { tasks: text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line)])) }),
  ...SCHEMA_VERSION,
})
const promoted = ({ issue }: ResponseOf<'todos.promote'>) => ({ ...bdIssue(issue), ...SCHEMA_VERSION })

/** One of our commands with the proposal's flags. @param inputOf  what ours takes, made of what was typed */
function taskVerb(
  name: string,
  own: Command,
  parts: Pick<Command, 'args' | 'examples'> & { options: OptionSpecs },
  shape: Shape,
  inputOf: (input: Input, context: Context) => { args?: string[]; options: Record<string, unknown> },
): CommandLoader {
  const path = `lode bd tasks ${name}`
  const command = defineCommand<OptionSpecs>({
    ...parts,
    summary: own.summary,
    run: (context, input) => {
      const { args = input.args, options } = inputOf(input, context)
      const defaults = Object.fromEntries(
        Object.entries(own.options ?? {}).map(([key, spec]) => [key, defaultOf(spec)]),
      )
      return own.run(context, { args, options: { ...defaults, ...options } } as never)
    },
  })
  return async () => ({ command: asBd(path, command, shape) })
}

function defaultOf(spec: OptionSpecs[string]): unknown {
  if (spec.kind === 'flag') return spec.isDefault ?? false
  return spec.kind === 'number' ? spec.fallback : spec.isRepeated ? [] : undefined
}

const same = ({ options }: Input) => ({ options: options as Record<string, unknown> })
const withBead = ({ options: { bead, ...options } }: Input) => ({ options: { ...options, issue: bead } })
const { dir, actor } = TODO_SCOPE

export const sync = taskVerb(
  'sync',
  syncOwn,
  {
    options: { session: SESSION, bead: BEAD, dir, actor },
    examples: [{ line: 'lode bd tasks sync --session abc123', does: 'takes a hook payload from stdin' }],
  },
  synced,
  withBead,
)
export const list = taskVerb(
  'list',
  listOwn,
  {
    options: { session: SESSION, bead: BEAD, active: { kind: 'flag', help: 'of all sessions that are not over' }, dir },
    examples: [
      { line: 'lode bd tasks list --session abc123 --json', does: "in the proposal's shape" },
      { line: 'lode bd tasks list --bead bd-f7k2', does: 'of all sessions on an issue' },
    ],
  },
  lists,
  (input) => {
    const { bead, active } = input.options
    const { options } = withBead(input)
    // The proposal knows no pages.
    return { options: { ...options, all: bead !== undefined || active === true } }
  },
)
export const link = taskVerb(
  'link',
  linkOwn,
  {
    ...(linkOwn.args && { args: linkOwn.args }),
    options: TODO_SCOPE,
    examples: [{ line: 'lode bd tasks link --session abc123 bd-f7k2', does: 'the session works on the issue' }],
  },
  linked,
  same,
)
export const unlink = taskVerb(
  'unlink',
  unlinkOwn,
  {
    ...(unlinkOwn.args && { args: unlinkOwn.args }),
    options: TODO_SCOPE,
    examples: [{ line: 'lode bd tasks unlink --session abc123', does: 'from every issue' }],
  },
  unlinked,
  same,
)
export const finalize = taskVerb(
  'finalize',
  finalizeOwn,
  {
    options: { session: SESSION },
    examples: [{ line: 'lode bd tasks finalize --session abc123', does: 'what is open is left open' }],
  },
  finalized,
  same,
)
export const exportTasks = taskVerb(
  'export',
  exportOwn,
  {
    options: { bead: BEAD, out: OUT, dir },
    examples: [{ line: 'lode bd tasks export --bead bd-f7k2', does: 'one JSON object a line' }],
  },
  exported,
  withBead,
)
export const promote = taskVerb(
  'promote',
  promoteOwn,
  {
    args: [{ name: 'ID', help: 'the to-do, instead of --task', isOptional: true }],
    options: { task: { kind: 'text', value: 'ID', help: 'the to-do' }, parent: BEAD, ...TODO_SCOPE },
    examples: [
      { line: 'lode bd tasks promote --session abc123 --task cct-a1b2c3d4', does: 'makes a child issue of it' },
    ],
  },
  promoted,
  ({ args, options: { task, ...options } }, { path }) => {
    const id = (task as unknown as string | undefined) ?? args[0]
    if (id === undefined) throw usageError(path)('--task is missing: which to-do is meant.')
    return { args: [id], options }
  },
)
