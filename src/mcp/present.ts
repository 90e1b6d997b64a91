import type { Answers } from '../api/contract/operations'
import type { Agent } from '../domain/agent'
import type { Attempt, Question, Task } from '../domain/task/task'
import type { Todo } from '../domain/todo/todo-item'
import { inline, quote } from '../util/quote'

/** Characters of each text in an answer; a cut one says how much is missing. */
const LIMITS = { output: 20_000, task: 6_000, progress: 2_000, title: 120, reason: 400 } as const

/** Children that are listed; a task may have thousands. */
const CHILDREN = 100

/** `t-7f3k9q2m completed "Make it faster"` */
export function taskLine(task: Task): string {
  const where = task.agentName === null ? '' : ` on ${inline(task.agentName, 100)}`
  return `${task.id} ${task.status}${where} ${inline(task.title, LIMITS.title)}`
}

/** A task as its requester wants to know it: how it stands, then what came of it, then the rest. */
export function taskText(detail: {
  task: Task
  attempts: Attempt[]
  children: Task[]
  todos: Todo[]
  questions: Question[]
  dependencies: { id: string; status: string | null; title: string | null }[]
}): string {
  const { task, attempts, children, todos, questions, dependencies } = detail
  const done = todos.filter((todo) => todo.status === 'completed').length
  const current = todos.find((todo) => todo.status === 'in_progress')
  return [
    taskLine(task),
    `reason: ${inline(task.reason, LIMITS.reason)}`,
    task.failureReason === null ? '' : `failure: ${inline(task.failureReason, LIMITS.reason)}`,
    task.waitingFor === null ? '' : `waiting for: ${task.waitingFor}`,
    task.notBefore === null ? '' : `not before: ${task.notBefore}`,
    task.parentTaskId === null ? '' : `parent: ${task.parentTaskId} (${task.continuity})`,
    task.issueId === null && task.epicId === null ? '' : `issue: ${task.issueId ?? task.epicId}`,
    dependencies.length === 0
      ? ''
      : `depends on: ${dependencies.map(({ id, status }) => `${id} (${status ?? 'gone'})`).join(', ')}`,
    ...attempts.map(attemptLine),
    todos.length === 0
      ? ''
      : `to-dos: ${done} of ${todos.length} done${current === undefined ? '' : `, now ${inline(current.content, LIMITS.title)}`}`,
    ...questions
      .filter((question) => question.status === 'open')
      .map((question) => `open question ${question.id}: may it call ${inline(question.toolName, 100)}?`),
    ...children.slice(0, CHILDREN).map((child) => `child: ${taskLine(child)}`),
    children.length > CHILDREN
      ? `${children.length - CHILDREN} more children: list-tasks with parentTaskId ${task.id} has all of them`
      : '',
    quoted('progress', task.progress, LIMITS.progress),
    quoted('output', task.output, LIMITS.output),
    quoted('task', task.task, LIMITS.task),
  ]
    .filter((line) => line !== '')
    .join('\n')
}

function attemptLine({ number, isLive, outcome, agentName, conversation, failureReason }: Attempt): string {
  const how =
    conversation === null ? '' : `, conversation ${conversation.rung}${conversation.forked ? ' (a copy)' : ''}`
  const why = conversation?.whyNot.at(-1)
  const not = why === undefined ? '' : ` since ${why.rung} was not possible (${inline(why.reason, 100)})`
  const end = isLive ? 'running' : (outcome ?? 'ended')
  const failure = failureReason === null ? '' : `: ${inline(failureReason, LIMITS.reason)}`
  return `attempt ${number}: ${end} on ${inline(agentName, 100)}${how}${not}${failure}`
}

function quoted(name: string, value: string | null, limit: number): string {
  if (value === null || value.trim() === '') return ''
  const { text, left } = quote(value, limit)
  return `${name}${left > 0 ? ` (${left} more characters are not shown)` : ''}:\n${text}`
}

export function agentLine(agent: Agent): string {
  const { id, name, kind, status, running, concurrency, capabilities, host, isSpecialist, description, model } = agent
  const can = capabilities.length === 0 ? '' : `, can: ${capabilities.map((one) => inline(one, 60)).join(' ')}`
  const at = host === null ? '' : ` at ${inline(host, 100)}`
  // Nobody speaks for a specialist unless a worker has its name: any worker runs what it is given.
  const isAnybodys = isSpecialist && status === 'offline'
  const how = isAnybodys ? 'specialist' : `${kind} ${status}${at}, ${running} of ${concurrency} running`
  return `${id} ${inline(name, 100)} ${how}${can}${aboutText(model, description)}`
}

/** An agent that a file of the project describes. */
export function fileLine({ name, description, model }: Answers['agents']['list']['files'][number]): string {
  return `${inline(name, 100)} specialist of this project${aboutText(model, description)}`
}

const aboutText = (model: string | null, description: string | null): string =>
  `${model === null ? '' : `, model ${inline(model, 60)}`}${description === null ? '' : `: ${inline(description, 300)}`}`
