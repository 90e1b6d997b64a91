import { issueId } from '../../domain/ids'
import { RECALL_MOMENTS } from '../../domain/recall'
import { type CallingSession, callingSession } from '../calling-session'
import { defineCommand } from '../command'
import { oneLine } from '../text'

export const command = defineCommand({
  summary: "Print a session's context: goal, to-dos, background work, hand-over, ready work",
  details: [
    'At most 2,000 tokens, most important first; what was left out is named. In a run it is the reminder of its task. The session is',
    "--session, else CLAUDE_CODE_SESSION_ID, else the only one that lives in this folder. An agent's hooks give the same by themselves.",
  ].join('\n'),
  options: {
    for: {
      kind: 'text',
      value: 'MOMENT',
      choices: RECALL_MOMENTS,
      help: 'the moment whose text it is; default: resume',
    },
    session: { kind: 'text', short: 's', value: 'ID', help: 'the session, or a unique beginning of its id' },
  },
  examples: [
    { line: 'lode prime', does: 'what the session of this folder is about and how it stands' },
    { line: 'lode prime --for compact --session 3f2a9c1e', does: 'as after a compaction' },
    { line: 'lode prime --json', does: 'as {session, moment, text}' },
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
    if (text === '') context.note('there is nothing to say yet.')
    else if (session !== null && options.session === undefined && session.evidence.startsWith('the only'))
      context.note(`session ${oneLine(session.id)}: ${session.evidence}.`)
  },
})

/** A person who looks takes nothing away from the agent; the agent itself is told. */
const isCaller = ({ evidence }: CallingSession): boolean => !evidence.startsWith('the only') && evidence !== '--session'

const ended = (text: string) => (text === '' ? '' : `${text}\n`)
