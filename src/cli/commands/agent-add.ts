import { resolve } from 'node:path'
import { defineCommand } from '../command'
import { fileText, stdinText } from '../issue-options'
import { agentFields } from '../views/agent-views'

/** UTF-8 takes at most three bytes for each unit that the limit counts. */
const INSTRUCTION_BYTES = 60_000

export const command = defineCommand({
  summary: 'Add a specialist: instructions and a model for tasks that are given to it',
  details: [
    'A task that names it (`--agent NAME`) is run by any worker, whose agent gets the instructions at its start, or by a worker of that',
    'name. Instructions give no permissions. What is left out stays as it is. Files in .lodeline/agents and .claude/agents of a project',
    'describe such agents too, by their front matter: they need no command.',
  ].join('\n'),
  args: [{ name: 'NAME', help: 'unique; the same again changes it' }],
  options: {
    instructions: {
      kind: 'text',
      short: 'i',
      value: 'FILE',
      help: 'a text file of at most 6000 characters; - reads stdin',
      complete: 'file',
    },
    model: { kind: 'text', value: 'MODEL', help: "the model of its runs; 'off' = the worker's own" },
    description: { kind: 'text', short: 'd', value: 'TEXT', help: 'one line for those who choose among agents' },
    capability: { kind: 'text', value: 'WORD', isRepeated: true, help: 'what it can do' },
  },
  examples: [
    {
      line: "lode agent add reviewer --instructions review.md --model opus -d 'Reviews changes'",
      does: 'then: lode task create "Review the branch" --agent reviewer',
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
