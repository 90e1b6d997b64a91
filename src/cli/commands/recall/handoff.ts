import { fstatSync } from 'node:fs'
import type { Handoff } from '../../../domain/recall/recall'
import { usageError } from '../../kit/arguments/parse-args'
import { defineCommand } from '../../kit/command'
import type { Context } from '../../kit/context'
import { age } from '../../print/measures'
import { table } from '../../print/table'
import { block, oneLine } from '../../print/text'
import { callingSession } from '../../sessions/calling-session'

/** Bytes of a note on stdin. */
const NOTE_BYTES = 80_000
/** A pipe that nobody writes to or closes: the note is left out after this many milliseconds. */
const PIPE_MS = 3_000

export const command = defineCommand({
  summary: 'Leave a hand-over for the next session in this folder, or on an issue',
  details: [
    'Builds the hand-over from the record of the calling session and adds the NOTE or stdin. The next session receives it once, at',
    'its start or with its next state reminder. --goal, --state, --evidence and --next replace the values from the record.',
  ].join('\n'),
  args: [{ name: 'NOTE', help: 'a note for the next session; - or a pipe reads it from stdin', isOptional: true }],
  options: {
    to: {
      kind: 'text',
      value: 'ISSUE',
      help: "hand over only to a session on this issue; 'issue' = the issue linked to this session",
    },
    session: { kind: 'text', short: 's', value: 'ID', complete: 'session', help: 'the session to hand over from' },
    goal: { kind: 'text', value: 'TEXT', help: 'the goal, instead of the recorded one' },
    state: { kind: 'text', value: 'TEXT', help: 'the current state' },
    evidence: { kind: 'text', value: 'TEXT', help: 'evidence for the state: tests, commits, files' },
    next: { kind: 'text', value: 'TEXT', help: 'the next step' },
    list: { kind: 'flag', help: 'list the hand-overs of this folder, with the sessions that received them' },
    all: { kind: 'flag', help: 'with --list: list hand-overs of all folders' },
  },
  examples: [
    {
      line: "lode handoff 'The tests of the parser fail on Windows only'",
      does: 'leave a note for the next session in this folder',
    },
    { line: 'lode handoff --to ld-3k9q', does: 'hand over to the next session on an issue' },
    { line: 'lode handoff --list --json', does: 'print JSON: {handoffs}' },
  ],
  async run(context, { args: [note], options }) {
    const client = await context.client()
    const { io } = context
    if (options.list) {
      if (note !== undefined) throw usageError(context.path)('--list takes no NOTE.')
      const { handoffs } = await client.handoffs.list(options.all ? {} : { folder: io.cwd })
      context.answer({ handoffs }, () => handoffTable(handoffs, io.now(), io.columns))
      if (handoffs.length === 0 && !context.globals.isJson) context.note('no hand-overs.')
      return
    }
    const words = await noteOf(context, note)
    const isRun = Boolean(io.env.LODELINE_TOKEN && io.env.LODELINE_TASK_ID)
    const session = isRun ? null : await callingSession(context, options.session)
    const { handoff } = await client.handoffs.create({
      folder: io.cwd,
      ...(session !== null && { sessionId: session.id }),
      ...(options.to !== undefined && { to: options.to === 'issue' ? 'linked' : options.to }),
      ...(words !== '' && { note: words }),
      goal: options.goal,
      state: options.state,
      evidence: options.evidence,
      next: options.next,
    })
    context.answer({ handoff }, () => shown(handoff))
  },
})

async function noteOf(context: Context, note: string | undefined): Promise<string> {
  const { io } = context
  if (note !== undefined && note !== '-') return note
  if (note === undefined && !isPiped()) return ''
  if (io.isInTerminal) context.note('type the note, then press Ctrl-D.')
  const read = io.readInput(NOTE_BYTES)
  if (note === '-') return (await read).trim()
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), PIPE_MS)
  })
  const text = await Promise.race([read, late])
  clearTimeout(timer)
  if (text === null) context.note('no input arrived on stdin; the hand-over has no note.')
  return text?.trim() ?? ''
}

/** Whether something was put on stdin: a pipe or a file, no terminal and no /dev/null. */
function isPiped(): boolean {
  try {
    const stat = fstatSync(0)
    return stat.isFIFO() || stat.isFile() || stat.isSocket()
  } catch {
    return false
  }
}

function shown({ id, issueId, folder, goal, state, evidence, next, note }: Handoff): string {
  const to = issueId === null ? `to the next session in ${folder}` : `to the next session on ${issueId}`
  const parts = [
    ['Goal', goal],
    ['State', state],
    ['Evidence', evidence],
    ['Next step', next],
    ['Note', note],
  ].filter(([, text]) => text !== '')
  return `${oneLine(`${id} ${to}`)}\n${parts.map(([name, text]) => `\n${name}: ${block(text ?? '')}`).join('')}\n`
}

function handoffTable(handoffs: readonly Handoff[], now: number, columns: number): string {
  return table(
    handoffs,
    [
      { title: 'ID', cell: (h) => h.id },
      { title: 'AGE', cell: (h) => age(h.at, now), align: 'right', spare: 1 },
      { title: 'FROM', cell: (h) => h.sessionId?.slice(0, 8) ?? null, spare: 2 },
      { title: 'TO', cell: (h) => h.issueId ?? h.folder, max: 40 },
      { title: 'GIVEN TO', cell: (h) => h.givenTo?.slice(0, 8) ?? null, spare: 3 },
      { title: 'GOAL', cell: (h) => h.goal || h.note, max: 200, flexible: 20 },
    ],
    columns,
  )
}
