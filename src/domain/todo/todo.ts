import { sha256Hex } from '../../util/crypto'
import { SHORT_HASH, TodoItems } from './todo-items'
import { NumberedTodos } from './todo-numbered'
import {
  type FoldedTodo,
  type FoldedTodos,
  partOf,
  TODO_FOLD_DEFAULTS,
  type TodoFoldOptions,
  type TodoStep,
} from './todo-step'
import { WrittenTodos } from './todo-written'

/**
 * Folds changes into the list as it stands.
 *
 * Pure, and independent of the order in which steps arrive: they are applied by time, then by tool call id. An item that
 * vanishes from a later snapshot is kept as `removed`, or stays `completed` when it was (the agents sweep finished items). When it
 * comes back with the same words it is the same item, unless it was completed and is to be done once more.
 *
 * @param listId  makes the ids of items unique: `<listId>/<native id>`, or `cct-…` where the agent numbers nothing.
 */
export function foldTodos(
  listId: string,
  steps: readonly TodoStep[],
  options: TodoFoldOptions = TODO_FOLD_DEFAULTS,
): FoldedTodos {
  const items = new TodoItems(options)
  const written = new WrittenTodos(listId, items)
  const numbered = new NumberedTodos(listId, items)
  const ordered = [...steps].sort(inOrder)
  for (const step of ordered) {
    const snapshot = partOf(step, 'snapshot')
    if (snapshot) written.apply(snapshot, step)
    else numbered.apply(step)
  }
  for (const step of ordered) numbered.fill(step)
  const { kept, leftOut } = items.finish()
  return { items: kept, leftOut: leftOut + written.leftOut }
}

const inOrder = (a: TodoStep, b: TodoStep): number =>
  (a.at ?? 0) - (b.at ?? 0) || (a.offset ?? 0) - (b.offset ?? 0) || (a.toolUseId < b.toolUseId ? -1 : 1)

/**
 * The id of an item whose own is another list's: a longer part of its hash.
 *
 * @param attempt  1 = the first other id
 */
export function otherTodoId(item: Pick<FoldedTodo, 'id' | 'hash'>, attempt: number): string {
  const hash = item.hash || sha256Hex(item.id)
  const length = item.hash === '' ? SHORT_HASH - 1 : item.id.length - 'cct-'.length
  return `cct-${hash.slice(0, length + attempt)}`
}
