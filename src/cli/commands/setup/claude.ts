import { dirname } from 'node:path'
import { exitCodeOf } from '../../../api/contract/error-codes'
import { shellLine } from '../../../util/shell-words'
import { defineCommand } from '../../kit/command'
import type { Context } from '../../kit/context'
import { runSetup, SETUP_OPTIONS } from '../../setup/run-setup'
import { lookAtMod, modToAdd } from '../../setup/setup-mod'

export const command = defineCommand({
  summary: "Add Lodeline's hooks to Claude Code's settings, check or remove them",
  details: [
    'At a terminal it also offers the MCP server and the status line, shows all changes as one diff, and asks before it makes them.',
    'Adds hooks for session events, to-do tools and tools that launch agents. Other tool calls never wait for a hook. Every',
    'other byte of the file stays the same, and the previous version is kept as a copy. Running it twice changes nothing.',
    '--remove restores the file.',
  ].join('\n'),
  options: {
    ...SETUP_OPTIONS,
    project: { kind: 'flag', help: "the project's .claude/settings.json, shared through its repository" },
    local: { kind: 'flag', help: "the project's .claude/settings.local.json, only on this machine" },
    plugin: { kind: 'flag', help: 'show how to use the plugin instead: hooks, MCP server and skill in one folder' },
    statusline: {
      kind: 'flag',
      help: 'also show what needs you in the status line; one that you have stays, beside it',
    },
    mcp: {
      kind: 'flag',
      help: "also give your sessions Lodeline's tools, by an MCP server in ~/.claude.json (--project: .mcp.json)",
    },
    mod: {
      kind: 'flag',
      help: 'also add the mod (Claude Code 2.1.287 and later): what needs you above the prompt, /lode, links of sub-agents',
    },
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
    {
      line: 'lode setup claude --yes --mcp --statusline',
      does: 'add hooks, tools and the status line without a question',
    },
    { line: 'lode setup claude --statusline', does: 'add hooks, and the line of lode to the status line' },
    { line: 'lode setup claude --mod', does: 'add hooks and the mod' },
    { line: 'lode setup claude --remove', does: 'remove the hooks, and the mod' },
  ],
  async run(context, { options }) {
    if (options.plugin) return await plugin(context)
    const isUsers = !options.project && !options.local && options.file === undefined
    const hasMod = isUsers && !options.remove && !options.check
    const code = await runSetup(context, 'claude', options, hasMod ? await modToAdd(context, options.mod) : null)
    if (isUsers && !hasMod) await lookAtMod(context, options)
    return code
  },
})

async function plugin(context: Context): Promise<number | undefined> {
  const folder = (await import('../../../app/agents/agent-setup')).pluginFolder()
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
