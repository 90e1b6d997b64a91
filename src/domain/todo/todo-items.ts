import type { TodoStatus } from '../record/observation'
import { HISTORY_LIMIT, HISTORY_TEXT_LIMIT, type TodoChangeEntry, type TodoChangeKind } from './todo-history'
import type { FoldedTodo, TodoFoldOptions, TodoNode, TodoStep } from './todo-step'

/** A change of an item before it is known whose session the item is. */
type Entry = Omit<TodoChangeEntry, 'by' | 'session'> & { node: TodoNode | null }

/** An item while its list is folded. */
export interface Item extends Omit<FoldedTodo, 'history'> {
  /** It is in the list now. */
  isHeld: boolean
  /** A call said its status. */
  isStatusTold: boolean
  changes: Entry[]
  changeCount: number
}

/** Characters of a hash in an id, while no other item has the same. */
export const SHORT_HASH = 12

/** The items of a list while it is folded, and what can be done to one: each change is noted in its history. */
export class TodoItems {
  /** In the order in which they were first seen, with those that the list holds no longer. */
  all: Item[] = []
  readonly options: TodoFoldOptions

  constructor(options: TodoFoldOptions) {
    this.options = options
  }

  add(
    made: Pick<Item, 'id' | 'hash' | 'nativeId' | 'ordinal' | 'content' | 'status'>,
    step: TodoStep,
    more: { activeForm?: string | undefined } = {},
  ): Item {
    const item: Item = {
      ...made,
      activeForm: more.activeForm ?? null,
      description: null,
      owner: null,
      blockedBy: [],
      node: step.node,
      changedBy: step.node,
      createdAt: step.at,
      updatedAt: step.at,
      completedAt: made.status === 'completed' ? step.at : null,
      isHeld: true,
      isStatusTold: true,
      changes: [],
      changeCount: 0,
    }
    this.note(item, 'created', step, undefined, made.status)
    this.all.push(item)
    return item
  }

  hold(item: Item, status: TodoStatus, step: TodoStep): void {
    item.isStatusTold = true
    if (item.isHeld) this.setStatus(item, status, step)
    else this.bringBack(item, status, step)
  }

  setStatus(item: Item, status: TodoStatus, step: TodoStep): void {
    if (item.status === status) return
    this.note(item, 'status', step, item.status, status)
    item.status = status
    item.completedAt = status === 'completed' ? step.at : null
  }

  setOwner(item: Item, owner: string, step: TodoStep): void {
    if (item.owner === owner) return
    this.note(item, 'owner', step, item.owner ?? undefined, owner)
    item.owner = owner
  }

  /** @param status  what it is from now on; by default, what was completed stays so */
  setGone(item: Item, step: TodoStep, status?: 'removed'): void {
    item.isStatusTold = true
    if (!item.isHeld && item.status === (status ?? item.status)) return
    const next = status ?? (item.status === 'completed' ? 'completed' : 'removed')
    this.note(item, 'removed', step, item.status, next)
    item.isHeld = false
    item.status = next
    if (next === 'removed') item.completedAt = null
  }

  bringBack(item: Item, status: TodoStatus, step: TodoStep): void {
    this.note(item, 'returned', step, item.status, status)
    item.isHeld = true
    if (item.status !== status) item.completedAt = status === 'completed' ? step.at : null
    item.status = status
  }

  note(item: Item, change: TodoChangeKind, step: TodoStep, from?: string, to?: string): void {
    item.changes.push({
      number: ++item.changeCount,
      at: step.at,
      change,
      ...(from !== undefined && { from: cut(from) }),
      ...(to !== undefined && { to: cut(to) }),
      node: step.node,
    })
    if (item.changes.length >= 2 * HISTORY_LIMIT) item.changes.splice(0, item.changes.length - HISTORY_LIMIT)
    this.touch(item, step)
  }

  touch(item: Item, step: TodoStep): void {
    if (step.at !== null) item.updatedAt = step.at
    if (step.node !== null) item.changedBy = step.node
  }

  /** Long before the limit of what is kept would hide them, so that a list that is always new costs no more and more. */
  forgetOldest(): void {
    const most = 4 * this.options.maxItems
    if (this.all.length <= most) return
    let excess = this.all.length - most / 2
    this.all = this.all.filter((item) => item.isHeld || item.nativeId !== null || excess-- <= 0)
  }

  /** What is kept: all that the list holds now, then what it held last, within the limit. */
  finish(): { kept: FoldedTodo[]; leftOut: number } {
    const { maxItems, onReplace } = this.options
    const now = this.all.filter((item) => item.isHeld)
    const kept = new Set(now.slice(0, maxItems))
    if (onReplace === 'merge')
      for (let at = this.all.length - 1; at >= 0 && kept.size < maxItems; at--) {
        const item = this.all[at]
        if (item && !item.isHeld) kept.add(item)
      }
    return {
      kept: this.all.filter((item) => kept.has(item)).map(finished),
      leftOut: Math.max(0, now.length - maxItems),
    }
  }
}

function finished({ isHeld: _held, isStatusTold: _told, changeCount: _count, changes, ...item }: Item): FoldedTodo {
  const history = changes.slice(-HISTORY_LIMIT).map(({ node, ...entry }): TodoChangeEntry => {
    const isOthers = node !== null && item.node !== null && node.sessionId !== item.node.sessionId
    return { ...entry, by: node?.subagentId ?? null, ...(isOthers && { session: node.sessionId }) }
  })
  return { ...item, history }
}

function cut(text: string): string {
  if (text.length <= HISTORY_TEXT_LIMIT) return text
  const part = text.slice(0, HISTORY_TEXT_LIMIT)
  // Never half of a surrogate pair.
  return part.isWellFormed() ? part : part.slice(0, -1)
}
