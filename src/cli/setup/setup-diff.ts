/** What set-up changes, as one diff over all files, with a line for each part on what it is for. */
import type { FileChange, HookRow, SetupOutcome } from '../../domain/harness/harness-setup'
import { secretMask } from '../../domain/secrets/mask'
import { block } from '../print/text'

/** A part that is no setting of an agent CLI, changed with it. */
export interface AlsoChanged {
  why: string
  changes: readonly FileChange[]
  /** @throws what its files throw */
  apply(): void
}

/** Lines around a change. */
const CONTEXT = 2

/** Why each part of the change is made, then the change itself. */
export async function previewText(done: SetupOutcome, also: AlsoChanged | null): Promise<string> {
  const why = [...whyOf(done), ...(also === null ? [] : [also.why])]
  const changes = [...(done.changes ?? []), ...(also?.changes ?? [])]
  return `${why.map((line) => `${line}\n`).join('')}\n${await diffOf(changes)}`
}

const isServer = ({ event }: HookRow): boolean => event.startsWith('mcpServers.')

function whyOf(done: SetupOutcome): string[] {
  const { added, removed, addedTodoTools, removedTodoTools, addedStatusline, removedStatusline } = done
  const rows = [...added, ...removed]
  return [
    ...(rows.some((row) => !isServer(row))
      ? ['hooks: record each event at once, and give the agent its goal, to-dos, news and messages']
      : []),
    ...(rows.some(isServer)
      ? ['MCP server: gives your sessions the tools of Lodeline, such as send-task and update-todos']
      : []),
    ...(addedStatusline || removedStatusline
      ? ['status line: what needs you, the task and to-dos, cost and context; what you have there stays']
      : []),
    ...(addedTodoTools || removedTodoTools ? ['to-do tools: gives newer models a list to keep'] : []),
  ]
}

/** Unified, one file after the other. Settings may hold keys beside what is changed: they are masked. */
async function diffOf(changes: readonly FileChange[]): Promise<string> {
  const { createTwoFilesPatch } = await import('diff')
  const nowhere = '/dev/null'
  const patches = changes.map(({ path, before, after }) =>
    createTwoFilesPatch(before === '' ? nowhere : path, after === null ? nowhere : path, before, after ?? '', '', '', {
      context: CONTEXT,
    }).replace(/^(?:Index: .*\n)?=+\n/, ''),
  )
  return block(secretMask().text(patches.join('')))
}
