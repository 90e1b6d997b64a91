import { defineCommand } from '../../kit/command'
import { runSetup, SETUP_OPTIONS } from '../../setup/run-setup'

export const command = defineCommand({
  summary: "Add Lodeline's hooks and tools to Copilot CLI's settings, check or remove them",
  details: [
    'Adds a file of hooks, hooks/lodeline.json in the folder of Copilot CLI, and an MCP server in its mcp-config.json. The agent',
    'gets its goal and state with the first prompt after a start, a resume or a compaction. Tool calls never wait for a hook.',
    'Running it twice changes nothing. --remove restores both files.',
  ].join('\n'),
  options: SETUP_OPTIONS,
  examples: [
    { line: 'lode setup copilot --dry-run', does: 'preview the changes' },
    { line: 'lode setup copilot', does: 'set up your user settings' },
    { line: 'lode setup copilot --remove', does: 'remove the hooks and the tools' },
  ],
  run: async (context, { options }) => await runSetup(context, 'copilot', options),
})
