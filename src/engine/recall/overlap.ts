import type { RecalledTodo } from '../../domain/recall/recall'
import { compareWords, wordsOf } from '../../domain/similarity'

/** Items of each side that are compared: a text shows no more. */
const COMPARED = 50
/** From here on two to-dos are one; see `similarity`. */
const ALIKE = 0.65

const isOpen = ({ status }: RecalledTodo): boolean => status === 'pending' || status === 'in_progress'

/** Open to-dos of theirs that say about the same as one of ours. */
export function overlapping(ours: readonly RecalledTodo[], theirs: readonly RecalledTodo[]): RecalledTodo[] {
  const open = (all: readonly RecalledTodo[]) => all.filter(isOpen).slice(0, COMPARED)
  const own = open(ours).map(({ content }) => wordsOf(content))
  return open(theirs).filter(({ content }) => {
    const words = wordsOf(content)
    return own.some((one) => compareWords(one, words) >= ALIKE)
  })
}
