import { resolve } from 'node:path'
import { sessionId, UUID_BEGINNING } from '../../../domain/ids'
import { quote, usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { noteReplay } from '../../sessions/note-replay'
import { commandLine, talk } from '../../sessions/terminal-conversation'

export const command = defineCommand({
  summary: 'Continue a session in this terminal or as a task',
  details: [
    "Starts the agent's own CLI in the session's folder. Restores the transcript from the record if it is missing here. An address",
    'with several session IDs continues in the newest one, unless --exact. The conversation must not be open elsewhere.',
  ].join('\n'),
  args: [
    { name: 'ID', help: 'any ID of the session, or a unique prefix of it', complete: 'session' },
    { name: 'TEXT', help: 'with --as-task: the same as --text', isOptional: true },
  ],
  options: {
    print: { kind: 'flag', help: 'print the command and folder without running it' },
    'as-task': { kind: 'flag', help: 'create a task that continues the conversation' },
    text: {
      kind: 'text',
      value: 'TEXT',
      help: 'with --as-task: the prompt (default: continue where you stopped)',
    },
    assign: {
      kind: 'text',
      value: 'AGENT',
      complete: 'agent',
      help: 'with --as-task: the worker or specialist to run it',
    },
    with: {
      kind: 'text',
      value: 'CLI',
      help: 'continue in this agent CLI, with what was said so far (default: its own)',
    },
    exact: { kind: 'flag', help: 'use exactly this ID, even if the conversation continued under another one' },
    'fork-at': {
      kind: 'text',
      value: 'EVENT',
      help: 'with --as-task: continue in a copy that ends with the last turn finished at this event, or before this compaction',
    },
    dir: { kind: 'text', value: 'DIR', complete: 'folder', help: 'the folder, if it has moved' },
    model: { kind: 'text', value: 'MODEL', help: 'use another model' },
  },
  examples: [
    { line: 'lode session resume 3f2a9c1e', does: 'continue the conversation in this terminal' },
    { line: 'lode session resume 3f2a9c1e --print', does: 'print the exact command and folder' },
    {
      line: 'lode session resume 3f2a9c1e --with codex',
      does: 'continue in another agent CLI, with what was said so far',
    },
    { line: "lode session resume 3f2a9c1e --as-task 'And now the tests'", does: 'let a worker continue it' },
  ],
  async run(context, { args: [id = '', words], options }) {
    const { io, globals } = context
    const { print, 'as-task': asTask, assign, with: other, exact, model } = options
    if (words !== undefined && options.text !== undefined)
      throw usageError(context.path)('Give the text once: behind the ID, or with --text.')
    const text = words ?? options.text
    const forkAt = options['fork-at']
    if (forkAt !== undefined && !UUID_BEGINNING.test(forkAt))
      throw usageError(context.path)(`--fork-at needs an event ID, not ${quote(forkAt)}. "lode event list" shows them.`)
    if (!asTask && (text !== undefined || assign !== undefined || forkAt !== undefined))
      throw usageError(context.path)('A text, --assign and --fork-at need --as-task.')
    if (!asTask && !print && !globals.isJson && !(io.isTerminal && io.canAsk))
      throw usageError(context.path)('A session opens only in a terminal. Here, use --print, --as-task or --json.')
    const client = await context.client()
    await noteReplay(context, client, id)
    const dir = options.dir === undefined ? undefined : resolve(io.cwd, options.dir)
    const resumed = await client.sessions.resume(id, {
      ...{ asTask, exact, dir, model, text, agentId: assign },
      ...(forkAt !== undefined && { forkAt }),
      ...(other !== undefined && { agentClis: [other] }),
    })
    const { task, interactive } = resumed
    if (interactive === null) {
      context.answer(resumed, () => `${task?.id} continues session ${oneLine(resumed.sessionId)}\n`)
      return undefined
    }
    const { openConversation } = await import('../../../app/open-conversation')
    const session = sessionId(resumed.sessionId)
    const opened = await openConversation(context.config(), io.env, client, {
      sessionId: session,
      dir: interactive.dir,
      model: model ?? null,
      with: other ?? null,
    })
    if (print || globals.isJson) {
      const line = commandLine(opened)
      context.answer({ ...resumed, interactive: { ...interactive, ...opened, line } }, () => `${line}\n`, {
        isExact: true,
      })
      return undefined
    }
    if (opened.isRestored) context.note(`session ${oneLine(session)} was restored from the record`)
    if (opened.translated !== null)
      context.note(`it continues as session ${opened.translated.sessionId}, with ${opened.translated.carried}`)
    // The terminal is the CLI's until it ends: Ctrl-C is its own business, and reaches it by the terminal.
    context.takeSecondSignal()
    return talk(opened, io.env)
  },
})
