import { defineCommand } from '../../kit/command'
import { runSetup, SETUP_OPTIONS } from '../../setup/run-setup'

export const command = defineCommand({
  summary: "Add Lodeline's plugin to opencode, check or remove it",
  details: [
    'Writes a file of its own into the folder of plugins of opencode; your settings stay as they are. Your sessions then get',
    'their goal and state, their messages, and the tools of Lodeline. Tool calls never wait for it. opencode gets a package',
    'for plugins from npm at its next start. Running it twice changes nothing. --remove removes the file.',
  ].join('\n'),
  options: SETUP_OPTIONS,
  examples: [
    { line: 'lode setup opencode --dry-run', does: 'preview the changes' },
    { line: 'lode setup opencode', does: 'set up your own sessions' },
    { line: 'lode setup opencode --remove', does: 'remove the plugin' },
  ],
  run: async (context, { options }) => await runSetup(context, 'opencode', options),
})
