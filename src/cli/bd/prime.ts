import { command as own } from '../commands/recall/prime'
import { defineCommand } from '../kit/command'
import type { Context } from '../kit/context'
import { json } from '../print/print'
import { asItIs } from './answers'
import { asBd } from './verb'

const PRINTS = { kind: 'flag', help: 'accepted for compatibility; has no effect' } as const

/** `bd prime`, also as the hook that bd puts into settings calls it. */
export const command = asBd(
  'lode bd prime',
  defineCommand({
    ...own,
    options: {
      ...own.options,
      'hook-json': { kind: 'flag', help: 'print as a hook response, for hooks that call bd prime' },
      full: PRINTS,
      mcp: PRINTS,
      stealth: PRINTS,
    },
    run(context, input) {
      const { options } = input
      if (options['hook-json'] !== true) return own.run(context, input as never)
      const asHook: Context = {
        ...context,
        answer(_, text) {
          const hookSpecificOutput = { hookEventName: 'SessionStart', additionalContext: text() }
          if (text() !== '') context.io.out(json({ hookSpecificOutput }, false))
        },
      }
      return own.run(asHook, input as never)
    },
  }),
  asItIs,
)
