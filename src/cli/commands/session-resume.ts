import { resolve } from 'node:path'
import { sessionId } from '../../domain/ids'
import { defineCommand } from '../command'
import { usageError } from '../parse-args'
import { commandLine, talk } from '../terminal-conversation'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: 'Go on with a suspended session: in this terminal, or as a task',
  details: [
    "The agent's own CLI, in the folder of the session. The transcript is written back from the record when it is missing here. An",
    'address with several ids goes on in the newest of them, unless --exact. Nobody else may have the conversation open.',
  ].join('\n'),
  args: [{ name: 'ID', help: 'any id of the session, or a unique beginning' }],
  options: {
    print: { kind: 'flag', help: 'only print the command that would be run, with its folder' },
    'as-task': { kind: 'flag', help: 'make a task whose run goes on with the conversation' },
    text: {
      kind: 'text',
      value: 'TEXT',
      help: 'with --as-task: what is said (default: that it goes on where it stopped)',
    },
    agent: { kind: 'text', value: 'AGENT', help: 'with --as-task: who is to run it' },
    exact: { kind: 'flag', help: 'this very id, also where the conversation went on under another' },
    dir: { kind: 'text', value: 'DIR', complete: 'folder', help: 'the folder, where it is not the one that it was' },
    model: { kind: 'text', value: 'MODEL', help: 'another model' },
  },
  examples: [
    { line: 'lode session resume 3f2a9c1e', does: 'talk to the agent again' },
    { line: 'lode session resume 3f2a9c1e --print', does: 'the exact command and folder' },
    { line: "lode session resume 3f2a9c1e --as-task --text 'And now the tests'", does: 'have a worker go on with it' },
  ],
  async run(context, { args: [id = ''], options }) {
    const { io, globals } = context
    const { print, 'as-task': asTask, text, agent, exact, model } = options
    if (!asTask && (text !== undefined || agent !== undefined))
      throw usageError(context.path)('--text and --agent are for --as-task.')
    if (!asTask && !print && !globals.isJson && !(io.isTerminal && io.canAsk))
      throw usageError(context.path)('A session is opened in a terminal; here only --print, --as-task or --json work.')
    const client = await context.client()
    const dir = options.dir === undefined ? undefined : resolve(io.cwd, options.dir)
    const resumed = await client.sessions.resume(id, { asTask, exact, dir, model, text, agentId: agent })
    const { task, interactive } = resumed
    if (interactive === null) {
      context.answer(resumed, () => `${task?.id} goes on with session ${oneLine(resumed.sessionId)}\n`)
      return undefined
    }
    const { openConversation } = await import('../../app/open-conversation')
    const session = sessionId(resumed.sessionId)
    const opened = await openConversation(context.config(), io.env, client, {
      sessionId: session,
      dir: interactive.dir,
      model: model ?? null,
    })
    if (print || globals.isJson) {
      const line = commandLine(opened)
      context.answer({ ...resumed, interactive: { ...interactive, ...opened, line } }, () => `${line}\n`)
      return undefined
    }
    if (opened.isRestored) context.note(`session ${oneLine(session)} was written back from the record`)
    // The terminal is the CLI's until it ends: Ctrl-C is its own business, and reaches it by the terminal.
    context.takeSecondSignal()
    return talk(opened, io.env)
  },
})
