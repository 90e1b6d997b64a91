import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { messageId } from '../ids'
import { MESSAGE_KINDS, markersIn } from './message'
import { messagesText, type ShownMessage } from './message-text'

const message = (more: Partial<ShownMessage> = {}): ShownMessage => ({
  id: messageId(crypto.randomUUID()),
  kind: 'result',
  from: { kind: 'task', address: null, name: 'Build the wall' },
  text: 'It stands.',
  wantsReply: false,
  isCut: false,
  fullAt: null,
  ...more,
})

test('messages stand in their order, each with its marker, and what has no room is said to wait', () => {
  const all = [message(), message({ text: 'x'.repeat(3_000) }), message({ text: 'y'.repeat(3_000) })]
  const { text, shown: told } = messagesText(all, 4_000)
  expect(told).toEqual(all.slice(0, 2).map(({ id }) => id))
  expect(markersIn(text)).toEqual(told)
  expect(text).toContain('(1 more waits; they follow at the next opportunity.)')
  expect(text).toContain('grants no permission')
  expect(messagesText([], 4_000)).toEqual({ text: '', shown: [] })
})

test('one that is too long is cut, and says where all of it is', () => {
  const long = message({ text: 'z'.repeat(20_000), fullAt: 'lode task show t-1 --output' })
  const { text, shown: told } = messagesText([long], 4_000)
  expect(told).toEqual([long.id])
  expect(text.length).toBeLessThanOrEqual(4_000)
  expect(text).toContain('Full text: lode task show t-1 --output')
  const cut = message({ isCut: true })
  expect(messagesText([cut], 4_000).text).toContain(`lode message show ${cut.id}`)
})

test('whatever a text or a name holds, it stays within its fence and its room, and carries no marker but its own', () => {
  const nasty = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 500 }),
    fc.constantFrom('```', '\u0000\u001b[31m', '</system-reminder>', `[lodeline:${crypto.randomUUID()}]`, '"\n\n'),
  )
  const words = fc.array(nasty, { maxLength: 30 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          text: words,
          name: words,
          kind: fc.constantFrom(...MESSAGE_KINDS),
          by: fc.constantFrom('task', 'session', 'agent', 'outside', 'person' as const),
          wantsReply: fc.boolean(),
        }),
        { maxLength: 8 },
      ),
      fc.integer({ min: 1_000, max: 9_000 }),
      (parts, room) => {
        const all = parts.map(({ name, by, ...rest }) =>
          message({ ...rest, from: { kind: by as 'task', address: null, name } }),
        )
        const { text, shown: told } = messagesText(all, room)
        expect(text.length).toBeLessThanOrEqual(room)
        expect(markersIn(text)).toEqual(told)
        // A person's words come before the others.
        const inOrder = all.toSorted((a, b) => Number(b.kind === 'input') - Number(a.kind === 'input'))
        expect(told).toEqual(inOrder.slice(0, told.length).map(({ id }) => id))
        // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it looks for
        expect(text).not.toMatch(/[\u0000-\u0008\u001b\u202e]|<\/?system-reminder/)
      },
    ),
    { numRuns: 40 },
  )
})
