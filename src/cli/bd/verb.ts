import { toAppError } from '../../domain/errors'
import type { Input } from '../kit/arguments/specs'
import type { Command } from '../kit/command'
import type { Context } from '../kit/context'
import { failAsBd } from './failure'
import type { Spelling } from './spelling'

/** Makes bd's JSON of what our command answers. May ask more of the tracker. */
export type Shape = (answer: never, context: Context, input: Input) => unknown

/** Every command of bd takes these; here they change nothing. */
const WITHOUT_EFFECT = Object.fromEntries(
  ['no-daemon', 'no-auto-flush', 'no-auto-import', 'sandbox'].map((name) => [
    name,
    { kind: 'flag', help: 'accepted for compatibility; has no effect' } as const,
  ]),
)

/**
 * One of our commands under bd's name: it takes the same and does the same, answers `--json` in bd's shape, and fails as bd does,
 * with exit code 1.
 *
 * @param path  e.g. `lode bd create`
 * @param spelling  flags that only bd has
 */
export function asBd(path: string, command: Command, shape: Shape, spelling?: Spelling): Command {
  return {
    ...command,
    summary: command.summary,
    options: { ...command.options, ...WITHOUT_EFFECT, ...spelling?.options },
    examples: command.examples.map(({ line, does }) => ({
      line: line.startsWith(path) ? line : line.replace(/^lode (?:(?:issue|dep|label|comment) )?\S+/, path),
      does: does.includes('{') ? "print JSON in bd's format" : does,
    })),
    async run(context, input) {
      let held: { value: unknown; text: () => string } | undefined
      const holding: Context = {
        ...context,
        answer(value, text) {
          held = { value, text }
        },
      }
      try {
        const code = await command.run(holding, spelling === undefined ? input : spelling.ours(input))
        if (held === undefined) return code
        const { value, text } = held
        if (!context.globals.isJson) context.answer(value, text)
        // What the command answers is what its shape takes: the table pairs the two.
        else context.answer(enveloped(context, await shape(value as never, context, input)), text)
        return code === undefined ? undefined : 1
      } catch (thrown) {
        if (context.signal.aborted) throw thrown
        const error = toAppError(thrown)
        if (error.code === 'internal') throw thrown
        return failAsBd(context.io, error, context.globals.isJson)
      }
    },
  }
}

function enveloped(context: Context, value: unknown): unknown {
  if (context.io.env.BD_JSON_ENVELOPE !== '1') return value
  const { schema_version: version = 1, ...data } =
    typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
  return { schema_version: version, data: Array.isArray(value) ? value : data }
}
