import type { Client } from '../../api/client'
import { command as own } from '../commands/issue/create'
import type { Input } from '../kit/arguments/specs'
import { type Command, defineCommand } from '../kit/command'
import type { Context } from '../kit/context'
import { oneLine } from '../print/text'
import { created } from './answers'
import { CREATE_SPELLING } from './spelling'
import { asBd } from './verb'

type Made = Parameters<typeof created>[0]
type Wanted = Parameters<Client['issues']['create']>[0]

/** `bd create`, which can say what would be made without making it. */
export const createVerb = (path: string): Command =>
  asBd(
    path,
    defineCommand({
      ...own,
      keepsTodosInFile: true,
      async run(context, input) {
        if ((input.options as { 'dry-run'?: boolean })['dry-run'] !== true)
          return await own.run(context, input as never)
        return await own.run(rehearsing(context), input as never)
      },
    }),
    (answer: Made | { wanted: Wanted }, _context: Context, _input: Input) =>
      'wanted' in answer ? preview(answer.wanted) : created(answer),
    CREATE_SPELLING,
  )

/** What is to be made goes no further than the answer; only issues that it names have to be there. */
function rehearsing(context: Context): Context {
  let wanted: Wanted | undefined
  return {
    ...context,
    async connection() {
      const connection = await context.connection()
      const { issues } = connection.client
      const create = async (input: Wanted): Promise<never> => {
        const { dir, actor, sessionId, parentId, dependencies = [], blocks = [] } = input
        const scope = { ...(dir !== undefined && { dir }), ...(actor !== undefined && { actor }) }
        for (const id of [parentId, ...dependencies.map((edge) => edge.dependsOnId), ...blocks])
          if (id !== undefined) await issues.get(id, { ...scope, ...(sessionId !== undefined && { sessionId }) })
        wanted = input
        return { issue: { id: '', title: input.title }, notices: [] } as never
      }
      return { ...connection, client: { ...connection.client, issues: { ...issues, create } } }
    },
    answer() {
      if (wanted === undefined) return
      const { title, issueType = 'task', priority = 2 } = wanted
      context.answer({ wanted }, () => `would create (${oneLine(issueType)}, P${priority}): ${oneLine(title)}\n`)
    },
  }
}

function preview(wanted: Wanted): unknown {
  const { title, description, issueType = 'task', priority = 2, status = 'open', assignee, labels, parentId } = wanted
  return {
    dry_run: true,
    title,
    ...(description !== undefined && { description }),
    status,
    priority,
    issue_type: issueType,
    ...(assignee !== undefined && assignee !== null && { assignee }),
    ...(labels !== undefined && { labels }),
    ...(parentId !== undefined && parentId !== null && { parent: parentId }),
    schema_version: 1,
  }
}
