import { expect, test } from 'bun:test'
import { createTurns } from './turns'

/** Things that are over when `answer` is called, and those that began. */
function things() {
  const begun: number[] = []
  const answers: (() => void)[] = []
  const start = (n: number) => () => {
    begun.push(n)
    return new Promise<void>((resolve) => answers.push(resolve))
  }
  const answer = async () => {
    answers.shift()?.()
    await Bun.sleep(0)
  }
  return { begun, start, answer, answers }
}

test('a few run at a time, each once and in their order', async () => {
  const { begun, start, answer, answers } = things()
  const turns = createTurns(4)
  for (let n = 0; n < 30; n++) turns.take(start(n))
  expect(begun).toEqual([0, 1, 2, 3])
  await answer()
  expect(begun).toEqual([0, 1, 2, 3, 4])
  while (answers.length > 0) await answer()
  expect(begun).toEqual(Array.from({ length: 30 }, (_, n) => n))
  turns.take(start(30))
  expect(begun).toHaveLength(31)
})

test('what is not wanted any more takes no turn, and what fails gives its turn to the next', async () => {
  const begun: number[] = []
  const turns = createTurns(2)
  let isWanted = true
  for (let n = 0; n < 10; n++)
    turns.take(() => {
      if (!isWanted && n < 8) return null
      begun.push(n)
      return Promise.reject(new Error('gone'))
    })
  isWanted = false
  await Bun.sleep(5)
  expect(begun).toEqual([0, 1, 8, 9])
})
