import { alwaysRule } from '../../domain/policy/always-rule'
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
  // Of a part of it nobody can say what it is.
  const rule = question.isCut ? null : alwaysRule(question.toolName, question.input)
  const left = duration(Math.max(0, Date.parse(question.deadline) - io.now()))
  io.err(
    `lode: ${oneLine(question.taskId)} asks for ${oneLine(question.toolName)} (${left}, then ${question.default}):\n${asked(question)}`,
  )
  const always = rule === null ? '' : `, a always (adds ${oneLine(rule)} to worker.allow)`
  for (;;) {
    const line = await io.askLine(`  y allow, n deny (words after it are told to the agent)${always}: `, signal)
    if (signal.aborted) {
      io.err('\n')
      return true
    }
    if (line === null) return false
    const [word = '', ...rest] = line.split(/\s+/)
    const message = rest.length === 0 ? undefined : rest.join(' ')
    const answer = ANSWERS.get(word.toLowerCase())
    if (answer === undefined || (answer === 'always' && rule === null)) continue
    if (answer === 'always' && rule !== null) await allowFromNowOn(context, rule)
    await client.questions.answer(question.id, { behavior: answer === 'deny' ? 'deny' : 'allow', message }, { signal })
    return true
  }
}

const ANSWERS: ReadonlyMap<string, 'allow' | 'deny' | 'always'> = new Map([
  ['y', 'allow'],
  ['yes', 'allow'],
  ['allow', 'allow'],
  ['n', 'deny'],
  ['no', 'deny'],
  ['deny', 'deny'],
  ['a', 'always'],
  ['always', 'always'],
])

/** What the call would do, as it is: a person decides by it. */
function asked({ input, description, isCut }: Question): string {
  const whole = typeof input === 'object' && input !== null ? Object.entries(input) : [['input', input]]
  const lines = whole.map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
  const text = block([...(description === null ? [] : [description]), ...lines].join('\n'))
  const shown = text.length > SHOWN_CHARACTERS || isCut ? `${text.slice(0, SHOWN_CHARACTERS)}\n... (cut)` : text
  return `    ${shown.trimEnd().replaceAll('\n', '\n    ')}\n`
}

async function allowFromNowOn(context: Context, rule: string): Promise<void> {
  const { setConfigValue } = await import('../../config/file/edit')
  const { readConfig } = await import('../../config/load')
  const { env, cwd } = context.io
  const { home } = context.globals
  const { config, userFile } = readConfig({ env, cwd, flags: home === undefined ? {} : { home } })
  const { allow } = config.worker
  if (allow.includes(rule)) return
  setConfigValue(userFile, 'worker.allow', [...allow, rule])
  context.note(`added ${rule} to worker.allow in ${userFile}`)
}
