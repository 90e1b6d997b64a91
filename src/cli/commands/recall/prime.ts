import { issueId } from '../../../domain/ids'
import { RECALL_MOMENTS } from '../../../domain/recall/recall'
import { defineCommand } from '../../kit/command'
import { oneLine } from '../../print/text'
import { type CallingSession, callingSession } from '../../sessions/calling-session'

export const command = defineCommand({
  summary: "Print a session's context: goal, to-dos, background work, hand-over, ready work",
  details: [
    "Prints at most 2,000 tokens, most important first, and names what it left out. Inside a task run it prints the task's reminder.",
    'The session is --session, else CLAUDE_CODE_SESSION_ID, else the only live one in this folder. Hooks send the same text to agents.',
  ].join('\n'),
  options: {
    for: {
      kind: 'text',
      value: 'MOMENT',
      choices: RECALL_MOMENTS,
      help: `the moment to print the text for: ${RECALL_MOMENTS.join(', ')} (default: resume)`,
    },
    session: {
      kind: 'text',
      short: 's',
      value: 'ID',
      complete: 'session',
      help: "the session's ID, or a unique prefix of it",
    },
  },
  examples: [
    { line: 'lode prime', does: 'the context of the session in this folder' },
    { line: 'lode prime --for compact --session 3f2a9c1e', does: 'the text sent after a compaction' },
    { line: 'lode prime --json', does: 'print JSON: {session, moment, text}' },
  ],
  async run(context, { options }) {
    const { io } = context
    const client = await context.client()
    const { LODELINE_TOKEN: token, LODELINE_TASK_ID: task, LODELINE_ISSUE: issue } = io.env
    if (token && task && options.session === undefined) {
      const moment = options.for ?? 'resume'
      const text = await client.tasks.recall(task, { moment })
      context.answer({ session: null, moment, text }, () => ended(text))
      return
    }
    const session = await callingSession(context, options.session)
    const moment = options.for ?? (session === null ? 'startup' : 'resume')
    const text = await client.recall({
      moment,
      folder: io.cwd,
      ...(session !== null && { sessionId: session.id, isLook: !isCaller(session) }),
      ...(issue && { issueId: issueId(issue) }),
    })
    context.answer({ session: session?.id ?? null, moment, text }, () => ended(text))
    if (text === '') context.note('there is no context to show yet.')
    else if (session !== null && options.session === undefined && session.evidence.startsWith('the only'))
      context.note(`session ${oneLine(session.id)}: ${session.evidence}.`)
  },
})

/** A person's look takes nothing away from the agent; only the agent itself takes it. */
const isCaller = ({ evidence }: CallingSession): boolean => !evidence.startsWith('the only') && evidence !== '--session'

const ended = (text: string) => (text === '' ? '' : `${text}\n`)
