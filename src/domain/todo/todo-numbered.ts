import type { Item, TodoItems } from './todo-items'
import { partOf, type TodoPart, type TodoStep } from './todo-step'

/** A list whose items the CLI numbers (the task tools): the number is which item it is. */
export class NumberedTodos {
  private readonly byNumber = new Map<string, Item>()
  private readonly listId: string
  private readonly items: TodoItems

  constructor(listId: string, items: TodoItems) {
    this.listId = listId
    this.items = items
  }

  apply(step: TodoStep): void {
    const created = partOf(step, 'create')
    if (created) this.applyCreate(created, partOf(step, 'create_input'), step)
    const update = partOf(step, 'update')
    if (update && partOf(step, 'update_result')?.isSuccess) this.applyUpdate(update, step)
    const whole = partOf(step, 'list')
    if (whole) this.applyList(whole, step)
  }

  private applyCreate(change: TodoPart<'create'>, input: TodoPart<'create_input'> | undefined, step: TodoStep): void {
    const known = this.byNumber.get(change.nativeId)
    const item = known ?? this.add(change.nativeId, change.subject, step)
    item.content = change.subject
    item.createdAt ??= step.at
    // The call that creates an item names its creator, even if another call mentioned it before.
    item.node = step.node
    item.description = change.description ?? input?.description ?? item.description
    item.activeForm = change.activeForm ?? input?.activeForm ?? item.activeForm
    this.items.touch(item, step)
  }

  private applyUpdate(change: TodoPart<'update'>, step: TodoStep): void {
    const item = this.byNumber.get(change.nativeId) ?? this.add(change.nativeId, change.subject ?? '', step)
    if (change.subject !== undefined && change.subject !== item.content) {
      this.items.note(item, 'reworded', step, item.content, change.subject)
      item.content = change.subject
    }
    if (change.description !== undefined) item.description = change.description
    if (change.activeForm !== undefined) item.activeForm = change.activeForm
    if (change.owner !== undefined) this.items.setOwner(item, change.owner, step)
    if (change.addBlockedBy) item.blockedBy = union(item.blockedBy, change.addBlockedBy)
    for (const blocked of change.addBlocks ?? []) {
      const other = this.byNumber.get(blocked) ?? this.add(blocked, '', step)
      other.blockedBy = union(other.blockedBy, [change.nativeId])
    }
    if (change.status === 'removed') this.items.setGone(item, step, 'removed')
    else if (change.status !== undefined) this.items.hold(item, change.status, step)
    this.items.touch(item, step)
  }

  private applyList(change: TodoPart<'list'>, step: TodoStep): void {
    const seen = new Set<string>()
    for (const next of change.items) {
      seen.add(next.nativeId)
      const item = this.byNumber.get(next.nativeId) ?? this.add(next.nativeId, next.subject, step)
      if (item.content !== next.subject) {
        if (item.content !== '') this.items.note(item, 'reworded', step, item.content, next.subject)
        item.content = next.subject
      }
      if (next.owner !== undefined) this.items.setOwner(item, next.owner, step)
      if (next.description !== undefined) item.description = next.description
      if (next.activeForm !== undefined) item.activeForm = next.activeForm
      // A snapshot shows only blockers that are still open: it may add one that we missed, never take one away.
      if (next.blockedBy) item.blockedBy = union(item.blockedBy, next.blockedBy)
      this.items.hold(item, next.status, step)
    }
    for (const item of this.byNumber.values())
      if (item.isHeld && !seen.has(item.nativeId ?? '')) this.items.setGone(item, step)
  }

  /** The CLI's own file of one item has no time, so it says only what the calls leave unknown. */
  fill(step: TodoStep): void {
    const said = partOf(step, 'item')
    if (!said) return
    const item = this.byNumber.get(said.nativeId) ?? this.add(said.nativeId, said.subject, step)
    if (item.content === '') item.content = said.subject
    item.description ??= said.description ?? null
    item.activeForm ??= said.activeForm ?? null
    item.owner ??= said.owner ?? null
    item.blockedBy = union(item.blockedBy, said.blockedBy ?? [])
    if (!item.isStatusTold) this.items.setStatus(item, said.status, step)
  }

  private add(nativeId: string, content: string, step: TodoStep): Item {
    const id = `${this.listId}/${nativeId}`
    const ordinal = this.byNumber.size
    const item = this.items.add({ id, hash: '', nativeId, ordinal, content, status: 'pending' }, step)
    item.isStatusTold = false
    this.byNumber.set(nativeId, item)
    return item
  }
}

const union = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])]
