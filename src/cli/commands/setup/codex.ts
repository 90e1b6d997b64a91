import { defineCommand } from '../../kit/command'
import { runSetup, SETUP_OPTIONS } from '../../setup/run-setup'

export const command = defineCommand({
  summary: "Add Lodeline's hooks to Codex's settings, check or remove them",
  details: [
    'Adds hooks for session events to hooks.json in the folder of Codex. Codex skips hooks that nobody trusts, so the command',
    'also has Codex note in its config.toml that these are trusted. Tool calls never wait for a hook. Running it twice changes',
    'nothing. --remove restores both files.',
  ].join('\n'),
  options: SETUP_OPTIONS,
  examples: [
    { line: 'lode setup codex --dry-run', does: 'preview the changes' },
    { line: 'lode setup codex', does: 'set up your user settings' },
    { line: 'lode setup codex --remove', does: 'remove the hooks and their trust' },
  ],
  run: async (context, { options }) => await runSetup(context, 'codex', options),
})
