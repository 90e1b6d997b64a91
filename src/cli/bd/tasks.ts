import type { Answers } from '../../api/contract/operations'
import { command as exportOwn } from '../commands/todo/export'
import { command as finalizeOwn } from '../commands/todo/finalize'
import { command as linkOwn } from '../commands/todo/link'
import { command as listOwn } from '../commands/todo/list'
import { command as promoteOwn } from '../commands/todo/promote'
import { command as syncOwn } from '../commands/todo/sync'
import { command as unlinkOwn } from '../commands/todo/unlink'
import { usageError } from '../kit/arguments/parse-args'
import type { Input, OptionSpecs } from '../kit/arguments/specs'
import { type Command, type CommandLoader, defineCommand } from '../kit/command'
import type { Context } from '../kit/context'
import { TODO_SCOPE } from '../todos/todo-call'
import { todoRecord } from '../todos/todo-line'
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

type List = Answers['todos']['lists']['lists'][number]

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

const linked = ({ sessionId, issue, isNew }: Answers['links']['link'] & { sessionId: string }) => ({
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
const synced = ({ sessionId, syncedCount, leftOutCount, changed }: Answers['todos']['sync']) => ({
  session_id: sessionId,
  synced: syncedCount,
  left_out: leftOutCount,
  changed,
  ...SCHEMA_VERSION,
})
const finalized = ({ sessionId, ...ended }: Answers['todos']['finalize'] & { sessionId: string }) => ({
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
const promoted = ({ issue }: Answers['todos']['promote']) => ({ ...bdIssue(issue), ...SCHEMA_VERSION })

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
    examples: [{ line: 'lode bd tasks sync --session abc123', does: 'read a hook payload from stdin' }],
  },
  synced,
  withBead,
)
export const list = taskVerb(
  'list',
  listOwn,
  {
    options: {
      session: SESSION,
      bead: BEAD,
      active: { kind: 'flag', help: 'to-dos of all sessions that have not ended' },
      dir,
    },
    examples: [
      { line: 'lode bd tasks list --session abc123 --json', does: "print JSON in bd's format" },
      { line: 'lode bd tasks list --bead bd-f7k2', does: 'the to-dos of every session linked to an issue' },
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
    examples: [{ line: 'lode bd tasks link --session abc123 bd-f7k2', does: 'link the session to the issue' }],
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
    examples: [{ line: 'lode bd tasks unlink --session abc123', does: 'unlink the session from every issue' }],
  },
  unlinked,
  same,
)
export const finalize = taskVerb(
  'finalize',
  finalizeOwn,
  {
    options: { session: SESSION },
    examples: [
      {
        line: 'lode bd tasks finalize --session abc123',
        does: 'end the list; unfinished to-dos are recorded as left open',
      },
    ],
  },
  finalized,
  same,
)
export const exportTasks = taskVerb(
  'export',
  exportOwn,
  {
    options: { bead: BEAD, out: OUT, dir },
    examples: [{ line: 'lode bd tasks export --bead bd-f7k2', does: 'print one JSON object per line' }],
  },
  exported,
  withBead,
)
export const promote = taskVerb(
  'promote',
  promoteOwn,
  {
    args: [{ name: 'ID', help: 'the to-do; same as --task', isOptional: true }],
    options: {
      task: { kind: 'text', value: 'ID', complete: 'todo', help: "the to-do's ID" },
      parent: BEAD,
      ...TODO_SCOPE,
    },
    examples: [
      { line: 'lode bd tasks promote --session abc123 --task cct-a1b2c3d4', does: 'turn the to-do into a child issue' },
    ],
  },
  promoted,
  ({ args, options: { task, ...options } }, { path }) => {
    const id = (task as unknown as string | undefined) ?? args[0]
    if (id === undefined) throw usageError(path)('Missing --task ID: name the to-do to promote.')
    return { args: [id], options }
  },
)
