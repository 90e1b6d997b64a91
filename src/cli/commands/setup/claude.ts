import { dirname, resolve } from 'node:path'
import { exitCodeOf } from '../../../api/contract/error-codes'
import type { HarnessSetup } from '../../../domain/harness/harness-setup'
import { projectOf } from '../../../util/git-project'
import { shellLine } from '../../../util/shell-words'
import { defineCommand } from '../../kit/command'
import type { Context } from '../../kit/context'
import { usageError } from '../../kit/parse-args'
import { wakesByHook } from '../../server/setup-hooks'
import { checkText, outcomeText } from '../../views/setup-views'

export const command = defineCommand({
  summary: "Add Lodeline's hooks to Claude Code's settings, check or remove them",
  details: [
    'Adds hooks for session events, to-do tools and tools that launch agents. Other tool calls never wait for a hook. Every',
    'other byte of the file stays the same, and the previous version is kept as a copy. Running it twice changes nothing.',
    '--remove restores the file.',
  ].join('\n'),
  options: {
    user: { kind: 'flag', help: 'your user settings, for all projects (default)' },
    project: { kind: 'flag', help: "the project's .claude/settings.json, shared through its repository" },
    local: { kind: 'flag', help: "the project's .claude/settings.local.json, only on this machine" },
    file: { kind: 'text', value: 'FILE', help: 'this settings file', complete: 'file' },
    plugin: { kind: 'flag', help: 'show how to use the plugin instead: hooks, MCP server and skill in one folder' },
    'dry-run': { kind: 'flag', help: 'show the changes without making them' },
    check: { kind: 'flag', help: 'report what is set up and what is missing; exit with 3 if anything is missing' },
    remove: { kind: 'flag', help: "remove Lodeline's hooks" },
    'update-hooks': { kind: 'flag', help: 'update hooks of an older version or another installation path' },
    'todo-tools': {
      kind: 'text',
      value: 'on|off',
      choices: ['on', 'off'],
      help: 'give newer models to-do tools too: on sets CLAUDE_CODE_ENABLE_TODO_TOOLS=1 in these settings',
    },
  },
  examples: [
    { line: 'lode setup claude --dry-run', does: 'preview the changes' },
    { line: 'lode setup claude', does: 'set up your user settings' },
    {
      line: 'lode setup claude --local --todo-tools on',
      does: 'set up this project on this machine, with to-do tools',
    },
    { line: 'lode setup claude --remove', does: 'remove the hooks' },
  ],
  async run(context, { options }) {
    const { hookProgram, homeOption, ownExecutable, pluginFolder, setupOf } = await import('../../../app/agent-setup')
    if (options.plugin) return plugin(context, pluginFolder())
    const setup = await setupOf('claude')
    const { io, path } = context
    const chosen = [options.user, options.project, options.local, options.file !== undefined].filter(Boolean).length
    if (chosen > 1) throw usageError(path)('Use only one of --user, --project, --local and --file.')
    if (options.check && (options.remove || options['update-hooks']))
      throw usageError(path)("--check can't be combined with --remove or --update-hooks.")
    if (options.remove && options['update-hooks'])
      throw usageError(path)('Use either --remove or --update-hooks, not both.')
    const config = context.config()
    const { home } = config
    const file = fileOf(context, setup, options)
    const program = shellLine([...hookProgram(), ...homeOption(home, io.env)])
    if (options.remove) {
      const removed = setup.takeDown({ home, path: file, isDryRun: options['dry-run'] })
      const left = setup.check({ path: file, lode: program, version: null })
      const answer = { ...left, ...removed, isGood: true, isDryRun: options['dry-run'], cliVersion: null }
      context.answer(answer, () => outcomeText(answer, 'remove'))
      return
    }
    const version = setup.cliVersion(ownExecutable(config), io.env)
    const wakes = wakesByHook(config.messages)
    if (options.check) {
      const check = setup.check({ path: file, lode: program, version, wakes })
      const isGood = check.missing.length === 0 && check.outdated.length === 0 && !check.disablesHooks
      context.answer({ ...check, ...NO_CHANGE, isGood, cliVersion: version }, () => checkText(check, version))
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
    const check = setup.check({ path: file, lode: program, version, wakes })
    const isGood = check.missing.length === 0 && check.outdated.length === 0 && !check.disablesHooks
    const answer = { ...check, ...done, isGood, isDryRun: options['dry-run'], cliVersion: version }
    context.answer(answer, () => outcomeText(answer, 'add'))
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

function noteTodoTools({ io, note }: Context, setup: HarnessSetup, version: string | null, isOn: boolean): void {
  const words = setup.note(version, isOn, io.env)
  if (words !== null) note(words)
}

interface Place {
  project: boolean
  local: boolean
  file: string | undefined
}

function fileOf({ io }: Context, setup: HarnessSetup, { project, local, file }: Place): string {
  if (file !== undefined) return resolve(io.cwd, file)
  if (project || local) return setup.projectFile(projectOf(io.cwd).root, local)
  return setup.userFile(io.env, io.cwd)
}

function plugin(context: Context, folder: string | null): number | undefined {
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
      ? 'The plugin is not installed beside this program. Use the folder plugin of its source.\n'
      : [
          `${commandLine}`,
          "  starts Claude Code once with Lodeline's hooks, MCP server and skill. To install them permanently, with lode on your PATH:",
          ...install,
          "  'claude plugin uninstall lodeline@lodeline' removes it.",
          '',
        ].join('\n'),
  )
  return folder === null ? exitCodeOf('not_found') : undefined
}
