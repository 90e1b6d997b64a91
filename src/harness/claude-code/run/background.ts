import type { RunEvent } from '../../../domain/harness/harness-run'
import type { JsonRecord } from '../../json-lines/json-value'
import { idOf, listOf, recordOf, textOf } from '../../json-lines/json-value'
import { endStatusOf, isAgentTaskId, taskKindOf } from '../notification'

/** Calls whose answer did not come yet; only a hostile run has more. */
const CALL_LIMIT = 10_000
const TASK_LIMIT = 1_000

interface Call {
  name: string
  isBackground: boolean
  isMain: boolean
}

/**
 * What runs in the background of a run, agents and shells apart.
 *
 * Newer releases give the whole list on each change. In older ones a task counts once something shows that it is in the background: its
 * call, its call's answer, or a line about it; a command in the foreground is announced as a task too.
 */
export class Background {
  private readonly agents = new Set<string>()
  private readonly shells = new Set<string>()
  private readonly calls = new Map<string, Call>()
  /** Announced, not known to be in the background. */
  private readonly waiting = new Map<string, { kind: 'agent' | 'shell'; toolUseId: string | null }>()
  /** All that ever ran in the background. */
  private readonly known = new Set<string>()
  private hasList = false
  private reported = '[[],[]]'

  /** The change since the last call, if any. */
  take(): RunEvent[] {
    const agents = [...this.agents]
    const shells = [...this.shells]
    const now = JSON.stringify([agents, shells])
    if (now === this.reported) return []
    this.reported = now
    return [{ kind: 'background', agents, shells }]
  }

  /** Whether this task runs, or ran, in the background. */
  has(taskId: string): boolean {
    return this.known.has(taskId)
  }

  call(id: string, name: string, input: JsonRecord | undefined, isMain: boolean): void {
    if (this.calls.size >= CALL_LIMIT) this.calls.clear()
    // A message to an agent that has ended makes it go on, always in the background.
    this.calls.set(id, { name, isBackground: input?.run_in_background === true || name === 'SendMessage', isMain })
  }

  /** A call of the main thread whose answer did not come yet. */
  openCall(toolUseId: string): string | undefined {
    const call = this.calls.get(toolUseId)
    return call?.isMain === true ? call.name : undefined
  }

  /** The answer of a call: that of one in the background comes at its launch. `text` is its beginning. */
  answer(toolUseId: string, answer: JsonRecord | undefined, text: string): void {
    this.calls.delete(toolUseId)
    if (this.hasList) return
    const agent = idOf(answer?.agentId) ?? /^Async agent launched[\s\S]{0,400}?agentId: ([\w-]{1,100})/.exec(text)?.[1]
    const isAgent = answer?.isAsync === true || answer?.status === 'async_launched' || text.startsWith('Async agent')
    if (isAgent && agent !== undefined) this.start(agent, 'agent')
    const shell =
      idOf(answer?.backgroundTaskId) ?? /^Command running in background with ID: ([\w-]{1,100})/.exec(text)?.[1]
    if (shell !== undefined) this.start(shell, 'shell')
    for (const [id, task] of this.waiting) if (task.toolUseId === toolUseId) this.waiting.delete(id)
  }

  /** A `system` line of type `background_tasks_changed` or `task_…`. */
  read(subtype: string, record: JsonRecord): void {
    if (subtype === 'background_tasks_changed') this.readList(listOf(record.tasks))
    const taskId = idOf(record.task_id)
    if (taskId === undefined || this.hasList) return
    if (subtype === 'task_started') this.started(taskId, record)
    else if (subtype === 'task_updated') this.updated(taskId, recordOf(record.patch) ?? {})
    else if (subtype === 'task_notification' && endStatusOf(record.status) !== undefined) this.end(taskId)
  }

  private readList(tasks: readonly unknown[]): void {
    this.hasList = true
    this.agents.clear()
    this.shells.clear()
    this.waiting.clear()
    for (const entry of tasks.slice(0, TASK_LIMIT)) {
      const task = recordOf(entry)
      const id = idOf(task?.task_id)
      if (id !== undefined) this.start(id, kindOf(id, textOf(task?.task_type)))
    }
  }

  private started(taskId: string, record: JsonRecord): void {
    const toolUseId = idOf(record.tool_use_id) ?? null
    const kind = kindOf(taskId, textOf(record.task_type))
    const call = toolUseId === null ? undefined : this.calls.get(toolUseId)
    if (record.is_backgrounded === true || (record.is_backgrounded !== false && call?.isBackground))
      this.start(taskId, kind)
    else if (this.waiting.size < TASK_LIMIT) this.waiting.set(taskId, { kind, toolUseId })
  }

  private updated(taskId: string, patch: JsonRecord): void {
    if (endStatusOf(patch.status) !== undefined) this.end(taskId)
    else if (patch.is_backgrounded === true)
      this.start(taskId, this.waiting.get(taskId)?.kind ?? kindOf(taskId, undefined))
  }

  private start(taskId: string, kind: 'agent' | 'shell'): void {
    this.waiting.delete(taskId)
    if (this.agents.size + this.shells.size >= TASK_LIMIT) return
    const set = kind === 'agent' ? this.agents : this.shells
    set.add(taskId)
    if (this.known.size < CALL_LIMIT) this.known.add(taskId)
  }

  private end(taskId: string): void {
    this.waiting.delete(taskId)
    this.agents.delete(taskId)
    this.shells.delete(taskId)
  }
}

/** Monitors wait for something outside, as shells do. Kinds that are none of ours (workflows, remote work) do an agent's work. */
function kindOf(taskId: string, taskType: string | undefined): 'agent' | 'shell' {
  const kind = taskKindOf(taskType)
  if (kind !== undefined) return kind === 'agent' ? 'agent' : 'shell'
  return taskType !== undefined || isAgentTaskId(taskId) ? 'agent' : 'shell'
}
