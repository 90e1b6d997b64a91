import { defineCommand } from '../../kit/command'
import { runSetup, SETUP_OPTIONS } from '../../setup/run-setup'

export const command = defineCommand({
  summary: "Add Lodeline's extension to Pi, check or remove it",
  details: [
    'Adds one file, extensions/lodeline.js in the folder of Pi. It gives the agent its goal and state after a start, a resume or a',
    'compaction, and the tools of Lodeline. It starts nothing before the first prompt. Running it twice changes nothing.',
    '--remove takes the file out again.',
  ].join('\n'),
  options: SETUP_OPTIONS,
  examples: [
    { line: 'lode setup pi --dry-run', does: 'preview the change' },
    { line: 'lode setup pi', does: 'add the extension for all projects' },
    { line: 'lode setup pi --remove', does: 'remove it' },
  ],
  run: async (context, { options }) => await runSetup(context, 'pi', options),
})
