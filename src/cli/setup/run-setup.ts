/** What `lode setup NAME` does for every agent CLI: adds hooks to its settings, checks or removes them. */
import { resolve } from 'node:path'
import { exitCodeOf } from '../../api/contract/error-codes'
import type { HarnessSetup, SetupCheck } from '../../domain/harness/harness-setup'
import { projectOf } from '../../util/git/git-project'
import { shellLine } from '../../util/shell-words'
import { usageError } from '../kit/arguments/parse-args'
import type { Context } from '../kit/context'
import { wakesByHook } from './add-hooks'
import { type AlsoChanged, previewText } from './setup-diff'
import { checkText, outcomeText } from './setup-views'

/** Options of every agent CLI; a command adds those that only one has. */
export const SETUP_OPTIONS = {
  user: { kind: 'flag', help: 'your user settings, for all projects (default)' },
  file: { kind: 'text', value: 'FILE', help: 'this settings file', complete: 'file' },
  'dry-run': { kind: 'flag', help: 'show the changes without making them' },
  yes: { kind: 'flag', short: 'y', help: 'ask nothing: add the hooks and what other options name' },
  check: { kind: 'flag', help: 'report what is set up and what is missing; exit with 3 if anything is missing' },
  remove: { kind: 'flag', help: "remove Lodeline's hooks" },
  'update-hooks': { kind: 'flag', help: 'update hooks of an older version or another installation path' },
} as const

export interface SetupInput {
  user: boolean
  project?: boolean
  local?: boolean
  file: string | undefined
  'dry-run': boolean
  yes: boolean
  check: boolean
  remove: boolean
  'update-hooks': boolean
  'todo-tools'?: 'on' | 'off' | undefined
  statusline?: boolean
  /** Absent: the CLI has no choice of it. */
  mcp?: boolean
}

/**
 * @param program  the name of the agent CLI's program
 * @param also  what is shown and changed with the settings
 * @throws `invalid` `not_found` and what `HarnessSetup` throws
 */
export async function runSetup(
  context: Context,
  program: string,
  given: SetupInput,
  also: AlsoChanged | null = null,
): Promise<number | undefined> {
  const { hookProgram, homeOption, setupOf, setupTools } = await import('../../app/agents/agent-setup')
  const { io, path } = context
  refuseContradictions(path, given)
  const config = context.config()
  const { home } = config
  const { harness, setup, executable } = await setupOf(program, config)
  const file = fileOf(context, setup, given)
  const lode = shellLine([...hookProgram(), ...homeOption(home, io.env)])
  const cli = { executable, env: io.env, cwd: io.cwd }
  const isDryRun = given['dry-run']
  if (given.remove) {
    const { changes, ...removed } = await setup.takeDown({ home, path: file, isDryRun, cli })
    const left = await setup.check({ path: file, lode, version: null, cli, tools: setupTools })
    const answer = { ...left, ...removed, isGood: true, isDryRun, cliVersion: null }
    const preview = isDryRun && changes?.length ? await previewText({ ...removed, changes }, null) : null
    context.answer(answer, () => preview ?? outcomeText(answer, 'remove'))
    return undefined
  }
  const version = setup.cliVersion(executable, io.env)
  const wakes = wakesByHook(config.messages)
  const about = { path: file, lode, version, wakes, cli, tools: setupTools }
  const asks = !given.yes && !given.check && !isDryRun && io.canAsk && io.isTerminal && !context.globals.isJson
  const ask = asks ? (await import('../first/first-screen')).asker(context) : null
  const options = ask === null ? given : await offered(given, await setup.check(about), ask, path)
  const question = { ...about, ...(options.mcp && { mcp: true }) }
  if (options.check) {
    const check = await setup.check(question)
    const isGood = isGoodSetup(check)
    context.answer({ ...check, ...NO_CHANGE, isGood, cliVersion: version }, () =>
      checkText(check, harness, version, path),
    )
    noteTodoTools(context, setup, version, check.todoTools === '1')
    return isGood ? undefined : exitCodeOf('not_found')
  }
  const todoTools = options['todo-tools'] ?? null
  const wanted = { ...question, home, todoTools, statusline: options.statusline === true }
  if (ask !== null) {
    const preview = await setup.setUp({ ...wanted, isDryRun: true })
    if ((preview.isChanged || also !== null) && preview.changes !== undefined) {
      io.out(await previewText(preview, also))
      if (!(await ask('Make these changes?', true))) {
        context.note('nothing was changed.')
        return undefined
      }
    }
  }
  const { changes, ...done } = await setup.setUp({ ...wanted, isDryRun })
  if (!isDryRun) also?.apply()
  const check = await setup.check(question)
  const answer = { ...check, ...done, isGood: isGoodSetup(check), isDryRun, cliVersion: version }
  const isShown = isDryRun && changes !== undefined && (done.isChanged || also !== null)
  const preview = isShown ? await previewText({ ...done, changes }, also) : null
  context.answer(answer, () => preview ?? outcomeText(answer, 'add'))
  if (todoTools !== 'off') noteTodoTools(context, setup, version, check.todoTools === '1' || done.addedTodoTools)
  return undefined
}

