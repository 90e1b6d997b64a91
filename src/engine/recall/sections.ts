import type { RecalledTodo, RecalledWork } from '../../domain/recall'
import type { Issue, Task } from '../../domain/task'
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
  return quoted('task text', 'The task, as it was given:', task.task, 800)
}

export function progress(task: Pick<Task, 'progress' | 'progressAt'>): Section {
  const at = task.progressAt === null ? '' : ` at ${minute(task.progressAt)}`
  return quoted('progress', `Progress stored${at}:`, task.progress, 500)
}

export function todos(all: readonly RecalledTodo[]): Section {
  const ORDER = { in_progress: 0, pending: 1, completed: 2, removed: 3 }
  const MARK = { in_progress: '[>]', pending: '[ ]', completed: '[x]', removed: '[-]' }
  const done = all.filter((todo) => todo.status === 'completed').length
  // Stable: within a status the agent's own order stays.
  const sorted = all.toSorted((a, b) => ORDER[a.status] - ORDER[b.status])
  const line = (todo: RecalledTodo) =>
    `- ${MARK[todo.status]} ${inline(todo.content, LINE_TEXT)}${todo.status === 'in_progress' ? ' (in progress)' : ''}`
  return {
    name: 'to-dos',
    floor: 350,
    write: lines(`To-dos, ${done} of ${all.length} done:`, sorted.map(line)),
  }
}

/** @param isSameProcess  `false`: the process that they belonged to has ended, and shells and monitors with it */
export function background(all: readonly RecalledWork[], isSameProcess: boolean): Section {
  const heading = isSameProcess
    ? 'Running in the background (their ends will be told to you):'
    : 'Was running in the background when the process before this one ended. It is gone unless it shows otherwise; look at its output:'
  const line = (one: RecalledWork) => {
    const what =
      one.kind === 'agent'
        ? `agent ${one.id}${one.type === null ? '' : ` (${inline(one.type, 60)})`}`
        : `${one.kind} ${one.id}`
    const about = one.description === null ? '' : `: ${inline(one.description, LINE_TEXT)}`
    const output = one.outputFile === null ? '' : `, output in ${inline(one.outputFile, 400)}`
    return `- ${what}${about}${output}`
  }
  return { name: 'background work', floor: 500, write: lines(heading, all.map(line)) }
}

export function issueLine(issue: Pick<Issue, 'id' | 'type' | 'status' | 'title'> | null): Section {
  const text =
    issue === null ? '' : `Linked ${issue.type} ${issue.id} (${issue.status}): ${inline(issue.title, LINE_TEXT)}`
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

/** `2026-11-21 18:42 UTC` */
export function minute(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 16)} UTC`
}
