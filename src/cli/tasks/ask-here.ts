import type { Question } from '../../domain/task/task'
import type { Connection, Context } from '../kit/context'
import { duration } from '../print/measures'
import { block, oneLine } from '../print/text'

/** Lines of what is asked for that are shown; `lode question list` has the beginning of the rest. */
const SHOWN_CHARACTERS = 1_000

/**
 * Asks the person at this terminal whether a run may call a tool, until there is an answer here or `signal` says that there is one elsewhere.
 *
 * @returns `false` when nobody can be asked here any more
 */
export async function askHere(
  context: Context,
  client: Connection['client'],
  question: Question,
  signal: AbortSignal,
): Promise<boolean> {
  const { io } = context
  const rules = question.alwaysRules
  const [danger] = question.dangers
  const left = duration(Math.max(0, Date.parse(question.deadline) - io.now()))
  io.err(
    `lode: ${oneLine(question.taskId)} asks for ${oneLine(question.toolName)} (${left}, then ${question.default}):\n${asked(question)}${warned(question.dangers)}`,
  )
  const everywhere = rules.at(-1)
  const here = rules.length > 1 ? rules[0] : undefined
  // A dangerous call takes the whole word, which nobody types by habit.
  const yes = danger === undefined ? 'y' : 'yes'
  const always = [
    ...(here === undefined ? [] : [`, p always in this project (adds ${oneLine(here)} to worker.allow)`]),
    ...(everywhere === undefined ? [] : [`, a always everywhere (adds ${oneLine(everywhere)})`]),
  ].join('')
  for (;;) {
    const line = await io.askLine(`  ${yes} allow, n deny (the agent reads the words after it)${always}: `, signal)
    if (signal.aborted) {
      io.err('\n')
      return true
    }
    if (line === null) return false
    const [word = '', ...rest] = line.split(/\s+/)
    const message = rest.length === 0 ? undefined : rest.join(' ')
    const answer = ANSWERS.get(word.toLowerCase())
    if (answer === undefined || (danger !== undefined && answer === 'allow' && word.toLowerCase() !== 'yes')) continue
    const rule = answer === 'everywhere' ? everywhere : here
    if (answer === 'everywhere' || answer === 'here') {
      if (rule === undefined) continue
      await allowFromNowOn(context, rule)
    }
    await client.questions.answer(question.id, { behavior: answer === 'deny' ? 'deny' : 'allow', message }, { signal })
    return true
  }
}

const ANSWERS: ReadonlyMap<string, 'allow' | 'deny' | 'here' | 'everywhere'> = new Map([
  ['y', 'allow'],
  ['yes', 'allow'],
  ['allow', 'allow'],
  ['n', 'deny'],
  ['no', 'deny'],
  ['deny', 'deny'],
  ['p', 'here'],
  ['a', 'everywhere'],
  ['always', 'everywhere'],
])

/** What the call would do, as it is: a person decides by it. */
function asked({ input, description, isCut }: Question): string {
  const whole = typeof input === 'object' && input !== null ? Object.entries(input) : [['input', input]]
  const lines = whole.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const text = block([...(description === null ? [] : [description]), ...lines].join('\n'))
  const shown = text.length > SHOWN_CHARACTERS || isCut ? `${text.slice(0, SHOWN_CHARACTERS)}\n... (cut)` : text
  return `    ${shown.trimEnd().replaceAll('\n', '\n    ')}\n`
}

/** A line for each reason why the call is dangerous. */
const warned = (dangers: Question['dangers']): string =>
  dangers.map(({ why, part }) => `  ! It ${why}: ${oneLine(part)}\n`).join('')

async function allowFromNowOn(context: Context, rule: string): Promise<void> {
  const { addAllowRule } = await import('../../config/allow-rule')
  const { env, cwd } = context.io
  const { home } = context.globals
  const { file, isNew } = addAllowRule({ env, cwd, flags: home === undefined ? {} : { home } }, rule)
  if (isNew) context.note(`added ${oneLine(rule)} to worker.allow in ${file}`)
}
