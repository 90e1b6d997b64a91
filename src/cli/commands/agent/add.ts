import { resolve } from 'node:path'
import { fileText, stdinText } from '../../issues/issue-options'
import { defineCommand } from '../../kit/command'
import { agentFields } from '../../views/task/agent-views'

/** UTF-8 takes at most three bytes for each unit that the limit counts. */
const INSTRUCTION_BYTES = 60_000

export const command = defineCommand({
  summary: 'Add or change a specialist: instructions and a model for its tasks',
  details: [
    'Any worker can run a task assigned to the specialist (`--assign NAME`); its agent receives the instructions at the start. A worker',
    'with the same name can run it too. Instructions grant no permissions. Options you omit keep their values. Agent files with front',
    'matter in .lodeline/agents and .claude/agents of a project also define specialists; they need no command.',
  ].join('\n'),
  args: [{ name: 'NAME', help: 'a unique name; an existing name changes that specialist' }],
  options: {
    instructions: {
      kind: 'text',
      short: 'i',
      value: 'FILE',
      help: 'a text file of at most 6,000 characters; - reads stdin',
      complete: 'file',
    },
    model: { kind: 'text', value: 'MODEL', help: "the model for its runs; 'off' = the worker's model" },
    description: {
      kind: 'text',
      short: 'd',
      value: 'TEXT',
      help: 'one line that helps leads and people choose an agent',
    },
    capability: { kind: 'text', value: 'WORD', isRepeated: true, help: 'a capability of the specialist' },
  },
  examples: [
    {
      line: "lode agent add reviewer --instructions review.md --model opus -d 'Reviews changes'",
      does: 'then run: lode task create "Review the branch" --assign reviewer',
    },
  ],
  async run(context, { args: [name = ''], options }) {
    const { instructions: file, model, description, capability } = options
    const instructions =
      file === undefined
        ? undefined
        : file === '-'
          ? await stdinText(context, INSTRUCTION_BYTES)
          : fileText(resolve(context.io.cwd, file), INSTRUCTION_BYTES)
    const answer = await (await context.client()).agents.describe(name, {
      ...(instructions !== undefined && { instructions }),
      ...(model !== undefined && { model: model === 'off' ? null : model }),
      ...(description !== undefined && { description: description === '' ? null : description }),
      ...(capability.length > 0 && { capabilities: capability }),
    })
    context.answer(answer, () => agentFields(answer.agent, context.io.now()))
  },
})
