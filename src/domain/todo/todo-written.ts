import { sha256Hex } from '../../util/crypto'
import type { TodoStatus } from '../record/observation'
import { type Item, SHORT_HASH, type TodoItems } from './todo-items'
import { matchTodos, outOfOrder } from './todo-match'
import type { TodoPart, TodoStep } from './todo-step'

/** A list that the agent writes as a whole each time (TodoWrite): place, words and likeness decide which item is which. */
export class WrittenTodos {
  /** Items of the last snapshot beyond the limit. */
  leftOut = 0
  /** What the last snapshot held, in its order. */
  private held: Item[] = []
  private readonly ids = new Set<string>()
  /** How often a place and content were new. */
  private readonly sightings = new Map<string, number>()
  private readonly listId: string
  private readonly items: TodoItems

  constructor(listId: string, items: TodoItems) {
    this.listId = listId
    this.items = items
  }

  apply(change: TodoPart<'snapshot'>, step: TodoStep): void {
    const { maxItems } = this.items.options
    const next = change.items.length > maxItems ? change.items.slice(0, maxItems) : change.items
    this.leftOut = change.items.length - next.length + (change.leftOut ?? 0)
    const before = this.held
    let gone: Map<string, Item[]> | undefined
    const returned = new Map<number, Item>()
    const matches = matchTodos(before, next, (item, at) => {
      gone ??= this.goneByContent()
      const same = takeReturned(gone, item.content, item.status)
      if (same) returned.set(at, same)
      return same !== undefined
    })
    const moved = movedOf(matches)
    const left = new Set(before)
    this.held = next.map((said, ordinal) => {
      const at = matches[ordinal]
      const item = (typeof at === 'number' ? before[at] : undefined) ?? returned.get(ordinal)
      if (!item) return this.addWritten(said, ordinal, step)
      left.delete(item)
      if (item.content !== said.content) {
        this.items.note(item, 'reworded', step, item.content, said.content)
        item.content = said.content
      }
      if (moved.has(ordinal)) this.items.note(item, 'moved', step, `${item.ordinal + 1}`, `${ordinal + 1}`)
      item.ordinal = ordinal
      item.activeForm = said.activeForm ?? item.activeForm
      if (item.isHeld) this.items.setStatus(item, said.status, step)
      else this.items.bringBack(item, said.status, step)
      return item
    })
    for (const item of left) this.items.setGone(item, step)
    this.items.forgetOldest()
  }

  private addWritten(said: TodoPart<'snapshot'>['items'][number], ordinal: number, step: TodoStep): Item {
    const { id, hash } = this.newId(said.content, ordinal)
    return this.items.add({ id, hash, nativeId: null, ordinal, content: said.content, status: said.status }, step, {
      activeForm: said.activeForm,
    })
  }

  /** Items that the list held before, by their words: what comes back is looked for among them. */
  private goneByContent(): Map<string, Item[]> {
    const gone = new Map<string, Item[]>()
    for (const item of this.items.all) {
      if (item.isHeld || item.nativeId !== null) continue
      const same = gone.get(item.content)
      if (same) same.push(item)
      else gone.set(item.content, [item])
    }
    return gone
  }

  /**
   * From list, content and place at first sight, and how often that was so before: the same on every rebuild, longer only on a clash
   * within the list.
   */
  private newId(content: string, ordinal: number): { id: string; hash: string } {
    const sight = `${ordinal}\0${content}`
    const before = this.sightings.get(sight) ?? 0
    this.sightings.set(sight, before + 1)
    const hash = sha256Hex(`${this.listId}\0${before}\0${sight}`)
    let length = SHORT_HASH
    while (this.ids.has(hash.slice(0, length))) length++
    this.ids.add(hash.slice(0, length))
    return { id: `cct-${hash.slice(0, length)}`, hash }
  }
}

/** The item that comes back, if there is one: the newest with these words. */
function takeReturned(gone: Map<string, Item[]>, content: string, status: TodoStatus): Item | undefined {
  const same = gone.get(content)
  if (!same) return undefined
  for (let at = same.length - 1; at >= 0; at--)
    if (same[at]?.status === 'removed' || status === 'completed') return same.splice(at, 1)[0]
  return undefined
}

/** Places of items that left the order in which the list was. */
function movedOf(matches: readonly (number | null)[]): Set<number> {
  const places = matches.flatMap((from, to) => (from === null ? [] : [{ from, to }]))
  const moved = new Set<number>()
  for (const at of outOfOrder(places.map(({ from }) => from))) moved.add(places[at]?.to ?? 0)
  return moved
}
