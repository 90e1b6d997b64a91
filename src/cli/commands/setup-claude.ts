import { dirname, join, resolve } from 'node:path'
import { exitCodeOf } from '../../api/contract/error-codes'
import type * as Setup from '../../app/setup-claude'
import { projectOf } from '../../util/git-project'
import { shellLine } from '../../util/shell-words'
import { defineCommand } from '../command'
import type { Context } from '../context'
import { usageError } from '../parse-args'
import { userSettings, wakesByHook } from '../setup-hooks'
import { checkText, outcomeText } from '../views/setup-views'

export const command = defineCommand({
  summary: "Put hooks into Claude Code's settings, check them, or take them out",
  details: [
    'Adds hooks at events of sessions, at to-do tools and at tools that launch agents; an ordinary tool call never waits for',
    'one. Every other byte of the file stays as it is, a copy of it is kept, and doing it twice changes nothing. --remove leaves',
    'the file as it was.',
  ].join('\n'),
  options: {
    user: { kind: 'flag', help: 'your own settings, for all projects (default)' },
    project: { kind: 'flag', help: "the project's .claude/settings.json, which its repository shares" },
    local: { kind: 'flag', help: "the project's .claude/settings.local.json, on this machine alone" },
    file: { kind: 'text', value: 'FILE', help: 'this file of settings', complete: 'file' },
    plugin: { kind: 'flag', help: 'say how to use the plugin instead: hooks, MCP server and skill in one folder' },
    'dry-run': { kind: 'flag', help: 'show what would change, and change nothing' },
    check: { kind: 'flag', help: 'say what is set up and what is missing; exit code 3 when something is' },
    remove: { kind: 'flag', help: 'take our rows out again' },
    'update-hooks': { kind: 'flag', help: 'bring rows of an older version, or of another place, up to date' },
    'todo-tools': {
      kind: 'text',
      value: 'on|off',
      choices: ['on', 'off'],
      help: 'whether newer models are given to-do tools too: on sets CLAUDE_CODE_ENABLE_TODO_TOOLS=1 in these settings',
    },
    measure: { kind: 'flag', help: 'run each hook a few times and say what it costs here' },
  },
  examples: [
    { line: 'lode setup claude --dry-run --measure', does: 'what would be added, and what each hook costs' },
    { line: 'lode setup claude', does: 'set up your own settings' },
    { line: 'lode setup claude --local --todo-tools on', does: 'this project on this machine, with to-do tools' },
    { line: 'lode setup claude --remove', does: 'as it was before' },
  ],
  async run(context, { options }) {
    const setup = await import('../../app/setup-claude')
    if (options.plugin) return plugin(context, setup)
    const { io, path } = context
    const chosen = [options.user, options.project, options.local, options.file !== undefined].filter(Boolean).length
    if (chosen > 1) throw usageError(path)('Choose one of --user, --project, --local and --file.')
    if (options.check && (options.remove || options['update-hooks'])) throw usageError(path)('--check changes nothing.')
    if (options.remove && options['update-hooks']) throw usageError(path)('Either --remove or --update-hooks.')
    const config = context.config()
    const { home } = config
    const file = fileOf(context, options)
    const program = shellLine([...setup.hookProgram(), ...setup.homeOption(home, io.env)])
    if (options.remove) {
      const removed = setup.takeDown({ home, path: file, isDryRun: options['dry-run'] })
      const left = setup.checkSetup({ path: file, lode: program, version: null })
      const answer = { ...left, ...removed, isGood: true, isDryRun: options['dry-run'], cliVersion: null, costMs: null }
      context.answer(answer, () => outcomeText(answer, null, 'remove'))
      return
    }
    const version = setup.cliVersion(config.worker.executable, io.env)
    const wakes = wakesByHook(config.messages)
    const rows = setup.hookRows(program, version)
    const costs = options.measure ? setup.measureHooks(rows) : null
    const costMs = costs === null ? null : Object.fromEntries(costs)
    if (options.check) {
      const check = setup.checkSetup({ path: file, lode: program, version, wakes })
      const isGood = check.missing.length === 0 && check.outdated.length === 0 && !check.disablesHooks
      context.answer({ ...check, ...NO_CHANGE, isGood, cliVersion: version, costMs }, () =>
        checkText(check, version, costs),
      )
      noteTodoTools(context, setup, version, check.todoTools === '1')
      return isGood ? undefined : exitCodeOf('not_found')
    }
    const done = setup.setUp({
      home,
      path: file,
      lode: program,
      version,
      wakes,
      todoTools: options['todo-tools'] ?? null,
      isDryRun: options['dry-run'],
    })
    const check = setup.checkSetup({ path: file, lode: program, version, wakes })
    const isGood = check.missing.length === 0 && check.outdated.length === 0 && !check.disablesHooks
    const answer = { ...check, ...done, isGood, isDryRun: options['dry-run'], cliVersion: version, costMs }
    context.answer(answer, () => outcomeText(answer, costs, 'add'))
    const { todoTools } = check
    if (options['todo-tools'] !== 'off')
      noteTodoTools(context, setup, version, todoTools === '1' || done.addedTodoTools)
  },
})

const NO_CHANGE = {
  added: [],
  removed: [],
  addedTodoTools: false,
  removedTodoTools: false,
  isChanged: false,
  backup: null,
  isDryRun: false,
}

/** Newer releases give newer models no to-do tools: said, and offered, since without them there are no to-dos to keep. */
function noteTodoTools(context: Context, setup: typeof Setup, version: string | null, isOn: boolean): void {
  const name = setup.TODO_TOOLS_VARIABLE
  if (version === null) context.note('no Claude Code was found on PATH: only hooks that every release knows are used.')
  else if (setup.hidesTodoTools(version) && !isOn && context.io.env[name] !== '1')
    context.note(
      `Claude Code ${version} gives newer models no to-do tools in its terminal${
        setup.defersTodoTools(version) ? ', and others only when they search for them' : ''
      }: --todo-tools on sets ${name}=1 in these settings.`,
    )
}

interface Place {
  project: boolean
  local: boolean
  file: string | undefined
}

function fileOf({ io }: Context, { project, local, file }: Place): string {
  if (file !== undefined) return resolve(io.cwd, file)
  if (project || local) {
    const { root } = projectOf(io.cwd)
    return join(root, '.claude', local ? 'settings.local.json' : 'settings.json')
  }
  return userSettings(io)
}

function plugin(context: Context, setup: typeof Setup): number | undefined {
  const folder = setup.pluginFolder()
  const commandLine = folder === null ? null : shellLine(['claude', '--plugin-dir', folder])
  const install =
    folder === null
      ? null
      : [
          shellLine(['claude', 'plugin', 'marketplace', 'add', dirname(folder)]),
          'claude plugin install lodeline@lodeline',
        ]
  context.answer({ folder, command: commandLine, install }, () =>
    install === null
      ? 'The plugin is not beside this program: use the folder plugin of its source.\n'
      : [
          `${commandLine}`,
          "  starts Claude Code with Lodeline's hooks, MCP server and skill, this once. For always, with lode on your PATH:",
          ...install,
          "  'claude plugin uninstall lodeline@lodeline' takes it out again.",
          '',
        ].join('\n'),
  )
  return folder === null ? exitCodeOf('not_found') : undefined
}