/** What a person at a terminal wants beside the hooks, where nothing was said of it and it is not there. */
async function offered(
  options: SetupInput,
  { installed, outdated, statusline }: SetupCheck,
  ask: (question: string, isDefault: boolean, later?: string) => Promise<boolean>,
  path: string,
): Promise<SetupInput> {
  if (options.mcp !== false || options.local === true || options.file !== undefined) return options
  const hasServer = [...installed, ...outdated].some(({ event }) => event.startsWith('mcpServers.'))
  const mcp =
    !hasServer && (await ask("Add the MCP server, which gives your sessions Lodeline's tools?", true, `${path} --mcp`))
  const hasLine = options.statusline === true || statusline !== null
  const isWanted =
    !hasLine && (await ask('Add a line to the status line, with what needs you?', true, `${path} --statusline`))
  return { ...options, mcp, statusline: options.statusline === true || isWanted }
}

/** Every hook is there, of this program, and runs. */
const isGoodSetup = ({ missing, outdated, untrusted, disablesHooks }: SetupCheck): boolean =>
  missing.length === 0 && outdated.length === 0 && untrusted.length === 0 && !disablesHooks

const NO_CHANGE = {
  added: [],
  removed: [],
  addedTodoTools: false,
  removedTodoTools: false,
  addedStatusline: false,
  removedStatusline: false,
  trusted: [],
  isChanged: false,
  backup: null,
  isDryRun: false,
}

function refuseContradictions(path: string, options: SetupInput): void {
  const places = [options.user, options.project, options.local, options.file !== undefined].filter(Boolean).length
  if (places > 1) {
    const hasProject = options.project !== undefined
    throw usageError(path)(`Use only one of --user, ${hasProject ? '--project, --local ' : ''}and --file.`)
  }
  if (options.check && (options.remove || options['update-hooks']))
    throw usageError(path)("--check can't be combined with --remove or --update-hooks.")
  if (options.remove && options['update-hooks'])
    throw usageError(path)('Use either --remove or --update-hooks, not both.')
}

function noteTodoTools({ io, note }: Context, setup: HarnessSetup, version: string | null, isOn: boolean): void {
  const words = setup.note(version, isOn, io.env)
  if (words !== null) note(words)
}

function fileOf({ io, path }: Context, setup: HarnessSetup, { project, local, file }: SetupInput): string {
  if (file !== undefined) return resolve(io.cwd, file)
  if (!project && !local) return setup.userFile(io.env, io.cwd)
  const found = setup.projectFile(projectOf(io.cwd).root, local === true)
  if (found === null) throw usageError(path)('This agent CLI has no settings of a project for hooks. Use --user.')
  return found
}
