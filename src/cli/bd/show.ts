import { type Command, defineCommand, type Input } from '../command'
import { command as own } from '../commands/issue-show'
import type { Context } from '../context'
import { usageError } from '../parse-args'
import { oneLine } from '../text'
import { shown } from './answers'
import { linked, type Shown } from './shapes'
import { SHOW_SPELLING } from './spelling'
import { asBd } from './verb'

type Links = Shown['dependents']

/** What is shown instead of the whole issues, if anything. */
function partOf({ options }: Input, issue: Shown): Links | undefined {
  const { refs, children } = options as { refs?: boolean; children?: boolean }
  if (refs === true) return issue.dependents
  return children === true ? issue.dependents.filter(({ type }) => type === 'parent-child') : undefined
}

/** `bd show`, which can show the issues that refer to one alone: as `{ID: [issue]}`. */
export const showVerb = (path: string): Command =>
  asBd(
    path,
    defineCommand({
      ...own,
      options: {
        ...own.options,
        refs: { kind: 'flag', help: 'only the issues that have an edge to it' },
        children: { kind: 'flag', help: 'only its children' },
      },
      async run(context, input) {
        if (input.options.refs === true && input.options.children === true)
          throw usageError(context.path)('--refs and --children exclude one another.')
        const holding: Context = {
          ...context,
          answer(value, text) {
            const { issues } = value as { issues: Shown[] }
            context.answer(value, () => issues.map((issue) => linesOf(issue, partOf(input, issue))).join('') || text())
          },
        }
        return await own.run(holding, input as never)
      },
    }),
    (answer: { issues: Shown[] }, context, input) => {
      const parts = answer.issues.flatMap((issue): [string, unknown][] => {
        const part = partOf(input, issue)
        return part === undefined ? [] : [[issue.id, linked(part)]]
      })
      return parts.length > 0 ? Object.fromEntries(parts) : shown(answer, context, input)
    },
    SHOW_SPELLING,
  )

function linesOf({ id }: Shown, part: Links | undefined): string {
  if (part === undefined) return ''
  const lines = part.map(({ id: other, type, issue }) => {
    const what = issue === null ? 'not here' : `${issue.status} P${issue.priority}: ${issue.title}`
    return `  ${oneLine(`${other} (${type}) ${what}`)}`
  })
  return `${[`${id}:`, ...(lines.length === 0 ? ['  none'] : lines)].join('\n')}\n`
}
