import { command as own } from '../commands/issue/show'
import { usageError } from '../kit/arguments/parse-args'
import type { Input } from '../kit/arguments/specs'
import { type Command, defineCommand } from '../kit/command'
import type { Context } from '../kit/context'
import { oneLine } from '../print/text'
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
        refs: { kind: 'flag', help: 'only the issues with a dependency on it' },
        children: { kind: 'flag', help: 'only its children' },
      },
      keepsTodosInFile: true,
      async run(context, input) {
        if (input.options.refs === true && input.options.children === true)
          throw usageError(context.path)('Use either --refs or --children, not both.')
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
    const what = issue === null ? 'not in this tracker' : `${issue.status} P${issue.priority}: ${issue.title}`
    return `  ${oneLine(`${other} (${type}) ${what}`)}`
  })
  return `${[`${id}:`, ...(lines.length === 0 ? ['  none'] : lines)].join('\n')}\n`
}
