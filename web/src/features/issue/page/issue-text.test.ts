import { expect, test } from 'bun:test'
import { AppError } from '#domain/errors'
import { saveText, TextChanged, type TextDraft } from './issue-text'

/** An issue with one text, whose every change gives it a new time. */
function issue(text: string) {
  let [value, time] = [text, 1]
  const touch = () => {
    time++
  }
  return {
    touch,
    set(next: string) {
      value = next
      touch()
    },
    get value() {
      return value
    },
    read: async () => ({ value, updatedAt: String(time) }),
    write: async (next: string, ifUpdatedAt: string) => {
      if (ifUpdatedAt !== String(time))
        throw new AppError('conflict', 'changed meanwhile', { details: { updatedAt: String(time) } })
      value = next
      touch()
    },
  }
}

const draft: TextDraft = { text: 'mine', base: 'first', updatedAt: '1' }

test('an edit is saved though another field changed meanwhile', async () => {
  const one = issue('first')
  one.touch()
  await saveText({ draft, ...one, read: one.read, write: one.write })
  expect(one.value).toBe('mine')
})

test('an edit of a text that somebody changed is refused, and theirs stays', async () => {
  const one = issue('first')
  one.set('theirs')
  expect(saveText({ draft, read: one.read, write: one.write })).rejects.toThrow(TextChanged)
  expect(one.value).toBe('theirs')
})

test('who changes it between the look and the write is not undone', async () => {
  const one = issue('first')
  one.touch()
  const read = async () => {
    const now = await one.read()
    one.set('theirs')
    return now
  }
  expect(saveText({ draft, read, write: one.write })).rejects.toThrow(TextChanged)
})

test('other refusals are told as they are, and it does not try for ever', async () => {
  const refuse = async () => {
    throw new AppError('too_large', 'too long')
  }
  expect(saveText({ draft, read: issue('first').read, write: refuse })).rejects.toThrow('too long')
  const one = issue('first')
  const busy = async (text: string, at: string) => {
    one.touch()
    await one.write(text, at)
  }
  expect(saveText({ draft, read: one.read, write: busy })).rejects.toThrow('changed meanwhile')
})
