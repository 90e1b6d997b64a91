import { createHash } from 'node:crypto'
import type { TodoChange, TodoStatus } from './observation'

/** What one tool call did to a list: its parts (call and answer) in any order. */
export interface TodoStep {
  toolUseId: string
  /** Milliseconds; `null` sorts first. */
  at: number | null
  /** The node that made the call: the engine's own key, only passed through. */
  node: number | null
  parts: TodoChange[]
}

/** An item of a folded list, before it has a place in the database. Times in milliseconds. */
export interface FoldedTodo {
  id: string
  nativeId: string | null
  ordinal: number
  content: string
  activeForm: string | null
  description: string | null
  owner: string | null
  blockedBy: string[]
  status: TodoStatus
  node: number | null
  createdAt: number | null
  updatedAt: number | null
  completedAt: number | null
}

type Part<Op extends TodoChange['op']> = Extract<TodoChange, { op: Op }>

/**
 * Folds an agent's changes into the list as it stands.
 *
 * Pure, and independent of the order in which steps arrive: they are applied by time, then by tool call id. An item that
 * vanishes from a later snapshot is kept as `removed`, or stays `completed` when it was (the agents sweep finished items).
 *
 * @param listId  makes the ids of items unique: `<listId>/<native id>`, or `cct-…` where the agent numbers nothing.
 */
export function foldTodos(listId: string, steps: readonly TodoStep[]): FoldedTodo[] {
  const list = new TodoFold(listId)
  const ordered = [...steps].sort((a, b) => (a.at ?? 0) - (b.at ?? 0) || compareText(a.toolUseId, b.toolUseId))
  for (const step of ordered) list.apply(step)
  return list.items
}

const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

class TodoFold {
  readonly items: FoldedTodo[] = []
  private readonly byNative = new Map<string, FoldedTodo>()
  private readonly ids = new Set<string>()
  private readonly listId: string

  constructor(listId: string) {
    this.listId = listId
  }

  apply(step: TodoStep): void {
    const part = <Op extends TodoChange['op']>(op: Op) =>
      step.parts.find((candidate): candidate is Part<Op> => candidate.op === op)
    const item = part('item')
    if (item) this.applyItem(item, step)
    const snapshot = part('snapshot')
    if (snapshot) this.applySnapshot(snapshot, step)
    const created = part('create')
    if (created) this.applyCreate(created, part('create_input'), step)
    const update = part('update')
    if (update && part('update_result')?.isSuccess) this.applyUpdate(update, step)
    const whole = part('list')
    if (whole) this.applyList(whole, step)
  }

  /** TodoWrite: the first item with the same words that is not matched yet is the same item; the rest are new. */
  private applySnapshot(change: Part<'snapshot'>, step: TodoStep): void {
    const before = this.items.filter((item) => item.nativeId === null && item.status !== 'removed')
    const free = new Set(before)
    const match: (FoldedTodo | undefined)[] = change.items.map((next) => {
      const same = before.find((item) => free.has(item) && item.content === next.content)
      if (same) free.delete(same)
      return same
    })
    change.items.forEach((next, ordinal) => {
      const item = match[ordinal] ?? this.add(null, next.content, step)
      item.ordinal = ordinal
      item.activeForm = next.activeForm ?? item.activeForm
      this.setStatus(item, next.status, step.at)
    })
    for (const gone of free) this.setGone(gone, step.at)
  }

  /** The CLI's own file of one item has no time, so it comes before all calls, which then say more. */
  private applyItem(change: Part<'item'>, step: TodoStep): void {
    const item = this.native(change.nativeId, change.subject, step)
    item.description = change.description ?? item.description
    item.activeForm = change.activeForm ?? item.activeForm
    item.owner = change.owner ?? item.owner
    item.blockedBy = union(item.blockedBy, change.blockedBy ?? [])
    this.setStatus(item, change.status, step.at)
  }

  private applyCreate(change: Part<'create'>, input: Part<'create_input'> | undefined, step: TodoStep): void {
    const item = this.native(change.nativeId, change.subject, step)
    item.content = change.subject
    item.createdAt ??= step.at
    item.description = change.description ?? input?.description ?? item.description
    item.activeForm = change.activeForm ?? input?.activeForm ?? item.activeForm
    this.touch(item, step.at)
  }

  private applyUpdate(change: Part<'update'>, step: TodoStep): void {
    const item = this.native(change.nativeId, change.subject ?? '', step)
    if (change.subject !== undefined) item.content = change.subject
    if (change.description !== undefined) item.description = change.description
    if (change.activeForm !== undefined) item.activeForm = change.activeForm
    if (change.owner !== undefined) item.owner = change.owner
    if (change.addBlockedBy) item.blockedBy = union(item.blockedBy, change.addBlockedBy)
    for (const blocked of change.addBlocks ?? []) {
      const other = this.native(blocked, '', step)
      other.blockedBy = union(other.blockedBy, [change.nativeId])
    }
    if (change.status !== undefined) this.setStatus(item, change.status, step.at)
    this.touch(item, step.at)
  }

  private applyList(change: Part<'list'>, step: TodoStep): void {
    const seen = new Set<string>()
    for (const next of change.items) {
      seen.add(next.nativeId)
      const item = this.native(next.nativeId, next.subject, step)
      item.content = next.subject
      if (next.owner !== undefined) item.owner = next.owner
      if (next.description !== undefined) item.description = next.description
      if (next.activeForm !== undefined) item.activeForm = next.activeForm
      // A snapshot shows only blockers that are still open: it may add one that we missed, never take one away.
      if (next.blockedBy) item.blockedBy = union(item.blockedBy, next.blockedBy)
      this.setStatus(item, next.status, step.at)
    }
    for (const item of this.byNative.values()) {
      if (item.nativeId !== null && !seen.has(item.nativeId) && item.status !== 'removed') this.setGone(item, step.at)
    }
  }

  private native(nativeId: string, content: string, step: TodoStep): FoldedTodo {
    const known = this.byNative.get(nativeId)
    if (known) return known
    const item = this.add(nativeId, content, step)
    this.byNative.set(nativeId, item)
    return item
  }

  private add(nativeId: string | null, content: string, step: TodoStep): FoldedTodo {
    const item: FoldedTodo = {
      id: nativeId === null ? this.freeId(content) : `${this.listId}/${nativeId}`,
      nativeId,
      ordinal: this.items.length,
      content,
      activeForm: null,
      description: null,
      owner: null,
      blockedBy: [],
      status: 'pending',
      node: step.node,
      createdAt: step.at,
      updatedAt: step.at,
      completedAt: null,
    }
    this.items.push(item)
    return item
  }

  /** From list, content and position at first sight: the same on every rebuild, longer only on a clash within the list. */
  private freeId(content: string): string {
    const hash = createHash('sha256').update(`${this.listId}\0${this.items.length}\0${content}`).digest('hex')
    let length = 12
    while (this.ids.has(hash.slice(0, length))) length++
    this.ids.add(hash.slice(0, length))
    return `cct-${hash.slice(0, length)}`
  }

  private setStatus(item: FoldedTodo, status: TodoStatus, at: number | null): void {
    if (item.status === status) return
    item.status = status
    item.completedAt = status === 'completed' ? at : null
    this.touch(item, at)
  }

  private setGone(item: FoldedTodo, at: number | null): void {
    if (item.status !== 'completed') this.setStatus(item, 'removed', at)
  }

  private touch(item: FoldedTodo, at: number | null): void {
    if (at !== null) item.updatedAt = at
  }
}

const union = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])]
