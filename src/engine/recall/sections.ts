import type { RecalledTodo, RecalledWork } from '../../domain/recall/recall'
import type { Issue, Task } from '../../domain/task/task'
import { inline, quote } from '../../util/quote'
import { lines, type Section } from './compose'

/** Characters of a to-do, a description or a title in a list. */
const LINE_TEXT = 200

/** A heading and a quoted text. */
export function quoted(name: string, heading: string, text: string | null, floor: number): Section {
  return {
    name,
    floor,
    write(room) {
      if (text === null || text.trim() === '') return { text: '', left: null }
      const fenced = quote(text, room - heading.length - 1)
      // A quotation of a few characters says nothing.
      if (fenced.left > 0 && room < heading.length + 40) return { text: '', left: `all ${text.length} characters` }
      return {
        text: `${heading}\n${fenced.text}`,
        left: fenced.left > 0 ? `${fenced.left} more characters` : null,
      }
    },
  }
}

export function taskText(task: Pick<Task, 'task'>): Section {
  return quoted('task text', 'The task, as given:', task.task, 800)
}

export function progress(task: Pick<Task, 'progress' | 'progressAt'>): Section {
  const at = task.progressAt === null ? '' : ` at ${minute(task.progressAt)}`
  return quoted('progress', `Progress stored${at}:`, task.progress, 500)
}

export function todos(all: readonly RecalledTodo[]): Section {
  const done = all.filter((todo) => todo.status === 'completed').length
  // Stable: within a status the agent's own order stays.
  const sorted = all.toSorted((a, b) => placeOf(a) - placeOf(b))
  return {
    name: 'to-dos',
    floor: 350,
    write: lines(
      `To-dos, ${done} of ${all.length} done:`,
      sorted.map((todo) => `- ${todoText(todo)}`),
    ),
  }
}

const ORDER = { in_progress: 0, pending: 1, completed: 3, removed: 4 }
const MARK = { in_progress: '[>]', pending: '[ ]', completed: '[x]', removed: '[-]' }

/** What the agent still has to tick off in its own list stands before what it ticked off. */
const placeOf = (todo: RecalledTodo): number => (todo.completedBy === 'issue' ? 2 : ORDER[todo.status])

/** One to-do on one line, with what became of it beside the agent's own list. */
export function todoText(todo: RecalledTodo): string {
  const { status, content, promotedTo, completedBy, takenFrom, takenBy } = todo
  const notes = [
    status === 'in_progress' ? 'in progress' : '',
    promotedTo && completedBy === 'issue'
      ? `its issue ${shownId(promotedTo)} was closed: mark it as completed in your list`
      : '',
    promotedTo && status !== 'completed' ? `is issue ${shownId(promotedTo)}` : '',
    takenFrom ? `taken over from session ${shownId(takenFrom)}` : '',
    takenBy && status !== 'completed' ? `session ${shownId(takenBy)} took it over` : '',
  ].filter((note) => note !== '')
  return `${MARK[status]} ${inline(content, LINE_TEXT)}${notes.length === 0 ? '' : ` (${notes.join('; ')})`}`
}

/** @param isSameProcess  `false`: the process that they belonged to has ended, and shells and monitors with it */
export function background(all: readonly RecalledWork[], isSameProcess: boolean): Section {
  const heading = isSameProcess
    ? 'Running in the background (you will be notified when they end):'
    : 'Left running in the background by the previous process, which has ended. You will not be notified when it ends: check its output:'
  const running = all.filter(({ state }) => state === undefined || state === 'running')
  return {
    name: 'background work',
    floor: 400,
    write: lines(
      heading,
      running.map((work) => `- ${workText(work, isSameProcess ? '' : leftRunning(work))}`),
    ),
  }
}

/** If a shell's process was looked at, what `session show` says; nothing is known of the rest. */
const leftRunning = ({ statusEvidence }: RecalledWork): string =>
  statusEvidence?.endsWith(' alive') ? `, running (${statusEvidence})` : ', no end seen'

/** What ended, and its agent has not taken in. */
export function unread(all: readonly RecalledWork[]): Section {
  const ended = all.filter(({ state }) => state !== undefined && state !== 'running')
  return {
    name: 'unread results',
    floor: 350,
    write: lines(
      'Ended, but not read by you (`lode subagent output ID` shows the result; read it before you launch the same work again):',
      ended.map((work) => `- ${workText(work)}`),
    ),
  }
}

const STATES = {
  running: '',
  unread: ', finished',
  failed: ', failed',
  killed: ', was ended',
  ended: ', ended after its CLI, result unknown',
  lost: ', lost with its session',
}

/** One line: what it is, what became of it, what it was asked, where its output is. @param whileRunning  said of what has not ended */
export function workText(work: RecalledWork, whileRunning = ''): string {
  const { id, kind, type, description, prompt, outputFile, state } = work
  const what = `${kind} ${shownId(id)}${kind === 'agent' && type !== null ? ` (${inline(type, 60)})` : ''}${STATES[state ?? 'running'] || whileRunning}`
  const about = description === null ? '' : `: ${inline(description, LINE_TEXT)}`
  // What it was asked tells more than its name, and takes more room.
  const asked = kind !== 'agent' || !prompt ? '' : `, asked ${inline(prompt, ASKED)}`
  const output = outputFile === null ? '' : `, output in ${inline(outputFile, 400)}`
  return `${what}${about}${asked}${output}`
}

const ASKED = 120

export function issueLine(issue: Pick<Issue, 'id' | 'type' | 'status' | 'title'> | null, why = ''): Section {
  const text =
    issue === null
      ? ''
      : `Linked ${shownId(issue.type)} ${shownId(issue.id)} (${shownId(issue.status)}): ${inline(issue.title, LINE_TEXT)}${why === '' ? '' : `, ${why}`}`
  return whole('linked issue', text)
}

export function sentTasks(children: readonly Pick<Task, 'id' | 'title' | 'status'>[]): Section {
  const isOpen = (task: Pick<Task, 'status'>) => !['completed', 'failed', 'cancelled'].includes(task.status)
  const line = (task: Pick<Task, 'id' | 'title' | 'status'>) =>
    `- ${task.id} (${task.status}): ${inline(task.title, LINE_TEXT)}`
  return {
    name: 'tasks under this one',
    floor: 200,
    write: lines('Tasks under this one that are not finished:', children.filter(isOpen).map(line)),
  }
}

/** A short text that is given whole or not at all. */
export function whole(name: string, text: string): Section {
  return {
    name,
    floor: text.length,
    write: (room) => (text === '' || room >= text.length ? { text, left: null } : { text: '', left: 'all' }),
  }
}

/** An id as it is where it looks like one; files of others may hold anything. */
export const shownId = (id: string): string => (/^[\w.:@-]{1,128}$/.test(id) ? id : inline(id, 128))

/** `2026-11-21 18:42 UTC` */
export function minute(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`
}
