import {
  type SessionId,
  type SubagentId,
  sessionId,
  subagentId,
  type TaskId,
  type TodoId,
  type ToolUseId,
  taskId,
  todoId,
  toolUseId,
} from '../ids'

/** What an entry of the tree of all work stands for. `key` of a project is the database's word for it; `null` = work of no project. */
export type TreePlace =
  | { kind: 'project'; key: string | null }
  | { kind: 'task'; taskId: TaskId }
  | { kind: 'session'; sessionId: SessionId }
  | { kind: 'subagent'; sessionId: SessionId; subagentId: SubagentId }
  | { kind: 'tool'; sessionId: SessionId; toolUseId: ToolUseId }
  | { kind: 'todo'; sessionId: SessionId; todoId: TodoId }

/** The key of work that belongs to no project. No project's own key is a word. */
const NO_PROJECT = 'none'

/** The entry's id: stable, the same for the same thing, of letters, digits and `:/~._-` alone. Ids of honest programs stand in it as they are. */
export function treeId(place: TreePlace): string {
  switch (place.kind) {
    case 'project':
      return `project:${place.key ?? NO_PROJECT}`
    case 'task':
      return `task:${encode(place.taskId)}`
    case 'session':
      return `session:${encode(place.sessionId)}`
    case 'subagent':
      return `subagent:${encode(place.sessionId)}/${encode(place.subagentId)}`
    case 'tool':
      return `tool:${encode(place.sessionId)}/${encode(place.toolUseId)}`
    case 'todo':
      return `todo:${encode(place.sessionId)}/${encode(place.todoId)}`
  }
}

/** What an id stands for; `undefined` = it is no entry's. Whether there is such a thing is not known here. */
export function readTreeId(id: string): TreePlace | undefined {
  const [, kind, first = '', second] = /^([a-z]+):([A-Za-z0-9._~-]+)(?:\/([A-Za-z0-9._~-]+))?$/.exec(id) ?? []
  if (kind === 'project' && second === undefined) return { kind, key: first === NO_PROJECT ? null : first }
  const one = decode(first)
  if (one === undefined) return undefined
  if (second === undefined) {
    if (kind === 'task') return { kind, taskId: taskId(one) }
    return kind === 'session' ? { kind, sessionId: sessionId(one) } : undefined
  }
  const other = decode(second)
  if (other === undefined) return undefined
  switch (kind) {
    case 'subagent':
      return { kind, sessionId: sessionId(one), subagentId: subagentId(other) }
    case 'tool':
      return { kind, sessionId: sessionId(one), toolUseId: toolUseId(other) }
    case 'todo':
      return { kind, sessionId: sessionId(one), todoId: todoId(other) }
    default:
      return undefined
  }
}

const PLAIN = /^[A-Za-z0-9._-]+$/

/** Ids of hostile or unusual form: base64url behind a sign that no plain one has. */
function encode(id: string): string {
  if (PLAIN.test(id)) return id
  const bytes = new TextEncoder().encode(id)
  return `~${btoa(String.fromCharCode(...bytes)).replace(/[+/=]/g, (sign) => (sign === '+' ? '-' : sign === '/' ? '_' : ''))}`
}

function decode(text: string): string | undefined {
  if (!text.startsWith('~')) return PLAIN.test(text) ? text : undefined
  try {
    const binary = atob(text.slice(1).replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (each) => each.charCodeAt(0))
    const id = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
    // One thing has one id.
    return encode(id) === text ? id : undefined
  } catch {
    return undefined
  }
}
